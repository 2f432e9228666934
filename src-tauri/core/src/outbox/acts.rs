//! A person's acts on entries, each one transaction that survives a power cut.

use super::act::{Ask, Ruling, rule};
use super::doubt::Readiness;
use super::drafts::{tidy_labels, tidy_logins, tidy_milestone};
use super::{Outbox, table};
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::{Attachment, Destination, Issue, Receipt};
use crate::problem::{Code, Problem, Result};
use crate::store::{Durability, Ring};
use crate::view::{Acted, EntryEdit, EntryState};

impl Outbox {
    /// Tries now, with a fresh budget and the same key, whatever the backoff says. What else holds its lane, it says.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words.
    pub fn retry(&self, entry: i64, now: &Now) -> Result<Acted> {
        self.act(entry, Ask::Retry, now, "It is sent again at the end of this try.", |tx| {
            table::elsewhere::release(tx, entry, now)?;
            table::act::retry(tx, entry, now)?;
            Ok(table::lane::still_held(tx, entry, now)?.unwrap_or_else(|| "It is tried now.".to_owned()))
        })
    }

    /// Retries everything that waits for the person, a backoff or a probe.
    ///
    /// # Errors
    /// What the store says.
    pub fn retry_all(&self, now: &Now) -> Result<Vec<Acted>> {
        let entries = self.store().read(|tx| Ok(table::act::retriable(tx)?))?;
        entries.into_iter().map(|entry| self.retry(entry, now)).collect()
    }

    /// Takes it back.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words: what has been filed cannot be taken back.
    pub fn withdraw(&self, entry: i64, now: &Now) -> Result<Acted> {
        self.act(entry, Ask::Withdraw, now, "It is taken back at the next safe moment.", |tx| {
            table::act::withdraw(tx, entry, now)?;
            Ok("It has been taken back.".to_owned())
        })
    }

    /// Puts a withdrawn one back.
    ///
    /// # Errors
    /// `NotFound`, `OutboxFull`, or `Refused` in words.
    pub fn restore(&self, entry: i64, now: &Now) -> Result<Acted> {
        self.act(entry, Ask::Restore, now, "", |tx| {
            table::act::restore(tx, entry, now)?;
            Ok("It waits to be sent.".to_owned())
        })
    }

    /// Changes its words. What has been sent without an answer keeps its words until that is settled.
    ///
    /// # Errors
    /// `NotFound`, `Stale` when somebody else changed them meanwhile, `Invalid` without a title, or `Refused` in words: what
    /// has been filed is changed at the tracker.
    pub fn edit(&self, edit: &EntryEdit, now: &Now) -> Result<Acted> {
        let title = super::drafts::one_line(&edit.title);
        if title.is_empty() {
            return Err(super::drafts::needs_title());
        }
        let text = table::edit::Text {
            title,
            body: edit.body.clone(),
            labels: tidy_labels(&edit.labels),
            milestone: tidy_milestone(edit.milestone.as_deref()),
            assignees: tidy_logins(&edit.assignees),
        };
        self.store().write("edit", Durability::Full, Ring::Everybody, |tx| {
            let standing = table::act::standing(tx, edit.id, now)?.ok_or_else(|| no_entry(edit.id))?;
            match rule(Ask::Edit, &standing) {
                Ruling::Refuse(problem) => Err(problem),
                ruling => {
                    if !table::edit::is_current(tx, edit.id, edit.revision)? {
                        return Err(Problem::new(Code::Stale, "It was changed in another window.")
                            .hint("Load what stands there and change that."));
                    }
                    if matches!(ruling, Ruling::Wish) {
                        table::elsewhere::release(tx, edit.id, now)?;
                        table::edit::wish(tx, edit.id, &text)?;
                        table::act::look_now(tx, edit.id, now)?;
                        return told(tx, edit.id, true, "It is changed at the next safe moment.".to_owned());
                    }
                    table::edit::change(tx, edit.id, &text)?;
                    table::act::retry(tx, edit.id, now)?;
                    told(tx, edit.id, false, "It has been changed, and is sent.".to_owned())
                }
            }
        })
    }

    /// Sends it to another destination.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words: what has been filed stays where it is.
    pub fn move_to(&self, entry: i64, name: &str, now: &Now) -> Result<Acted> {
        let destination = self
            .store()
            .read(|tx| Ok(table::destination::by_name(tx, name)?))?
            .ok_or_else(|| super::destinations::no_destination(name))?;
        self.store().write("move_to", Durability::Full, Ring::Everybody, |tx| {
            let standing = table::act::standing(tx, entry, now)?.ok_or_else(|| no_entry(entry))?;
            match rule(Ask::Move, &standing) {
                Ruling::Refuse(problem) => Err(problem),
                Ruling::Wish => {
                    table::elsewhere::release(tx, entry, now)?;
                    table::act::wish(tx, entry, "move", Some(destination.id))?;
                    table::act::look_now(tx, entry, now)?;
                    told(tx, entry, true, format!("It goes to {} at the next safe moment.", destination.name))
                }
                Ruling::Do => {
                    table::act::move_to(tx, entry, destination.id, now)?;
                    told(tx, entry, false, format!("It goes to {}.", destination.name))
                }
            }
        })
    }

    /// What has to be known to tell whether an issue at the tracker is this entry's. Refused when there is no doubt.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words.
    pub fn in_question(&self, entry: i64, now: &Now) -> Result<(Issue, Destination)> {
        self.store().read(|tx| {
            let standing = table::act::standing(tx, entry, now)?.ok_or_else(|| no_entry(entry))?;
            if let Ruling::Refuse(problem) = rule(Ask::ItsThere, &standing) {
                return Err(problem);
            }
            Ok(table::work::issue_for(tx, entry, table::act::destination(tx, entry)?)?)
        })
    }

    /// The person says that it is there, and it has been recognised as `receipt`.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words.
    pub fn resolve_there(&self, entry: i64, receipt: &Receipt, now: &Now) -> Result<Acted> {
        let seen_by = self.store().presence().id();
        self.act(entry, Ask::ItsThere, now, "", |tx| {
            table::act::displace(tx, entry, now)?;
            let destination = table::act::destination(tx, entry)?;
            let doubts = table::act::doubts(tx, entry)?;
            // Of an issue that was in doubt itself, only the issue is told by its link: whether its files arrived is for a
            // look to find.
            let create = doubts.iter().find(|(_, kind)| kind == "create");
            if create.is_some() {
                table::settle::sight(tx, entry, destination, receipt, seen_by, now)?;
            }
            for (ordinal, _) in create.map_or(&doubts[..], std::slice::from_ref) {
                let done = super::fate::StageMark::Done {
                    reference: None,
                    receipt: create.map(|_| receipt.clone()),
                    login: None,
                    told: None,
                };
                table::settle::mark_stage(tx, entry, *ordinal, &done, destination, now)?;
            }
            if table::act::all_done(tx, entry)? {
                table::settle::file(tx, entry, now)?;
                Ok("It counts as filed.".to_owned())
            } else {
                table::act::retry(tx, entry, now)?;
                Ok("Its files follow.".to_owned())
            }
        })
    }

    /// The person says that it is not there: it is sent again. That outweighs a look that does not work only where the
    /// person was asked, because looking could not tell, or where the tracker can be asked nothing. Said unasked, or while
    /// the first one may still arrive, it brings the next look forward.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words.
    pub fn resolve_send_again(&self, entry: i64, now: &Now) -> Result<Acted> {
        self.store().write("resolve_send_again", Durability::Full, Ring::Everybody, |tx| {
            table::elsewhere::release(tx, entry, now)?;
            let standing = table::act::standing(tx, entry, now)?.ok_or_else(|| no_entry(entry))?;
            let can_be_asked = table::act::can_be_asked(tx, entry)?;
            let unasked = standing.state == EntryState::Waiting && can_be_asked;
            match (rule(Ask::SendAgain, &standing), standing.doubt) {
                (Ruling::Refuse(problem), _) => Err(problem),
                (Ruling::Wish, Some(Readiness::QuietIn { left_ms })) => {
                    if mistake("take_an_early_word_for_a_look") {
                        table::act::send_again(tx, entry, now)?;
                    }
                    table::act::look_at(tx, entry, now.boot_ms + left_ms, now)?;
                    told(tx, entry, true, early(left_ms, can_be_asked))
                }
                _ if unasked && !mistake("take_an_unasked_word_for_a_look") => {
                    table::act::retry(tx, entry, now)?;
                    told(tx, entry, false, "It is looked for, and sent again if it is not there.".to_owned())
                }
                (Ruling::Do | Ruling::Wish, _) => {
                    table::act::send_again(tx, entry, now)?;
                    told(tx, entry, false, "It is sent again.".to_owned())
                }
            }
        })
    }

    /// Leaves an issue filed without the files that its tracker did not take.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` in words.
    pub fn leave_at_that(&self, entry: i64, now: &Now) -> Result<Acted> {
        self.act(entry, Ask::Leave, now, "", |tx| {
            table::missing::leave(tx, entry, now)?;
            Ok("It stays filed as it is.".to_owned())
        })
    }

    /// The files of an entry that its tracker did not take.
    ///
    /// # Errors
    /// What the store says.
    pub fn missing(&self, entry: i64) -> Result<Vec<Attachment>> {
        self.store().read(|tx| {
            let missing = table::missing::attachments(tx, entry)?;
            let mut all = table::rows::attachments(tx, "entry", entry)?;
            all.retain(|attachment| missing.contains(&attachment.id));
            Ok(all)
        })
    }

    /// The keys of the entries that were filed without some of their files, and that nobody has left at that.
    ///
    /// # Errors
    /// What the store says.
    pub fn incomplete(&self) -> Result<Vec<String>> {
        self.store().read(|tx| Ok(table::missing::incomplete(tx)?))
    }

    /// Pauses one destination, or all work.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn pause(&self, name: Option<&str>, minutes: Option<u32>, now: &Now) -> Result<()> {
        let until_ms = minutes.map(|minutes| now.wall_ms + i64::from(minutes) * 60_000);
        self.store().write("pause", Durability::Full, Ring::Everybody, |tx| {
            let destination = super::destinations::number(tx, name)?;
            Ok(table::lane::pause(tx, destination, until_ms)?)
        })
    }

    /// Resumes one destination, or all work.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn resume(&self, name: Option<&str>) -> Result<()> {
        self.store().write("resume", Durability::Full, Ring::Everybody, |tx| {
            let destination = super::destinations::number(tx, name)?;
            Ok(table::lane::resume(tx, destination)?)
        })
    }

    /// Resumes work as a whole; a destination that is paused stays so.
    ///
    /// # Errors
    /// What the store says.
    pub fn resume_work(&self) -> Result<()> {
        self.store().write("resume", Durability::Full, Ring::Everybody, |tx| {
            table::lane::resume_work(tx)?;
            Ok(())
        })
    }

    /// Does an act, records it as a wish, or refuses it.
    fn act(
        &self,
        entry: i64,
        ask: Ask,
        now: &Now,
        wish_words: &str,
        act: impl FnOnce(&crate::store::Transaction<'_>) -> Result<String>,
    ) -> Result<Acted> {
        self.store().write("act", Durability::Full, Ring::Everybody, |tx| {
            let standing = table::act::standing(tx, entry, now)?.ok_or_else(|| no_entry(entry))?;
            match rule(ask, &standing) {
                Ruling::Refuse(problem) => Err(problem),
                Ruling::Wish => {
                    let wish = if ask == Ask::Withdraw { "withdraw" } else { "retry" };
                    table::act::wish(tx, entry, wish, None)?;
                    table::act::look_now(tx, entry, now)?;
                    told(tx, entry, true, wish_words.to_owned())
                }
                Ruling::Do => {
                    let words = act(tx)?;
                    told(tx, entry, false, words)
                }
            }
        })
    }
}

/// What a person is told who says that it is not there while it may still arrive.
fn early(left_ms: i64, can_be_asked: bool) -> String {
    let then = if can_be_asked {
        "Then it is looked for, and sent again if it is not there."
    } else {
        "Then look once more, and say so again."
    };
    format!("The first one may still arrive for {} s. {then}", (left_ms + 999) / 1_000)
}

fn told(tx: &crate::store::Transaction<'_>, entry: i64, wish: bool, words: String) -> Result<Acted> {
    Ok(Acted { id: entry, state: table::act::state(tx, entry)?, wish, words })
}

pub(super) fn no_entry(entry: i64) -> Problem {
    Problem::new(Code::NotFound, format!("There is no issue {entry} in this outbox."))
}
