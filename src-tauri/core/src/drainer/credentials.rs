//! Which lanes this process can serve: those whose token it knows. Asking for a token may take seconds (a locked or hung
//! keyring), so it happens beside the drain, and a lane without one is simply not admitted: other lanes go on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Notify;

use super::Until;
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::Destination;
use crate::outbox::{Outbox, WaitingLane};
use crate::problem::Code;
use crate::secrets::{Secrets, mark};

/// A lane without a token is asked about again after so long, and only when something wakes the drainer anyway; one whose
/// token could not be noted wakes it. A keyring that is locked or does not answer wakes the app, too, each time after twice
/// as long: whoever unlocks it need not tell us.
const ASK_AGAIN_MS: i64 = 5_000;
/// At the longest.
const ASK_AT_LAST_MS: i64 = 60_000;

pub(super) struct Credentials {
    outbox: Outbox,
    secrets: Arc<dyn Secrets>,
    known: Mutex<HashMap<i64, Known>>,
    /// Whether this process is the app, which tells the person what it cannot serve. A command without a token says
    /// nothing: it leaves the lane to those who have one.
    tells: AtomicBool,
    arrived: Notify,
}

/// Lanes that were come to, and that this process cannot serve now.
#[derive(Default)]
pub(super) struct Missing {
    pub(super) lanes: Vec<i64>,
    /// Whether for one of them the answer is still to come.
    pub(super) asking: bool,
    /// When to ask again where the answer could not be noted, on the boot clock.
    pub(super) again_at_ms: Option<i64>,
}

impl Missing {
    /// Whether a run that lasts until then has to wait for one of them.
    pub(super) fn is_awaited(&self, until: Until) -> bool {
        let comes = |at: i64| matches!(until, Until::IdleBy(deadline) if at < deadline);
        self.asking || self.again_at_ms.is_some_and(comes)
    }
}

enum Has {
    Token,
    Question,
    Nothing,
    /// Not yet: again then.
    Later(i64),
}

#[derive(Clone)]
enum Known {
    Asked,
    Token {
        token: SecretString,
        rev: i64,
    },
    Missing {
        since_ms: i64,
        rev: i64,
    },
    /// The keyring is locked or does not answer: whether there is one is not known.
    Shut {
        since_ms: i64,
        rev: i64,
        times: u32,
    },
    /// There is none, and it does without.
    Without {
        rev: i64,
    },
    /// There is one, and the store did not take a note of it: that is nobody's sign-in.
    Unnoted {
        since_ms: i64,
    },
}

impl Credentials {
    pub(super) fn new(outbox: Outbox, secrets: Arc<dyn Secrets>) -> Self {
        Self {
            outbox,
            secrets,
            known: Mutex::default(),
            tells: AtomicBool::new(false),
            arrived: Notify::new(),
        }
    }

    /// From now on, the person is told of lanes without a token.
    pub(super) fn tell(&self) {
        self.tells.store(true, Ordering::Relaxed);
    }

    /// Whether a lane can be served. Where its token is not known it is asked for, and the lane is among the `missing`.
    pub(super) fn serves(self: &Arc<Self>, lane: &WaitingLane, missing: &mut Missing, now: &Now) -> bool {
        if !lane.tracker.takes_token() {
            return true;
        }
        match self.has(lane, now) {
            Has::Token => return true,
            Has::Question if mistake("send_unsigned") => return true,
            Has::Nothing => {}
            Has::Question => missing.asking = true,
            Has::Later(at) => {
                missing.again_at_ms = Some(missing.again_at_ms.map_or(at, |other| other.min(at)));
            }
        }
        missing.lanes.push(lane.destination);
        false
    }

    fn has(self: &Arc<Self>, lane: &WaitingLane, now: &Now) -> Has {
        let known = self.lock().get(&lane.destination).cloned();
        let is_current = |rev: i64| lane.credential_rev == rev;
        let ask = match known {
            Some(Known::Asked) => return Has::Question,
            Some(Known::Token { rev, .. } | Known::Without { rev }) if is_current(rev) => return Has::Token,
            Some(Known::Missing { since_ms, rev }) if is_current(rev) => {
                now.boot_ms - since_ms >= ASK_AGAIN_MS
            }
            Some(Known::Shut { since_ms, rev, times }) if is_current(rev) => {
                let again_at_ms = since_ms + pause_ms(times);
                if now.boot_ms < again_at_ms {
                    // A command does not wait for somebody to unlock a keyring.
                    let waits = self.tells.load(Ordering::Relaxed) && !mistake("never_ask_again");
                    return if waits { Has::Later(again_at_ms) } else { Has::Nothing };
                }
                true
            }
            Some(Known::Unnoted { .. }) if mistake("never_ask_again") => return Has::Nothing,
            Some(Known::Unnoted { since_ms }) if now.boot_ms - since_ms < ASK_AGAIN_MS => {
                return Has::Later(since_ms + ASK_AGAIN_MS);
            }
            Some(Known::Unnoted { .. }) => true,
            // Never asked, or somebody signed in anew, here or elsewhere.
            Some(
                Known::Token { .. } | Known::Without { .. } | Known::Missing { .. } | Known::Shut { .. },
            )
            | None => true,
        };
        if !ask {
            return Has::Nothing;
        }
        let shut = match self.lock().get(&lane.destination) {
            Some(Known::Shut { times, .. }) => *times,
            _ => 0,
        };
        self.lock().insert(lane.destination, Known::Asked);
        let (credentials, lane, since_ms) = (Arc::clone(self), lane.clone(), now.boot_ms);
        tokio::spawn(async move { credentials.ask(&lane, shut, since_ms).await });
        Has::Question
    }

    async fn ask(&self, lane: &WaitingLane, shut: u32, since_ms: i64) {
        let (name, destination) = (&lane.name, lane.destination);
        // Read first: a sign-in that comes while the keyring is asked makes the answer an old one.
        let rev = self.outbox.credential_rev(destination).unwrap_or(0);
        let missing = Known::Missing { since_ms, rev };
        let mut why = format!("No token for {name} is kept on this computer.");
        let known = match self.secrets.token(name).await {
            Ok(Some(token)) => {
                let mark = mark(self.outbox.store().id(), token.expose_secret());
                match self.outbox.credential_seen(destination, &mark) {
                    Ok(rev) => Known::Token { token, rev },
                    Err(problem) => {
                        tracing::warn!(problem = problem.chain(), "a credential could not be noted");
                        Known::Unnoted { since_ms }
                    }
                }
            }
            Ok(None) if lane.tracker.needs_token() => missing,
            Ok(None) => Known::Without { rev },
            // No keyring can hold what nobody has ever given it.
            Err(_) if !lane.tracker.needs_token() && self.never_had_one(destination) => {
                Known::Without { rev }
            }
            Err(problem) => {
                tracing::warn!(destination = %name, problem = problem.chain(), "no token could be read");
                why = problem.message;
                if problem.code == Code::Keyring {
                    Known::Shut { since_ms, rev, times: shut + 1 }
                } else {
                    missing
                }
            }
        };
        if matches!(known, Known::Missing { .. } | Known::Shut { .. })
            && self.tells.load(Ordering::Relaxed)
            && let Err(problem) = self.outbox.no_token(destination, &why)
        {
            tracing::warn!(problem = problem.chain(), "a missing token could not be told");
        }
        self.lock().insert(destination, known);
        self.arrived.notify_one();
    }

    fn never_had_one(&self, destination: i64) -> bool {
        self.outbox.has_had_credential(destination).is_ok_and(|had| !had)
    }

    /// The lanes that were found to have no token in this process.
    pub(super) fn without_token(&self) -> Vec<i64> {
        let known = self.lock();
        known
            .iter()
            .filter(|(_, known)| matches!(known, Known::Missing { .. } | Known::Shut { .. }))
            .map(|(lane, _)| *lane)
            .collect()
    }

    /// The token for a look at another destination, as far as there is one.
    pub(super) async fn fetch(&self, destination: &Destination) -> Option<SecretString> {
        if !destination.tracker.takes_token() {
            return None;
        }
        match self.held(destination) {
            Some((Some(token), _)) => Some(token),
            _ => self.secrets.token(&destination.name).await.ok().flatten(),
        }
    }

    /// What a destination is sent with, and under which revision: a token, or none where none is wanted or there. Nothing
    /// while that is not known.
    pub(super) fn held(&self, destination: &Destination) -> Option<(Option<SecretString>, i64)> {
        if !destination.tracker.takes_token() {
            return Some((None, 0));
        }
        match self.lock().get(&destination.id) {
            Some(Known::Token { token, rev }) => Some((Some(token.clone()), *rev)),
            Some(Known::Without { rev }) => Some((None, *rev)),
            _ if mistake("send_unsigned") => Some((None, 0)),
            _ => None,
        }
    }

    /// Forgets a token that was not taken, so that a new one is looked for.
    pub(super) fn forget(&self, lane: i64) {
        self.lock().remove(&lane);
    }

    /// Returns when a token that was asked for has arrived, or has turned out to be missing.
    pub(super) async fn arrived(&self) {
        self.arrived.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a keyring that was shut so many times in a row is left alone.
fn pause_ms(times: u32) -> i64 {
    ASK_AGAIN_MS.saturating_mul(1 << times.saturating_sub(1).min(8)).min(ASK_AT_LAST_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shut_keyring_is_left_alone_for_longer_each_time_and_never_for_good() {
        let pauses: Vec<i64> = [1, 2, 3, 4, 5, 6, u32::MAX].into_iter().map(pause_ms).collect();
        assert_eq!(pauses, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    }
}
