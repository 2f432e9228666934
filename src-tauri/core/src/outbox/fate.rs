//! What becomes of an entry and its lane after a try. A pure decision: causes get different fates.
//!
//! | what came back | the stage | the entry | the lane | counts |
//! |---|---|---|---|---|
//! | done | done | goes on, or is filed | reached | yes |
//! | not sent | open | stays first in line | one probe per pause | no |
//! | refused | open | needs the person | reached | yes |
//! | a file refused | missing | goes on, and needs the person once it is filed | reached | yes |
//! | sign-in | open | stays in line | held until somebody signs in | no |
//! | rate limit | open | stays in line | held as told | no |
//! | doubt | in doubt | looks, later | a second one in a row trips it | yes |

use super::backoff::{jitter, schedule};
use super::doubt::Readiness;
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::Receipt;
use crate::tracker::{Cause, CauseKind, Done, Reply};

/// Tries after which an entry needs the person.
pub const BUDGET_TRIES: u32 = 20;
/// Time of trying after which an entry needs the person.
pub const BUDGET_MS: i64 = 24 * 3_600_000;
/// Crashes of a worker over one entry, after which it needs the person.
pub const BUDGET_CRASHES: u32 = 3;
/// How long a silent sender is waited for before the person is told so.
const SILENT_MS: i64 = 5 * 60_000;

/// What the decision looks at.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Tries since the budget was last refreshed, this one included.
    pub tries: u32,
    /// When trying began, on the boot clock.
    pub trying_since_ms: Option<i64>,
    /// How many ends in a row something was wrong in the lane.
    pub streak: u32,
    /// The shortest backoff.
    pub base_ms: i64,
    /// The longest backoff.
    pub cap_ms: i64,
    /// For jitter, in 0..1.
    pub chance: f64,
    /// Now.
    pub now: Now,
}

/// What is written, in one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// What the stage becomes.
    pub stage: StageMark,
    /// How the attempt ends; nothing while it goes on.
    pub end: Option<End>,
    /// What the lane learns.
    pub lane: LaneMark,
}

/// What a stage becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageMark {
    /// Stays as it is.
    Untouched,
    /// Finished for good.
    Done {
        /// The tracker's own reference.
        reference: Option<String>,
        /// Of a create: number and link.
        receipt: Option<Receipt>,
        /// The account that did it.
        login: Option<String>,
        /// What the person should know of it.
        told: Option<String>,
    },
    /// A file that is not taken: settled without it.
    Missing {
        /// Why, in words.
        words: String,
    },
    /// Surely not done: may be sent anew.
    Open,
    /// Sent without a usable answer.
    Doubt,
}

/// How an attempt ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Every stage is done.
    Complete,
    /// Given back untouched; the attempt does not count.
    Release {
        /// As the attempt's row says.
        outcome: Outcome,
        /// In words.
        words: String,
    },
    /// Again later.
    Defer {
        /// As the attempt's row says.
        outcome: Outcome,
        /// In words.
        words: String,
        /// On the boot clock.
        not_before_ms: i64,
        /// Whether the attempt counts.
        counts: bool,
    },
    /// Only the person can move it.
    Attention {
        /// As the attempt's row says.
        outcome: Outcome,
        /// The kind, for programs: `refused`, `budget`, `in_doubt`, `silent`, `setup`.
        reason: &'static str,
        /// In words.
        words: String,
    },
}

/// What an attempt's row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Outcome {
    Filed,
    Released,
    NotSent,
    Refused,
    SignIn,
    RateLimit,
    Doubt,
    Looked,
    Local,
    Panicked,
}

impl Outcome {
    /// The word that is stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Filed => "filed",
            Self::Released => "released",
            Self::NotSent => "not_sent",
            Self::Refused => "refused",
            Self::SignIn => "sign_in",
            Self::RateLimit => "rate_limit",
            Self::Doubt => "doubt",
            Self::Looked => "looked",
            Self::Local => "local",
            Self::Panicked => "panicked",
        }
    }
}

/// What a lane learns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneMark {
    /// Nothing.
    Untouched,
    /// Its tracker answered.
    Reached,
    /// Nothing could be sent: held until the next probe.
    Unreachable {
        /// On the boot clock.
        until_ms: i64,
        /// In words.
        words: String,
    },
    /// The token is not taken: held until somebody signs in.
    SignIn {
        /// In words.
        words: String,
    },
    /// The tracker asked to wait.
    RateLimit {
        /// On the boot clock.
        until_ms: i64,
        /// In words.
        words: String,
    },
    /// Trouble at the tracker, in a row: held until the next probe.
    Trouble {
        /// On the boot clock; nothing for the first trouble, which holds nothing.
        until_ms: Option<i64>,
        /// In words.
        words: String,
    },
}

/// What a decision has to know of the stage that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Whether sending it twice changes nothing more than sending it once.
    pub harmless: bool,
    /// Whether it is the last one.
    pub last: bool,
    /// Whether it is a file, which an issue can be filed without.
    pub is_file: bool,
}

/// Decides after a send.
pub fn after_send(sent: Sent, reply: Reply, facts: &Facts) -> Settlement {
    match reply {
        Reply::Done(done) => happened(done, sent.last),
        // Not when the whole destination is the matter.
        Reply::Refused(cause)
            if sent.is_file && matches!(cause.kind, CauseKind::Refused | CauseKind::Local) =>
        {
            Settlement {
                stage: StageMark::Missing { words: cause.words },
                end: sent.last.then_some(End::Complete),
                lane: LaneMark::Reached,
            }
        }
        Reply::NotSent(cause) | Reply::Refused(cause) if cause.kind == CauseKind::Setup => {
            attention(StageMark::Open, Outcome::Refused, "setup", cause)
        }
        Reply::Refused(cause) => attention(StageMark::Open, Outcome::Refused, "refused", cause),
        Reply::NotSent(cause) if cause.kind == CauseKind::Local => {
            again(StageMark::Open, Outcome::Local, cause, facts)
        }
        Reply::NotSent(cause) => held(StageMark::Open, unreachable(&cause, facts), Outcome::NotSent, cause),
        Reply::SignIn(cause) => {
            held(StageMark::Open, LaneMark::SignIn { words: cause.words.clone() }, Outcome::SignIn, cause)
        }
        Reply::RateLimited { wait, cause } => {
            held(StageMark::Open, rate_limit(wait, &cause, facts), Outcome::RateLimit, cause)
        }
        Reply::Doubt(cause) if sent.harmless || mistake("forget_doubt") => {
            let lane = trouble(&cause, facts);
            Settlement { lane, ..again(StageMark::Open, Outcome::Doubt, cause, facts) }
        }
        Reply::Doubt(cause) if spent(facts) => Settlement {
            stage: StageMark::Doubt,
            lane: trouble(&cause, facts),
            end: Some(End::Attention { outcome: Outcome::Doubt, reason: "in_doubt", words: cause.words }),
        },
        Reply::Doubt(cause) => Settlement {
            stage: StageMark::Doubt,
            lane: trouble(&cause, facts),
            end: Some(End::Defer {
                outcome: Outcome::Doubt,
                words: cause.words,
                // The first look may already find it.
                not_before_ms: facts.now.boot_ms + facts.base_ms,
                counts: true,
            }),
        },
    }
}

/// Decides after a look that found the stage done.
pub fn after_found(done: Done, last: bool) -> Settlement {
    happened(done, last)
}

/// Decides after a look that found nothing while it is too early to send again.
pub fn after_nothing_yet(readiness: Readiness, sent_at_ms: i64, facts: &Facts) -> Settlement {
    if readiness == Readiness::SenderMayLive && facts.now.wall_ms.saturating_sub(sent_at_ms) > SILENT_MS {
        return Settlement {
            stage: StageMark::Untouched,
            lane: LaneMark::Reached,
            end: Some(End::Attention {
                outcome: Outcome::Looked,
                reason: "silent",
                words: "Another Outtray process has not answered for 5 minutes.".to_owned(),
            }),
        };
    }
    let (wait_ms, words) = match readiness {
        // The whole listing was read and the time has passed: the caller sends instead.
        Readiness::Quiet => (0, "Looked: not there.".to_owned()),
        Readiness::QuietIn { left_ms } => (left_ms, "Not there yet; it may still arrive.".to_owned()),
        Readiness::SenderMayLive => {
            (facts.base_ms.max(1_000), "Another Outtray process may still be sending it.".to_owned())
        }
    };
    Settlement {
        stage: StageMark::Untouched,
        lane: LaneMark::Reached,
        end: Some(End::Defer {
            outcome: Outcome::Looked,
            words,
            not_before_ms: facts.now.boot_ms + wait_ms.max(1),
            counts: false,
        }),
    }
}

/// Decides when a store that began anew cannot look at every place where the issue may be: the person is asked.
pub fn after_no_look_elsewhere(place: &str) -> Settlement {
    let words = format!("It may have been filed at {place}, and looking there does not work.");
    let end = End::Attention { outcome: Outcome::Looked, reason: "in_doubt", words };
    Settlement { stage: StageMark::Untouched, end: Some(end), lane: LaneMark::Reached }
}

/// Decides when a look has cleared a doubt, and the budget for sending is used up.
pub fn beyond_budget() -> Settlement {
    let words = "It has been tried for a day.".to_owned();
    let end = End::Attention { outcome: Outcome::Looked, reason: "budget", words };
    Settlement { stage: StageMark::Open, end: Some(end), lane: LaneMark::Reached }
}

/// Decides after a look that failed: a failed look is no look.
pub fn after_failed_look(reply: Reply, facts: &Facts) -> Settlement {
    let untouched = StageMark::Untouched;
    match reply {
        Reply::SignIn(cause) => {
            held(untouched, LaneMark::SignIn { words: cause.words.clone() }, Outcome::SignIn, cause)
        }
        Reply::RateLimited { wait, cause } => {
            held(untouched, rate_limit(wait, &cause, facts), Outcome::RateLimit, cause)
        }
        Reply::NotSent(cause) => held(untouched, unreachable(&cause, facts), Outcome::NotSent, cause),
        Reply::Refused(cause) if cause.kind == CauseKind::CannotLook => Settlement {
            stage: untouched,
            lane: LaneMark::Untouched,
            end: Some(End::Attention { outcome: Outcome::Looked, reason: "in_doubt", words: cause.words }),
        },
        // Looks are free: somebody is asked only when many of them, over a day, were in vain.
        Reply::Refused(cause) | Reply::Doubt(cause)
            if looked_in_vain(facts) || (mistake("count_looks_as_tries") && spent(facts)) =>
        {
            Settlement {
                stage: untouched,
                lane: LaneMark::Untouched,
                end: Some(End::Attention {
                    outcome: Outcome::Looked,
                    reason: "in_doubt",
                    words: format!(
                        "Sent, but no answer came, and looking for it does not work: {}",
                        cause.words
                    ),
                }),
            }
        }
        Reply::Refused(cause) | Reply::Doubt(cause) => {
            let lane = trouble(&cause, facts);
            let end = later(Outcome::Looked, cause, facts);
            Settlement { stage: untouched, end: Some(end), lane }
        }
        // A look returns what it saw; it has nothing to be done with.
        Reply::Done(_) => Settlement { stage: untouched, lane: LaneMark::Untouched, end: None },
    }
}

/// Whether the budget is used up.
pub fn spent(facts: &Facts) -> bool {
    facts.tries >= BUDGET_TRIES || tried_for_a_day(facts)
}

/// Neither the number alone says that (processes die while they look), nor the time alone (a computer sleeps for days).
fn looked_in_vain(facts: &Facts) -> bool {
    facts.tries >= BUDGET_TRIES && tried_for_a_day(facts)
}

fn tried_for_a_day(facts: &Facts) -> bool {
    facts.trying_since_ms.is_some_and(|since| facts.now.boot_ms.saturating_sub(since) >= BUDGET_MS)
}

fn happened(done: Done, last: bool) -> Settlement {
    Settlement {
        stage: StageMark::Done {
            reference: done.reference,
            receipt: done.receipt,
            login: done.login,
            told: done.told,
        },
        end: last.then_some(End::Complete),
        lane: LaneMark::Reached,
    }
}

fn attention(stage: StageMark, outcome: Outcome, reason: &'static str, cause: Cause) -> Settlement {
    let end = End::Attention { outcome, reason, words: cause.words };
    Settlement { stage, end: Some(end), lane: LaneMark::Reached }
}

fn held(stage: StageMark, lane: LaneMark, outcome: Outcome, cause: Cause) -> Settlement {
    Settlement { stage, lane, end: Some(End::Release { outcome, words: cause.words }) }
}

/// Again after a backoff of the entry's own, or attention when its budget is used up.
fn again(stage: StageMark, outcome: Outcome, cause: Cause, facts: &Facts) -> Settlement {
    let end = if spent(facts) {
        End::Attention { outcome, reason: "budget", words: cause.words }
    } else {
        later(outcome, cause, facts)
    };
    Settlement { stage, end: Some(end), lane: LaneMark::Untouched }
}

/// Again after a backoff of the entry's own.
fn later(outcome: Outcome, cause: Cause, facts: &Facts) -> End {
    let longest = schedule(facts.tries, facts.base_ms, facts.cap_ms);
    let not_before_ms = facts.now.boot_ms + jitter(longest, facts.chance).max(1);
    End::Defer { outcome, words: cause.words, not_before_ms, counts: true }
}

fn unreachable(cause: &Cause, facts: &Facts) -> LaneMark {
    let longest = schedule(facts.streak + 1, facts.base_ms, facts.cap_ms);
    LaneMark::Unreachable {
        until_ms: facts.now.boot_ms + jitter(longest, facts.chance).max(1),
        words: cause.words.clone(),
    }
}

fn rate_limit(wait: Option<std::time::Duration>, cause: &Cause, facts: &Facts) -> LaneMark {
    let told = wait.and_then(|wait| i64::try_from(wait.as_millis()).ok());
    let wait_ms = told.unwrap_or_else(|| schedule(facts.streak + 1, 60_000, facts.cap_ms.max(60_000)));
    LaneMark::RateLimit { until_ms: facts.now.boot_ms + wait_ms.max(1), words: cause.words.clone() }
}

fn trouble(cause: &Cause, facts: &Facts) -> LaneMark {
    let until_ms = (facts.streak >= 1).then(|| {
        let longest = schedule(facts.streak, facts.base_ms, facts.cap_ms);
        facts.now.boot_ms + jitter(longest, facts.chance).max(1)
    });
    LaneMark::Trouble { until_ms, words: cause.words.clone() }
}

#[cfg(test)]
mod tests;
