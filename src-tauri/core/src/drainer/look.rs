//! Looks: whether what was sent without an answer has happened, before anything is sent again.

use super::renewal::{Under, under};
use super::step::{step, uploaded};
use super::worker::{Bench, Hand, Next, limits, log};
use crate::fault::{self, Moment, mistake};
use crate::issue::{Issue, StageKind};
use crate::outbox::LateLook;
use crate::outbox::doubt::{Intent, Readiness, readiness};
use crate::outbox::fate;
use crate::outbox::lease::Lease;
use crate::problem::Result;
use crate::tracker::{CauseKind, Done, Look, Reply, Seen, Step, Tracker};

/// Clocks of computers differ: a look-up goes back so much further than the first intent.
const SLACK_MS: i64 = 24 * 3_600_000;

impl Bench {
    /// Looks whether a stage in doubt has happened.
    pub(super) async fn look(&self, lease: &mut Lease, hand: &Hand<'_>, intent: &Intent) -> Result<Next> {
        let uploaded = uploaded(hand.work, hand.stage.kind);
        let step = step(hand.work, hand.stage, &uploaded);
        let Some(step) = step.filter(|_| !hand.is_harmless()) else {
            return self.send(lease, hand, None).await;
        };
        // Read before the look begins: only a look that began after the quiet time sets the entry free.
        let quiet_ms = hand.settings.quiet_ms.unwrap_or_else(|| hand.work.destination.tracker.quiet_ms());
        let ready = readiness(intent, hand.stage.gone.as_ref(), &self.clock.now(), quiet_ms);
        let look = Look {
            key: hand.work.issue.key,
            login: intent.login.as_deref(),
            since_ms: intent.first_sent_at_ms - SLACK_MS,
            step,
        };
        fault::point("look", Moment::Before)?;
        let looking = looked(hand.tracker, &hand.work.issue, look, ready == Readiness::Quiet);
        let seen = match under(&self.outbox, &self.clock, lease, &self.stop, looking).await {
            Under::Done(Err(_)) if mistake("a_failed_look_found_nothing") => Ok(Seen::default()),
            // What is there already is recognised there, so it may be sent once more when the time has come.
            Under::Done(Err(reply)) if cannot_look(&reply) && hand.tracker.recognises_repeats() => {
                Ok(Seen::default())
            }
            Under::Done(seen) => seen,
            Under::Lost => return Ok(Next::Over),
            Under::Untrusted | Under::Stopped => {
                let _released = self.outbox.release(lease, "Stopped while looking.", &self.clock.now())?;
                return Ok(Next::Over);
            }
        };
        fault::point("look", Moment::After)?;
        let ready = if mistake("count_the_time_of_the_look") {
            readiness(intent, hand.stage.gone.as_ref(), &self.clock.now(), quiet_ms)
        } else {
            ready
        };
        let facts = self.facts(hand.work, hand.settings);
        match seen {
            Err(reply) => {
                log(lease, hand.stage.kind, &reply);
                // The person has looked where we cannot.
                let cannot_look = matches!(reply, Reply::Refused(_) | Reply::Doubt(_));
                if cannot_look && hand.stage.send_again && ready == Readiness::Quiet {
                    return self.send(lease, hand, Some(intent.attempt)).await;
                }
                self.settle(lease, hand, None, &fate::after_failed_look(reply, &facts))
            }
            Ok(seen) => match found(hand.stage.kind, &seen) {
                Some(done) => {
                    for issue in &seen.issues {
                        self.outbox.sight(lease.entry, hand.work.destination.id, issue, &self.clock.now())?;
                    }
                    self.settle(lease, hand, None, &fate::after_found(done, hand.last))
                }
                // Before the store began anew, it may have been moved and filed elsewhere.
                None if ready == Readiness::Quiet && intent.is_of_another_generation() => {
                    match self.look_elsewhere(lease, hand, intent).await? {
                        Some(next) => Ok(next),
                        None => self.send_cleared(lease, hand, intent).await,
                    }
                }
                None if ready == Readiness::Quiet => self.send_cleared(lease, hand, intent).await,
                None => {
                    self.settle(lease, hand, None, &fate::after_nothing_yet(ready, intent.sent_at_ms, &facts))
                }
            },
        }
    }

    /// Sends once more what a look has cleared, unless the person wished it away, or it has been sent too often: looks are
    /// free, sends are not.
    async fn send_cleared(&self, lease: &mut Lease, hand: &Hand<'_>, intent: &Intent) -> Result<Next> {
        if hand.work.is_wished_away {
            return self.stand_aside(lease, hand, Some(intent.attempt));
        }
        let tries = hand.work.tries > fate::BUDGET_TRIES;
        let sends = hand.stage.sends >= fate::BUDGET_TRIES || mistake("count_looks_as_tries");
        if tries && sends {
            return self.settle(lease, hand, None, &fate::beyond_budget());
        }
        self.send(lease, hand, Some(intent.attempt)).await
    }

    /// Looks at every other destination; nothing when it is surely at none of them.
    async fn look_elsewhere(
        &self,
        lease: &mut Lease,
        hand: &Hand<'_>,
        intent: &Intent,
    ) -> Result<Option<Next>> {
        if hand.stage.kind != StageKind::Create {
            return Ok(None);
        }
        for other in self.outbox.other_destinations(hand.work.destination.id)? {
            let token = self.credentials.fetch(&other).await;
            let tracker = self.trackers.open(&other, token, &self.attachments, limits(hand.settings));
            let look = Look {
                key: hand.work.issue.key,
                login: None,
                since_ms: intent.first_sent_at_ms - SLACK_MS,
                step: Step::Create { uploaded: &[] },
            };
            let seen = match &tracker {
                Ok(tracker) => {
                    let looking = tracker.look(&hand.work.issue, look);
                    match under(&self.outbox, &self.clock, lease, &self.stop, looking).await {
                        Under::Done(seen) => seen,
                        Under::Lost => return Ok(Some(Next::Over)),
                        Under::Untrusted | Under::Stopped => {
                            let _released =
                                self.outbox.release(lease, "Stopped while looking.", &self.clock.now())?;
                            return Ok(Some(Next::Over));
                        }
                    }
                }
                Err(cause) => Err(Reply::Refused(cause.clone())),
            };
            match seen {
                Ok(seen) if seen.issues.is_empty() => {}
                Ok(seen) => {
                    for issue in &seen.issues {
                        self.outbox.sight(lease.entry, other.id, issue, &self.clock.now())?;
                    }
                    let words = format!("It was seen at {}.", other.name);
                    let _released = self.outbox.release(lease, &words, &self.clock.now())?;
                    return Ok(Some(Next::Over));
                }
                // The person has looked where we cannot.
                Err(_) if hand.stage.send_again => {}
                Err(reply) => {
                    log(lease, hand.stage.kind, &reply);
                    let settlement = fate::after_no_look_elsewhere(&other.name);
                    return Ok(Some(self.settle(lease, hand, None, &settlement)?));
                }
            }
        }
        Ok(None)
    }

    /// Takes a look that was still owed. It needs no lease: what it sees is true whoever owns the entry.
    pub(super) async fn look_late(&self, look: LateLook) -> Result<()> {
        let settings = self.outbox.settings()?;
        let (issue, destination) = self.outbox.looked_for(&look)?;
        let token = self.credentials.fetch(&destination).await;
        if token.is_none() && destination.tracker.needs_token() {
            return Ok(());
        }
        let Ok(tracker) = self.trackers.open(&destination, token, &self.attachments, limits(&settings))
        else {
            return Ok(());
        };
        let ask = Look {
            key: issue.key,
            login: look.login.as_deref(),
            since_ms: look.since_ms - SLACK_MS,
            step: Step::Create { uploaded: &[] },
        };
        match looked(&*tracker, &issue, ask, true).await {
            Ok(seen) => self.outbox.looked_late(&look, &seen.issues, &self.clock.now()),
            // It is owed still, and due again later.
            Err(_) => Ok(()),
        }
    }
}

/// Looks by whoever sent it; and for an issue, before that may set anything free, by anybody. The account may have another
/// name by now, or have been another one than was thought.
async fn looked(
    tracker: &dyn Tracker,
    issue: &Issue,
    look: Look<'_>,
    sets_free: bool,
) -> std::result::Result<Seen, Reply> {
    let by_anybody = Look { login: None, ..look };
    let goes_by_login = look.login.is_some() && matches!(look.step, Step::Create { .. });
    let seen = tracker.look(issue, look).await;
    let is_in_vain = match &seen {
        Ok(seen) => sets_free && seen.issues.is_empty(),
        Err(reply) => matches!(reply, Reply::Refused(_)),
    };
    if goes_by_login && is_in_vain { tracker.look(issue, by_anybody).await } else { seen }
}

/// Whether nobody can look there at all.
fn cannot_look(reply: &Reply) -> bool {
    matches!(reply, Reply::Refused(cause) if cause.kind == CauseKind::CannotLook)
}

/// What a look saw, as the stage's result: the oldest match.
fn found(kind: StageKind, seen: &Seen) -> Option<Done> {
    let done = |reference, receipt| Done { reference, receipt, login: None, told: None };
    match kind {
        StageKind::Create => seen.issues.first().map(|issue| done(None, Some(issue.clone()))),
        StageKind::Upload | StageKind::Embed => {
            seen.references.first().map(|reference| done(Some(reference.clone()), None))
        }
    }
}
