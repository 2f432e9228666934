//! Drafts: autosaved, and filed.

use super::table::enqueue::NewEntry;
use super::{Outbox, table};
use crate::capture::{self, Kept};
use crate::clock::{Now, Stamp};
use crate::issue::{Attachment, Destination, Draft, Issue, Key};
use crate::problem::{Code, Problem, Result};
use crate::store::{Durability, Ring};
use crate::view::{AttachmentView, DraftEdit, DraftView, NewIssue, Saved};

impl Outbox {
    /// Makes an empty draft with a key of its own, for good. A power cut may forget it while it is empty: the first words
    /// that are saved in it make it as durable as they are, since both lie in one log.
    ///
    /// # Errors
    /// What the store says.
    pub fn new_draft(&self, now: &Now) -> Result<DraftView> {
        self.store().write("new_draft", Durability::Normal, Ring::Nobody, |tx| {
            let id = table::draft::insert(tx, Key::fresh(), now)?;
            view(tx, get(tx, id)?)
        })
    }

    /// The drafts that hold anything, newest first.
    ///
    /// # Errors
    /// What the store says.
    pub fn drafts(&self) -> Result<Vec<DraftView>> {
        self.store().read(|tx| table::draft::all(tx)?.into_iter().map(|draft| view(tx, draft)).collect())
    }

    /// One draft.
    ///
    /// # Errors
    /// `AlreadyFiled` when it was filed meanwhile, `NotFound` when it was discarded.
    pub fn draft(&self, id: i64) -> Result<DraftView> {
        self.store().read(|tx| view(tx, get(tx, id)?))
    }

    /// Saves what a window holds.
    ///
    /// # Errors
    /// `Stale` when another window saved meanwhile, `AlreadyFiled`, `NotFound`, or what the store says.
    pub fn save_draft(&self, edit: &DraftEdit, now: &Now) -> Result<DraftView> {
        self.store().write("save_draft", Durability::Full, Ring::Everybody, |tx| {
            // A destination that was removed meanwhile must not keep words from being saved.
            let destination = match edit.destination.as_deref() {
                Some(name) => table::destination::by_name(tx, name)?.map(|destination| destination.id),
                None => None,
            };
            let draft = Draft {
                revision: edit.revision,
                destination,
                title: one_line(&edit.title),
                body: edit.body.clone(),
                labels: tidy_labels(&edit.labels),
                milestone: tidy_milestone(edit.milestone.as_deref()),
                assignees: tidy_logins(&edit.assignees),
                ..get(tx, edit.id)?
            };
            if !table::draft::save(tx, &draft, now)? {
                return Err(stale());
            }
            view(tx, get(tx, edit.id)?)
        })
    }

    /// Throws a draft away. Returns the files to erase.
    ///
    /// # Errors
    /// What the store says.
    pub fn discard_draft(&self, id: i64) -> Result<Vec<String>> {
        self.store()
            .write("discard_draft", Durability::Full, Ring::Everybody, |tx| Ok(table::draft::delete(tx, id)?))
    }

    /// Throws a draft away in which nothing was written and to which nothing is attached; another one stays. Returns the
    /// files to erase, of what was attached and taken off again, if it was blank.
    ///
    /// # Errors
    /// What the store says.
    pub fn discard_blank(&self, id: i64) -> Result<Option<Vec<String>>> {
        self.store().write("discard_blank", Durability::Normal, Ring::Nobody, |tx| {
            if table::draft::is_blank(tx, id)? { Ok(Some(table::draft::delete(tx, id)?)) } else { Ok(None) }
        })
    }

    /// Attaches a file that lies beside the store already, under a name that is unique within the draft.
    ///
    /// # Errors
    /// As of a draft.
    pub fn attach(&self, draft: i64, kept: &Kept, now: &Now) -> Result<AttachmentView> {
        let attached = self.store().write("attach", Durability::Full, Ring::Everybody, |tx| {
            let id = attach(tx, draft, kept, now)?;
            Ok(attachment_view(&table::rows::attachment_by_id(tx, id)?))
        });
        self.or_there(attached, |tx| {
            Ok(table::rows::attachment_by_file(tx, &kept.file)?.as_ref().map(attachment_view))
        })
    }

    /// Takes an attachment off a draft, or puts it back.
    ///
    /// # Errors
    /// `NotFound` when it is not there.
    pub fn set_removed(&self, draft: i64, attachment: i64, removed: bool, now: &Now) -> Result<()> {
        self.store().write("set_removed", Durability::Full, Ring::Everybody, |tx| {
            if table::draft::set_removed(tx, draft, attachment, removed, now)? {
                Ok(())
            } else {
                Err(Problem::new(Code::NotFound, "That attachment is not there any more."))
            }
        })
    }

    /// Reads one attachment.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn attachment(&self, id: i64) -> Result<Attachment> {
        self.store().read(|tx| Ok(table::rows::attachment_by_id(tx, id)?))
    }

    /// Files a draft. When this returns, the issue is safe. The same revision filed again gives the same entry back.
    ///
    /// # Errors
    /// `Invalid` for an empty title, `Stale`, `AlreadyFiled`, `OutboxFull`, or what the store says: the draft stays.
    pub fn file_draft(&self, id: i64, revision: i64, now: &Now) -> Result<Saved> {
        let filed = self.store().write("file_draft", Durability::Full, Ring::Everybody, |tx| {
            if let Some(saved) = table::enqueue::made_by(tx, id, revision)? {
                return Ok(saved);
            }
            let draft = get(tx, id)?;
            if draft.revision != revision {
                return Err(stale());
            }
            let destination = destination(tx, &draft)?.id;
            let draft = Draft { title: titled(&draft.title)?, ..draft };
            table::enqueue::enqueue(tx, &draft, destination, now)
        });
        self.or_there(filed, |tx| Ok(table::enqueue::made_by(tx, id, revision)?))
    }

    /// A draft as it would travel if it were filed now, and where to.
    ///
    /// # Errors
    /// `AlreadyFiled`, `NotFound`, or `Refused` while there is nowhere to file it.
    pub fn would_travel(&self, id: i64) -> Result<(Issue, Destination)> {
        self.store().read(|tx| {
            let draft = get(tx, id)?;
            let destination = destination(tx, &draft)?;
            let title = one_line(draft.title.trim());
            let Draft { key, body, labels, milestone, assignees, attachments, .. } = draft;
            Ok((Issue { key, title, body, labels, milestone, assignees, attachments }, destination))
        })
    }

    /// Files a whole issue in one transaction, with files that lie beside the store already: it is saved once, and when
    /// anything about it cannot be taken, nothing of it is there.
    ///
    /// # Errors
    /// `Invalid` for an empty title, `NotFound` for its destination, `OutboxFull`, or what the store says.
    pub fn file_new(&self, new: &NewIssue, files: &[Kept], now: &Now) -> Result<Saved> {
        let key = Key::fresh();
        let filed = self.store().write("file_new", Durability::Full, Ring::Everybody, |tx| {
            let destination = table::destination::by_name(tx, &new.destination)?.ok_or_else(|| {
                let words = format!("There is no destination called {}.", new.destination);
                Problem::new(Code::NotFound, words).hint("Add it, or choose another.")
            })?;
            let milestone = tidy_milestone(new.milestone.as_deref());
            let entry = NewEntry {
                key,
                draft: None,
                destination: destination.id,
                title: &titled(&new.title)?,
                body: &new.body,
                labels: &tidy_labels(&new.labels),
                milestone: milestone.as_deref(),
                assignees: &tidy_logins(&new.assignees),
                bytes: files.iter().map(|kept| kept.size).sum(),
            };
            table::enqueue::enqueue_whole(tx, &entry, files, now)
        });
        self.or_there(filed, |tx| Ok(table::enqueue::made_under(tx, key)?))
    }

    /// A COMMIT whose answer was lost may have been carried out: then what `read` finds is there, and nothing went wrong.
    fn or_there<T>(
        &self,
        written: Result<T>,
        read: impl FnOnce(&crate::store::Transaction<'_>) -> Result<Option<T>>,
    ) -> Result<T> {
        written.or_else(|problem| match self.store().read(read) {
            Ok(Some(there)) => Ok(there),
            Ok(None) => Err(problem),
            Err(_) => Err(problem.hint("It may have been saved all the same: look before you try again.")),
        })
    }

    /// Takes away empty drafts and removed attachments that are older than a day. Returns the files to erase.
    ///
    /// # Errors
    /// What the store says.
    pub fn tidy_drafts(&self, now: &Now) -> Result<Vec<String>> {
        const DAY_MS: i64 = 86_400_000;
        self.store().write("tidy_drafts", Durability::Full, Ring::Nobody, |tx| {
            Ok(table::draft::tidy(tx, now.wall_ms - DAY_MS)?)
        })
    }

    /// Every attached file that a row names.
    ///
    /// # Errors
    /// What the store says.
    pub fn files(&self) -> Result<Vec<String>> {
        self.store().read(|tx| Ok(table::rows::files(tx)?))
    }
}

/// Where a draft goes: as it says, or to the default destination.
fn destination(tx: &crate::store::Transaction<'_>, draft: &Draft) -> Result<Destination> {
    match draft.destination {
        Some(id) => Ok(table::destination::by_id(tx, id)?),
        None => table::destination::default(tx)?.ok_or_else(|| {
            Problem::new(Code::Refused, "There is nowhere to file it yet.")
                .hint("Add a destination in Settings.")
        }),
    }
}

/// The title as it is filed.
fn titled(title: &str) -> Result<String> {
    let title = one_line(title.trim());
    if title.is_empty() { Err(needs_title()) } else { Ok(title) }
}

/// Attaches under a name that is unique within the draft; returns the attachment's row.
fn attach(tx: &crate::store::Transaction<'_>, draft: i64, kept: &Kept, now: &Now) -> Result<i64> {
    let taken: Vec<String> = get(tx, draft)?.attachments.into_iter().map(|other| other.name).collect();
    let name = capture::unique_name(&taken, &kept.name);
    Ok(table::draft::attach(tx, draft, &name, kept, now)?)
}

fn stale() -> Problem {
    Problem::new(Code::Stale, "This draft was changed in another window.")
        .hint("Load what stands there, or keep this as a new draft.")
}

fn get(tx: &crate::store::Transaction<'_>, id: i64) -> Result<Draft> {
    if let Some(draft) = table::draft::get(tx, id)? {
        return Ok(draft);
    }
    Err(if table::enqueue::was_filed(tx, id)? {
        Problem::new(Code::AlreadyFiled, "This draft was filed meanwhile.").hint("Find it in the outbox.")
    } else {
        Problem::new(Code::NotFound, "This draft is not there any more.")
    })
}

fn view(tx: &crate::store::Transaction<'_>, draft: Draft) -> Result<DraftView> {
    let destination = match draft.destination {
        Some(id) => Some(table::destination::by_id(tx, id)?.name),
        None => None,
    };
    Ok(DraftView {
        id: draft.id,
        key: draft.key,
        revision: draft.revision,
        destination,
        title: draft.title,
        body: draft.body,
        labels: draft.labels,
        milestone: draft.milestone,
        assignees: draft.assignees,
        attachments: draft.attachments.iter().map(attachment_view).collect(),
        edited_at: Stamp::of(draft.edited_at_ms).0,
    })
}

pub(super) fn attachment_view(attachment: &Attachment) -> AttachmentView {
    AttachmentView {
        id: attachment.id,
        name: attachment.name.clone(),
        media_type: attachment.media_type.clone(),
        size: attachment.size,
        is_picture: attachment.is_picture(),
    }
}

/// A title is one line, whatever was pasted.
pub(super) fn needs_title() -> Problem {
    Problem::new(Code::Invalid, "An issue needs a title.").hint("Write one line above the text.")
}

pub(super) fn one_line(title: &str) -> String {
    title
        .split(['\r', '\n', '\u{2028}', '\u{2029}', '\0'])
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn tidy_labels(labels: &[String]) -> Vec<String> {
    let mut tidy: Vec<String> = Vec::new();
    for label in labels.iter().map(|label| one_line(label.trim())) {
        if !label.is_empty() && !tidy.contains(&label) {
            tidy.push(label);
        }
    }
    tidy
}

/// A milestone as it is kept: one line, or none.
pub(super) fn tidy_milestone(milestone: Option<&str>) -> Option<String> {
    milestone.map(|title| one_line(title.trim())).filter(|title| !title.is_empty())
}

/// Logins as they are kept: each once, without the sign that texts call people by.
pub(super) fn tidy_logins(logins: &[String]) -> Vec<String> {
    let bare: Vec<String> =
        logins.iter().map(|login| login.trim().trim_start_matches('@').to_owned()).collect();
    tidy_labels(&bare)
}
