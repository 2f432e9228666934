//! One worker with one entry: stage after stage, each with its intent before and its settle after.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::Stop;
use super::credentials::Credentials;
use super::renewal::{Under, under};
use super::step::{body_hash, step, uploaded};
use crate::clock::Clock;
use crate::fault::{self, Moment, mistake};
use crate::issue::StageKind;
use crate::outbox::fate::{self, Facts, LaneMark, Outcome, Sent, Settlement, StageMark};
use crate::outbox::lease::{Fenced, Lease};
use crate::outbox::{Closed, Intend, Intended, Outbox, Stage, Work};
use crate::problem::Result;
use crate::settings::Settings;
use crate::tracker::{self, Done, Limits, Reply, Tracker, Trackers};
use crate::view::StageState;

/// What a worker needs.
pub(super) struct Bench {
    pub(super) outbox: Outbox,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) credentials: Arc<Credentials>,
    pub(super) trackers: Arc<dyn Trackers>,
    pub(super) attachments: PathBuf,
    pub(super) stop: watch::Receiver<Stop>,
}

/// Whether the worker goes on with the entry.
pub(super) enum Next {
    GoOn,
    /// As `GoOn`, and the intent of the next stage, this one, is durable already.
    Intended(i64),
    Over,
    Lost,
}

/// A stage in the worker's hands.
pub(super) struct Hand<'a> {
    pub(super) work: &'a Work,
    pub(super) stage: &'a Stage,
    pub(super) last: bool,
    /// Its intent was committed together with the stage before it, and nothing of it has left.
    pub(super) intended: bool,
    pub(super) tracker: &'a dyn Tracker,
    pub(super) credential_rev: i64,
    pub(super) settings: &'a Settings,
}

impl Hand<'_> {
    /// Whether sending the stage twice changes nothing more than sending it once. Putting pictures in is only while each
    /// sender puts in the same ones: a late one with fewer would take the others out again.
    pub(super) fn is_harmless(&self) -> bool {
        let is_same = self.stage.kind != StageKind::Embed
            || mistake("embed_as_it_comes")
            || (self.stage.intent.is_none() && self.work.stages.iter().all(|stage| !stage.is_missing));
        self.stage.kind.is_harmless_to_repeat(self.work.destination.tracker) && is_same
    }

    fn sent(&self) -> Sent {
        let is_file = self.stage.kind == StageKind::Upload;
        Sent { harmless: self.is_harmless(), last: self.last, is_file }
    }
}

impl Bench {
    /// Delivers the entry under `lease` as far as it gets.
    pub(super) async fn deliver(&self, mut lease: Lease) -> Result<()> {
        let settings = self.outbox.settings()?;
        let mut intended = None;
        loop {
            let work = self.outbox.work(&lease)?;
            let Some(at) = work.stages.iter().position(|stage| stage.state != StageState::Done) else {
                // Everything was done already; only the telling was left.
                let complete = Settlement {
                    stage: StageMark::Untouched,
                    end: Some(fate::End::Complete),
                    lane: LaneMark::Untouched,
                };
                let _settled = self.outbox.settle(&lease, None, &complete, 0, &self.clock.now())?;
                return Ok(());
            };
            let Some((token, credential_rev)) = self.credentials.held(&work.destination) else {
                // It was forgotten meanwhile, or is asked for anew: whoever has it goes on.
                let end = fate::End::Release {
                    outcome: Outcome::Released,
                    words: "The token is looked for again.".to_owned(),
                };
                let release = Settlement {
                    stage: unsent(intended.is_some()),
                    end: Some(end),
                    lane: LaneMark::Untouched,
                };
                let stage = intended.map(|ordinal| (ordinal, Some(Closed::Cancelled)));
                let _settled = self.outbox.settle(&lease, stage, &release, 0, &self.clock.now())?;
                return Ok(());
            };
            let tracker =
                match self.trackers.open(&work.destination, token, &self.attachments, limits(&settings)) {
                    Ok(tracker) => tracker,
                    Err(cause) => {
                        let facts = self.facts(&work, &settings);
                        let sent = Sent { harmless: false, last: false, is_file: false };
                        let settlement = fate::after_send(sent, Reply::Refused(cause), &facts);
                        let settlement = Settlement {
                            stage: unsent(intended.is_some()),
                            lane: LaneMark::Untouched,
                            ..settlement
                        };
                        let _settled = self.outbox.settle(
                            &lease,
                            intended.map(|ordinal| (ordinal, Some(Closed::Cancelled))),
                            &settlement,
                            credential_rev,
                            &self.clock.now(),
                        )?;
                        return Ok(());
                    }
                };
            let hand = Hand {
                work: &work,
                stage: &work.stages[at],
                last: at + 1 == work.stages.len(),
                intended: intended == Some(work.stages[at].ordinal),
                tracker: tracker.as_ref(),
                credential_rev,
                settings: &settings,
            };
            match self.stage(&mut lease, &hand).await? {
                Next::GoOn => intended = None,
                Next::Intended(ordinal) => intended = Some(ordinal),
                Next::Over | Next::Lost => return Ok(()),
            }
        }
    }

    async fn stage(&self, lease: &mut Lease, hand: &Hand<'_>) -> Result<Next> {
        let stage = hand.stage;
        if matches!(*self.stop.borrow(), Stop::By(_)) {
            return self.give_back(lease, hand, "Outtray is closing.");
        }
        // Ownership is renewed before every network stage.
        match self.outbox.renew(lease, &self.clock.now()) {
            Ok(Fenced::Held(renewed)) => *lease = renewed,
            // Nothing of it has left, so nobody has to look for it.
            Ok(Fenced::Lost) if hand.intended => {
                return self.give_back(lease, hand, "Stopped before sending.");
            }
            Err(problem) if hand.intended => {
                tracing::warn!(entry = lease.entry, problem = problem.chain(), "a renewal did not work");
                return self.give_back(lease, hand, "Stopped before sending.");
            }
            Ok(Fenced::Lost) => return Ok(Next::Over),
            Err(problem) => return Err(problem),
        }
        if stage.kind == StageKind::Create
            && let Some(sighting) = &hand.work.sighting
        {
            if sighting.destination != hand.work.destination.id {
                return Ok(match self.outbox.follow(lease, sighting, &self.clock.now())? {
                    Fenced::Held(()) => Next::GoOn,
                    Fenced::Lost => Next::Over,
                });
            }
            let done =
                Done { reference: None, receipt: Some(sighting.receipt.clone()), login: None, told: None };
            return self.settle(lease, hand, None, &fate::after_found(done, hand.last));
        }
        match (&stage.intent, stage.state) {
            (Some(intent), StageState::Sent | StageState::Doubt) if !hand.intended => {
                self.look(lease, hand, intent).await
            }
            _ => self.send(lease, hand, None).await,
        }
    }

    /// Gives the entry back before anything of the stage has left.
    fn give_back(&self, lease: &Lease, hand: &Hand<'_>, words: &str) -> Result<Next> {
        let end = fate::End::Release { outcome: Outcome::Released, words: words.to_owned() };
        let release = Settlement { stage: unsent(hand.intended), end: Some(end), lane: LaneMark::Untouched };
        self.settle(lease, hand, None, &release)
    }

    /// Sends a stage. `cleared` is the attempt of an earlier intent that a look has just cleared.
    pub(super) async fn send(
        &self,
        lease: &mut Lease,
        hand: &Hand<'_>,
        cleared: Option<i64>,
    ) -> Result<Next> {
        let uploaded = uploaded(hand.work, hand.stage.kind);
        let Some(step) = step(hand.work, hand.stage, &uploaded) else {
            let words = "One of its files is missing on this computer.".to_owned();
            let cause = tracker::Cause { kind: tracker::CauseKind::Setup, detail: words.clone(), words };
            let facts = self.facts(hand.work, hand.settings);
            let settlement = fate::after_send(hand.sent(), Reply::Refused(cause), &facts);
            return self.settle(
                lease,
                hand,
                None,
                &Settlement { stage: unsent(hand.intended), ..settlement },
            );
        };
        let login = match self.login(lease, hand).await? {
            Ok(login) => login,
            Err(next) => return Ok(next),
        };
        if !hand.is_harmless() && !hand.intended {
            let body_hash = body_hash(&hand.work.issue);
            let intend = self.intent(hand.work, hand.stage, login.as_deref(), &body_hash, cleared);
            match self.outbox.intend(lease, &intend, &self.clock.now())? {
                Fenced::Held(Intended::Noted) => {}
                Fenced::Held(Intended::StandAside) => return self.stand_aside(lease, hand, cleared),
                Fenced::Lost => return Ok(Next::Over),
            }
        }
        if mistake("close_before_the_end") {
            self.outbox.close(lease, hand.stage.ordinal, Closed::Answered, &self.clock.now())?;
        }
        fault::point(sending(hand.stage.kind), Moment::Before)?;
        let send = hand.tracker.send(&hand.work.issue, step);
        let reply = match under(&self.outbox, &self.clock, lease, &self.stop, send).await {
            Under::Done(reply) => reply,
            // The connection has been dropped. Whether the lease still stands is for the settle to say.
            Under::Lost | Under::Untrusted | Under::Stopped => return self.cancelled(lease, hand),
        };
        fault::point(sending(hand.stage.kind), Moment::After)?;
        if let Reply::SignIn(_) = &reply {
            self.credentials.forget(hand.work.destination.id);
        }
        let closed = if matches!(reply, Reply::Doubt(_)) { Closed::Broken } else { Closed::Answered };
        log(lease, hand.stage.kind, &reply);
        let receipt = match &reply {
            Reply::Done(done) => done.receipt.clone(),
            _ => None,
        };
        let facts = self.facts(hand.work, hand.settings);
        let settlement = fate::after_send(hand.sent(), reply, &facts);
        let next = match after(hand) {
            Some(following) if settlement.end.is_none() && is_known(login.as_deref(), hand) => {
                let body_hash = body_hash(&hand.work.issue);
                let next = self.intent(hand.work, following, login.as_deref(), &body_hash, None);
                self.settle_and_intend(lease, hand, closed, &settlement, &next)?
            }
            _ => self.settle(lease, hand, Some(closed), &settlement)?,
        };
        if let (Next::Lost, Some(receipt)) = (&next, receipt)
            && !mistake("keep_late_news_to_oneself")
        {
            // The lease was lost while the issue came to be: say that it exists, for whoever owns the entry now.
            self.outbox.sight(lease.entry, hand.work.destination.id, &receipt, &self.clock.now())?;
        }
        Ok(next)
    }

    /// Gives an entry back for a change that the person wished for. A doubt that a look has just cleared is over: the
    /// wish is honoured in the same transaction.
    pub(super) fn stand_aside(&self, lease: &Lease, hand: &Hand<'_>, cleared: Option<i64>) -> Result<Next> {
        let words = "Given back for a change.";
        if cleared.is_none() {
            let _released = self.outbox.release(lease, words, &self.clock.now())?;
            return Ok(Next::Over);
        }
        let end = fate::End::Release { outcome: Outcome::Looked, words: words.to_owned() };
        let settlement = Settlement { stage: StageMark::Open, end: Some(end), lane: LaneMark::Reached };
        self.settle(lease, hand, None, &settlement)
    }

    /// Learns who we are there before the first intent, so that a look-up can go by it. Nothing has been sent yet, so
    /// trouble here leaves no doubt.
    async fn login(
        &self,
        lease: &mut Lease,
        hand: &Hand<'_>,
    ) -> Result<std::result::Result<Option<String>, Next>> {
        let harmless = hand.is_harmless();
        // Where the intent is committed already, it said so.
        if hand.intended
            || hand.work.login.is_some()
            || harmless
            || !hand.work.destination.tracker.needs_token()
        {
            return Ok(Ok(hand.work.login.clone()));
        }
        match under(&self.outbox, &self.clock, lease, &self.stop, hand.tracker.account()).await {
            Under::Done(Ok(account)) => {
                if let Some(login) = &account.login {
                    self.outbox.learn_login(hand.work.destination.id, login)?;
                }
                Ok(Ok(account.login))
            }
            Under::Done(Err(reply)) => {
                log(lease, hand.stage.kind, &reply);
                if let Reply::SignIn(_) = &reply {
                    self.credentials.forget(hand.work.destination.id);
                }
                let facts = self.facts(hand.work, hand.settings);
                let reply = match reply {
                    // Only a question was asked: its answer being lost puts nothing in doubt.
                    Reply::Doubt(cause) => {
                        Reply::NotSent(tracker::Cause { kind: tracker::CauseKind::Local, ..cause })
                    }
                    other => other,
                };
                let sent = Sent { last: false, is_file: false, ..hand.sent() };
                let settlement = fate::after_send(sent, reply, &facts);
                let settlement = Settlement { stage: StageMark::Untouched, ..settlement };
                Ok(Err(self.settle(lease, hand, None, &settlement)?))
            }
            Under::Lost => Ok(Err(Next::Over)),
            Under::Untrusted | Under::Stopped => {
                let _released = self.outbox.release(lease, "Stopped before sending.", &self.clock.now())?;
                Ok(Err(Next::Over))
            }
        }
    }

    /// A stage was cancelled in flight: its sender is gone, and it is in doubt.
    fn cancelled(&self, lease: &Lease, hand: &Hand<'_>) -> Result<Next> {
        let now = self.clock.now();
        if hand.is_harmless() {
            let _released = self.outbox.release(lease, "Stopped in the middle of it.", &now)?;
            return Ok(Next::Over);
        }
        self.outbox.close(lease, hand.stage.ordinal, Closed::Cancelled, &now)?;
        let settlement = Settlement {
            stage: StageMark::Doubt,
            lane: LaneMark::Untouched,
            end: Some(fate::End::Defer {
                outcome: Outcome::Doubt,
                words: "Stopped before the answer came.".to_owned(),
                not_before_ms: now.boot_ms,
                counts: true,
            }),
        };
        self.settle(lease, hand, None, &settlement)
    }

    /// Settles a stage that is done together with the intent of the one after it.
    fn settle_and_intend(
        &self,
        lease: &Lease,
        hand: &Hand<'_>,
        closed: Closed,
        settlement: &Settlement,
        next: &Intend<'_>,
    ) -> Result<Next> {
        let stage = (hand.stage.ordinal, closed);
        let (rev, now) = (hand.credential_rev, self.clock.now());
        Ok(match self.outbox.settle_and_intend(lease, stage, settlement, rev, next, &now)? {
            Fenced::Held(Intended::Noted) => Next::Intended(next.ordinal),
            Fenced::Held(Intended::StandAside) => Next::GoOn,
            Fenced::Lost => Next::Lost,
        })
    }

    fn intent<'a>(
        &'a self,
        work: &'a Work,
        stage: &Stage,
        login: Option<&'a str>,
        body_hash: &'a str,
        cleared: Option<i64>,
    ) -> Intend<'a> {
        Intend {
            ordinal: stage.ordinal,
            sender: self.outbox.store().presence().id(),
            destination: work.destination.id,
            login,
            revision: work.revision,
            body_hash,
            cleared,
        }
    }

    pub(super) fn settle(
        &self,
        lease: &Lease,
        hand: &Hand<'_>,
        closed: Option<Closed>,
        settlement: &Settlement,
    ) -> Result<Next> {
        // An intent of which nothing has left must not look like a sender on its way, whoever owns the entry now.
        let closed = closed.or(hand.intended.then_some(Closed::Cancelled));
        let stage = Some((hand.stage.ordinal, closed));
        let settled = self.outbox.settle(lease, stage, settlement, hand.credential_rev, &self.clock.now())?;
        Ok(match settled {
            Fenced::Held(()) if settlement.end.is_none() => Next::GoOn,
            Fenced::Held(()) => Next::Over,
            Fenced::Lost => Next::Lost,
        })
    }

    pub(super) fn facts(&self, work: &Work, settings: &Settings) -> Facts {
        Facts {
            tries: work.tries,
            trying_since_ms: work.trying_since_ms,
            streak: work.streak,
            base_ms: settings.backoff_base_ms,
            cap_ms: settings.backoff_cap_ms,
            chance: fastrand::f64(),
            now: self.clock.now(),
        }
    }
}

/// The stage after the one in hand, when everything that its intent says is known by now.
fn after<'a>(hand: &Hand<'a>) -> Option<&'a Stage> {
    let mut later = hand.work.stages.iter().skip_while(|stage| stage.ordinal <= hand.stage.ordinal);
    later.find(|stage| stage.state != StageState::Done).filter(|next| {
        next.state == StageState::Open
            && !next.kind.is_harmless_to_repeat(hand.work.destination.tracker)
            && next.attachment.is_some_and(|attachment| hand.work.attachment(attachment).is_some())
    })
}

/// Whether nobody has to be asked who we are there, as an intent says.
const fn is_known(login: Option<&str>, hand: &Hand<'_>) -> bool {
    login.is_some() || !hand.work.destination.tracker.needs_token()
}

/// What becomes of a stage of which nothing has left.
const fn unsent(intended: bool) -> StageMark {
    if intended { StageMark::Open } else { StageMark::Untouched }
}

pub(super) fn limits(settings: &Settings) -> Limits {
    Limits { stage_timeout: Duration::from_millis(settings.stage_timeout_ms.unsigned_abs()) }
}

/// What the sending of a stage is called where tests make it fail.
const fn sending(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Create => "send_create",
        StageKind::Upload => "send_upload",
        StageKind::Embed => "send_embed",
    }
}

pub(super) fn log(lease: &Lease, kind: StageKind, reply: &Reply) {
    let (word, cause) = match reply {
        Reply::Done(_) => ("done", None),
        Reply::NotSent(cause) => ("not sent", Some(cause)),
        Reply::Refused(cause) => ("refused", Some(cause)),
        Reply::SignIn(cause) => ("sign-in", Some(cause)),
        Reply::RateLimited { cause, .. } => ("rate limit", Some(cause)),
        Reply::Doubt(cause) => ("doubt", Some(cause)),
    };
    let why = cause.map_or("", |cause| cause.detail.as_str());
    tracing::info!(entry = lease.entry, fence = lease.fence, stage = kind.word(), came_back = word, why);
}
