//! Delivery: claims entries as workers come free, and sends them.
//!
//! *Who*: one owner a process (`run`), at most three workers. A worker is a task with one lease; the owner spawns it,
//! knows its lease, and waits for it when told to stop.
//!
//! *When*: an entry is claimed at the moment a worker is free to start it, never earlier. The owner sleeps on: a change
//! of the store (its own process or another's doorbell), the coming or the death of another process, the end of a
//! worker, a credential that has arrived, the network, the earliest deadline on the boot clock, stop. Nothing polls.
//!
//! *A drain* is one run of claims under one claim token: at most seventy entries, those first that were there when it
//! began. When work is left after that, another drain begins.
//!
//! *Failure*: a worker that panics gives its entry back through the owner, and the third time the entry needs the
//! person. A worker that loses its lease stops and touches nothing. At stop, a stage in flight may finish until the
//! deadline; then its connection is dropped and it is in doubt.

mod catalogue;
mod credentials;
mod look;
mod network;
mod renewal;
mod step;
mod worker;

pub use catalogue::Catalogues;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::task::{Id, JoinSet};

use crate::clock::{Clock, Now};
use crate::fault::mistake;
use crate::outbox::lease::Lease;
use crate::outbox::{Age, Claim, Outbox, WaitingLane};
use crate::problem::{Code, Result};
use crate::secrets::Secrets;
use crate::tracker::Trackers;
use credentials::{Credentials, Missing};
use network::Network;
use worker::Bench;

/// How long a drainer that found the database busy waits before it claims again.
const BUSY_MS: i64 = 200;
/// How long after other trouble with the store, such as a full disk.
const TROUBLE_MS: i64 = 5_000;

/// Whether to stop, and until when stages in flight may finish (boot clock).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// Go on.
    #[default]
    Not,
    /// Claim nothing more; what is in flight may finish until then.
    By(i64),
}

/// When a run ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Only when it is told to.
    Stopped,
    /// When one drain has nothing more to claim.
    OneDrain,
    /// When nothing is claimable, and nothing becomes so by itself before this moment (boot clock).
    IdleBy(i64),
}

/// What delivers.
#[derive(Clone)]
pub struct Drainer {
    outbox: Outbox,
    clock: Arc<dyn Clock>,
    credentials: Arc<Credentials>,
    trackers: Arc<dyn Trackers>,
    attachments: PathBuf,
    stop: watch::Receiver<Stop>,
    /// Leases of workers that ended with a run and could not write so.
    left: Arc<Mutex<Vec<Lease>>>,
    /// Who reads what a destination offers once something was filed there.
    catalogues: Option<Catalogues>,
}

/// One run of claims under one token.
struct Drain {
    token: String,
    horizon: i64,
    admitted: u64,
}

impl Drainer {
    /// A drainer over `outbox`; `attachments` is where their files lie.
    pub fn new(
        outbox: Outbox,
        clock: Arc<dyn Clock>,
        secrets: Arc<dyn Secrets>,
        trackers: Arc<dyn Trackers>,
        attachments: PathBuf,
        stop: watch::Receiver<Stop>,
    ) -> Self {
        let credentials = Arc::new(Credentials::new(outbox.clone(), secrets));
        Self {
            outbox,
            clock,
            credentials,
            trackers,
            attachments,
            stop,
            left: Arc::default(),
            catalogues: None,
        }
    }

    /// Has what a destination offers read anew, when it is old, after an issue was filed there.
    pub fn reading(self, catalogues: Catalogues) -> Self {
        Self { catalogues: Some(catalogues), ..self }
    }

    /// The lanes that were found to have no token in this process.
    pub fn without_token(&self) -> Vec<i64> {
        self.credentials.without_token()
    }

    /// Delivers until `until`, or until it is told to stop.
    ///
    /// # Errors
    /// What the store says at the start; later trouble with it is waited out.
    pub async fn run(&self, until: Until) -> Result<()> {
        // A command ends with its work; what nobody waits for would be cut off.
        let lasts = until == Until::Stopped;
        let mut workers = Workers { lasts, ..Workers::default() };
        let ended = self.drain(until, &mut workers).await;
        if ended.is_err() {
            // Nobody listens to the workers any more. They end here, and their connections with them.
            workers.tasks.abort_all();
        }
        while let Some(ended) = workers.tasks.join_next_with_id().await {
            self.ended(&mut workers, ended);
        }
        // What could not be written is written by the next run, before it claims anything.
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.append(&mut workers.unwritten);
        self.write_left(&mut left)?;
        ended
    }

    /// Writes down what is left of workers that have ended.
    fn write_left(&self, left: &mut Vec<Lease>) -> Result<()> {
        while let Some(lease) = left.last() {
            self.outbox.abandon(lease, &self.clock.now())?;
            left.pop();
        }
        Ok(())
    }

    async fn drain(&self, until: Until, workers: &mut Workers) -> Result<()> {
        let store = Arc::clone(self.outbox.store());
        let mut changes = store.changes();
        let mut peers = store.peers();
        let mut watch = store.watch_peers()?;
        self.outbox.bury(&self.clock.now())?;
        if until == Until::Stopped {
            self.credentials.tell();
        }
        let network = Network::listen();
        let mut stop = self.stop.clone();
        let mut drain: Option<Drain> = None;
        loop {
            changes.mark_unchanged();
            if matches!(*stop.borrow_and_update(), Stop::By(_)) {
                break;
            }
            // Read before anything is claimed: a gate that opens in between is then a deadline that has come, and the
            // next turn takes it. Read afterwards it would be nobody's deadline, and the owner would sleep for ever.
            let turn = self.clock.now();
            let filled = self.fill(workers, &mut drain, until);
            if let Err(problem) = &filled {
                tracing::warn!(problem = problem.chain(), "claiming does not work");
                workers.may_have_strays = true;
            }
            let wake_at = match &filled {
                Ok(missing) => sooner(self.wake_at(until, &turn), missing.again_at_ms),
                Err(problem) => self.claims_again_at(problem.code, until, &turn),
            };
            if workers.is_idle() {
                let is_over = match filled {
                    Ok(missing) => !missing.is_awaited(until) && self.is_over(until, &turn)?,
                    Err(problem) => is_given_up(problem.code, until, &turn),
                };
                if is_over {
                    return Ok(());
                }
            }
            tokio::select! {
                _ = changes.changed() => {}
                _ = peers.changed() => {
                    watch = store.watch_peers()?;
                    self.outbox.bury(&self.clock.now())?;
                }
                () = watch.gone() => {
                    watch = store.watch_peers()?;
                    self.outbox.bury(&self.clock.now())?;
                }
                Some(ended) = workers.tasks.join_next_with_id() => self.ended(workers, ended),
                () = self.credentials.arrived() => {}
                () = network.changed() => self.outbox.network_changed()?,
                () = self.sleep_until(wake_at) => {}
                _ = stop.changed() => {}
            }
        }
        Ok(())
    }

    /// Claims while a worker is free and something is due. Returns the lanes that were left out for want of a token.
    fn fill(&self, workers: &mut Workers, drain: &mut Option<Drain>, until: Until) -> Result<Missing> {
        // What an earlier worker could not write comes first: until then nobody may take its sender for gone.
        self.write_left(&mut workers.unwritten)?;
        self.write_left(&mut self.left.lock().unwrap_or_else(PoisonError::into_inner))?;
        // A claim whose answer was lost may stand all the same. Nobody works on it, so it is given back.
        if workers.may_have_strays {
            let held: Vec<i64> = workers.leases.values().map(|lease| lease.fence).collect();
            for lease in self.outbox.strays(&held)? {
                let _given_back = self.outbox.release(
                    &lease,
                    "It was claimed, and nobody heard of it.",
                    &self.clock.now(),
                )?;
            }
            workers.may_have_strays = false;
        }
        let mut glance = self.outbox.glance(&self.clock.now())?;
        let most = usize::try_from(glance.settings.workers).unwrap_or(1);
        let missing = RefCell::new(Missing::default());
        let serves =
            |lane: &WaitingLane| self.credentials.serves(lane, &mut missing.borrow_mut(), &self.clock.now());
        // Nothing is claimed for these, so they would not be come to; a token that is another one frees them.
        for lane in &glance.signed_out {
            serves(lane);
        }
        while workers.tasks.len() < most || mistake("claim_without_a_free_worker") {
            let current = match drain.take() {
                Some(current)
                    if current.admitted < glance.settings.admission || mistake("admit_without_end") =>
                {
                    current
                }
                Some(spent) if until == Until::OneDrain => {
                    *drain = Some(spent);
                    break;
                }
                _ => Drain::begin(glance.newest),
            };
            let claim = Claim {
                owner: self.outbox.store().presence().id(),
                token: &current.token,
                horizon: current.horizon,
                lease_ms: glance.settings.lease_ms,
                workers: u32::try_from(glance.settings.workers).unwrap_or(1),
                serves: &serves,
            };
            let claimed =
                if glance.may_be_due { self.outbox.claim(&claim, &self.clock.now())? } else { None };
            if let Some(lease) = claimed {
                *drain = Some(Drain { admitted: current.admitted + 1, ..current });
                self.start(workers, lease);
                glance = self.outbox.glance(&self.clock.now())?;
                continue;
            }
            // Nothing is left for this drain. What came after it began is for the next one.
            if glance.newest > current.horizon && until != Until::OneDrain {
                *drain = Some(Drain::begin(glance.newest));
                continue;
            }
            *drain = (until == Until::OneDrain).then_some(current);
            break;
        }
        // What is left of the workers looks whether a create that was sent twice has arrived twice.
        while workers.tasks.len() < most
            && let Some(look) = self.outbox.late_look(&missing.borrow().lanes, &self.clock.now())?
        {
            let bench = self.bench();
            workers.tasks.spawn(async move { bench.look_late(look).await });
        }
        Ok(missing.into_inner())
    }

    fn bench(&self) -> Bench {
        Bench {
            outbox: self.outbox.clone(),
            clock: Arc::clone(&self.clock),
            credentials: Arc::clone(&self.credentials),
            trackers: Arc::clone(&self.trackers),
            attachments: self.attachments.clone(),
            stop: self.stop.clone(),
        }
    }

    fn start(&self, workers: &mut Workers, lease: Lease) {
        let bench = self.bench();
        let held = lease.clone();
        let task = workers.tasks.spawn(async move { bench.deliver(lease).await });
        workers.leases.insert(task.id(), held);
    }

    fn ended(
        &self,
        workers: &mut Workers,
        ended: std::result::Result<(Id, Result<()>), tokio::task::JoinError>,
    ) {
        let (id, written) = match ended {
            Ok((id, Ok(()))) => (id, true),
            // The store did not take the outcome; the intent says what may have left.
            Ok((id, Err(problem))) => {
                tracing::warn!(problem = problem.chain(), "an outcome could not be written");
                (id, false)
            }
            Err(error) if error.is_panic() => {
                let stumbled = workers
                    .leases
                    .get(&error.id())
                    .map_or(Ok(()), |lease| self.outbox.stumble(lease, &self.clock.now()));
                (error.id(), stumbled.is_ok())
            }
            // It was cut off in the middle of it.
            Err(error) => (error.id(), false),
        };
        let lease = workers.leases.remove(&id);
        if !written {
            workers.unwritten.extend(lease);
        } else if let (Some(lease), Some(catalogues), true) = (lease, &self.catalogues, workers.lasts)
            && let Ok(Some(destination)) = self.outbox.filed_at(lease.entry)
        {
            catalogues.refresh_when_old(&destination, Age::Later);
        }
    }

    fn is_over(&self, until: Until, turn: &Now) -> Result<bool> {
        Ok(match until {
            Until::Stopped => false,
            Until::OneDrain => true,
            Until::IdleBy(deadline) => {
                turn.boot_ms >= deadline || self.outbox.next_wait(turn)?.is_none_or(|next| next > deadline)
            }
        })
    }

    fn wake_at(&self, until: Until, turn: &Now) -> Option<i64> {
        let next = self.outbox.next_deadline(turn).ok().flatten();
        match until {
            // Once it has come, only the end of a worker is waited for.
            Until::IdleBy(deadline) if deadline > turn.boot_ms => {
                Some(next.map_or(deadline, |next| next.min(deadline)))
            }
            Until::IdleBy(_) | Until::Stopped | Until::OneDrain => next,
        }
    }

    /// When to claim again after the store did not let us: a busy one soon, a full disk every few seconds. Nothing is
    /// claimed meanwhile. A store that demands a newer program is left alone until it changes.
    fn claims_again_at(&self, code: Code, until: Until, turn: &Now) -> Option<i64> {
        let now = self.clock.now().boot_ms;
        let again = match code {
            Code::TooNew => None,
            Code::Busy => Some(now + BUSY_MS),
            _ => Some(now + TROUBLE_MS),
        };
        match until {
            Until::IdleBy(deadline) if deadline > turn.boot_ms => {
                Some(again.map_or(deadline, |again| again.min(deadline)))
            }
            Until::IdleBy(_) | Until::Stopped | Until::OneDrain => again,
        }
    }

    async fn sleep_until(&self, at: Option<i64>) {
        match at {
            Some(at) => self.clock.sleep_until(at).await,
            None => std::future::pending().await,
        }
    }
}

fn sooner(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    one.into_iter().chain(other).min()
}

/// Whether a run ends in which claiming does not work. Something may be claimable, so there is a try until the deadline;
/// a store that demands a newer program will not change its mind.
fn is_given_up(code: Code, until: Until, turn: &Now) -> bool {
    match until {
        Until::Stopped => false,
        Until::OneDrain => true,
        Until::IdleBy(deadline) => code == Code::TooNew || turn.boot_ms >= deadline,
    }
}

impl Drain {
    fn begin(horizon: i64) -> Self {
        Self { token: uuid::Uuid::new_v4().simple().to_string(), horizon, admitted: 0 }
    }
}

impl Workers {
    fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.unwritten.is_empty()
    }
}

/// The workers at work, and what each holds.
#[derive(Default)]
struct Workers {
    tasks: JoinSet<Result<()>>,
    leases: HashMap<Id, Lease>,
    /// Leases whose workers have ended and could not write so.
    unwritten: Vec<Lease>,
    /// Whether a claim may have come about without our knowing.
    may_have_strays: bool,
    /// Whether the run goes on when there is nothing to do.
    lasts: bool,
}
