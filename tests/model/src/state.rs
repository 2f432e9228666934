//! What there is: the store's rows, the processes, the tracker, and what a person was told.
//!
//! Times are distances: a lease is so many ticks from its end, a sender so many ticks gone. So time may pass without end
//! and the states stay finite. For the same reason fences are kept as ranks: only their order is ever asked.

use crate::bounds::FAULTS;
use crate::invariant::Invariants;

/// Processes there is room for.
pub const PROCESSES: usize = 2;
/// Workers a process there is room for.
pub const WORKERS: usize = 3;
/// Entries there is room for.
pub const ENTRIES: usize = 3;
/// Lanes, each with its destination.
pub const LANES: usize = 2;
/// Stages an entry there is room for.
pub const STAGES: usize = 2;

/// A worker's place: its process, and which of the workers there.
pub type Place = (u8, u8);

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The store as every process reads it.
    pub store: Store,
    /// What a power cut would leave, where that is less.
    pub durable: Option<Box<Store>>,
    /// A copy that may be put back.
    pub backup: Option<Box<Store>>,
    /// The processes.
    pub processes: [Process; PROCESSES],
    /// Which lock files are held, a bit for each process's token.
    pub locks: u8,
    /// What is on its way to the tracker, or there and not yet listed.
    pub requests: Vec<Request>,
    /// Issues in the tracker's list: of each entry, at each destination, for each stage.
    pub listed: [[[u8; STAGES]; LANES]; ENTRIES],
    /// Awake time since the boot, at most the quiet time.
    pub awake: u8,
    /// Entries whose saving was acknowledged, as bits.
    pub saved: u8,
    /// Entries that a person was told are taken back, as bits.
    pub told_withdrawn: u8,
    /// Entries whose issue a process has read of and had its chance to tell, as bits.
    pub learnt: u8,
    /// Claims since each lane was due and passed over.
    pub passed_over: [u8; LANES],
    /// How often each fault may still happen.
    pub left: [u8; FAULTS],
    /// What has been violated.
    pub wrong: Invariants,
}

/// The rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Store {
    /// The last fence given.
    pub fence: u8,
    /// How often it was restored.
    pub generation: u8,
    /// Awake time since it was restored or the machine started, at most the quiet time.
    pub restored: u8,
    /// The entries.
    pub entries: [Entry; ENTRIES],
    /// The lanes.
    pub lanes: [Lane; LANES],
    /// Presence rows, a bit for each process's token.
    pub presence: u8,
}

/// How an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Standing {
    /// Not saved yet.
    #[default]
    Absent,
    /// To be filed.
    Waiting,
    /// Filed.
    Filed,
    /// A person must act.
    Attention,
    /// Taken back.
    Withdrawn,
}

/// What a person asked for that has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Wish {
    /// Nothing.
    #[default]
    None,
    /// To be changed.
    Edit,
    /// To be taken back.
    Withdraw,
    /// To go to the other destination.
    Move,
    /// To be tried now.
    Retry,
}

/// A row of the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Entry {
    /// How it stands.
    pub standing: Standing,
    /// Where it goes.
    pub destination: u8,
    /// What it says.
    pub revision: u8,
    /// The generation it belongs to.
    pub generation: u8,
    /// Tries since the budget was refreshed.
    pub tries: u8,
    /// The same, as a bystander counts who counts no takeover.
    pub fair_tries: u8,
    /// Creates sent since the budget was refreshed, by those who were not displaced.
    pub sends: u8,
    /// Panics over it.
    pub crashes: u8,
    /// A person's wish.
    pub wish: Wish,
    /// The claim's token; nothing while it is free.
    pub token: u8,
    /// The fence of the last claim or act.
    pub fence: u8,
    /// The process that claimed it.
    pub owner: u8,
    /// Ticks until its lease ends.
    pub lease: u8,
    /// Whether the last attempt's row has no end.
    pub attempt_open: bool,
    /// Whether that attempt has sent a create: what a bystander counts.
    pub attempt_sent: bool,
    /// Where its issue is, once that is recorded: destination + 1.
    pub receipt: u8,
    /// Where it was seen, as bits.
    pub sightings: u8,
    /// Its stages.
    pub stages: [Stage; STAGES],
    /// Whose claim is the last one: what a bystander knows, and no row says.
    pub holder: Option<Place>,
}

/// How a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Step {
    /// To be done.
    #[default]
    Open,
    /// About to be sent, or sent.
    Sent,
    /// Sent without a usable answer.
    Doubt,
    /// Done.
    Done,
}

/// A row of a stage with the intent on it, and the close of that intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Stage {
    /// How it stands.
    pub step: Step,
    /// The attempt, by its fence.
    pub attempt: u8,
    /// The process that sent.
    pub sender: u8,
    /// To where.
    pub destination: u8,
    /// What.
    pub body: u8,
    /// Whether that was in an earlier boot.
    pub old_boot: bool,
    /// Ticks since it was sent; counted only where a mutant asks.
    pub sent: u8,
    /// Awake ticks since its sender was gone, once that is recorded.
    pub gone: Option<u8>,
}

/// A row of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Lane {
    /// The fence at which it was last served.
    pub served: u8,
    /// Whether its last end was trouble.
    pub failing: bool,
    /// Whether it waits for somebody to sign in.
    pub signed_out: bool,
    /// The credential's revision.
    pub credential: u8,
}

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Process {
    /// Whether it runs at all.
    pub is_up: bool,
    /// Whether it is stopped.
    pub is_stopped: bool,
    /// Its token on leases and intents.
    pub id: u8,
    /// Its drain's claim token.
    pub token: u8,
    /// Claims of its drain so far.
    pub admitted: u8,
    /// Entries that were there when its drain began, as bits.
    pub horizon: u8,
    /// Its workers.
    pub workers: [Worker; WORKERS],
}

/// What a worker is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Phase {
    /// Free.
    #[default]
    Idle,
    /// Has asked for a claim so many ticks ago.
    Asking(u8),
    /// Has an entry, and has read it.
    Held,
    /// Its intent stands.
    Intended,
    /// Its bytes are the kernel's; the answer is waited for.
    Sending,
    /// Has said that it is gone, and is not: a mutant's.
    ClosedEarly,
    /// Has dropped its connection.
    Cancelled,
    /// Has an answer.
    Answered(Answer),
    /// Has read of its issue, and lost its lease.
    Knows,
    /// Looks.
    Looking {
        /// Whether the quiet time had passed when it began.
        ready: bool,
        /// Where it saw it: destination + 1.
        seen: u8,
    },
    /// The look found it there.
    Found(u8),
    /// The look found nothing, and it may be sent again.
    Cleared {
        /// Whether it was a look at all.
        honest: bool,
    },
    /// The look found nothing, and it is too early.
    TooEarly,
    /// The look did not work.
    LookFailed,
    /// Has to give the entry back.
    Aside {
        /// Whether a look has just ended the doubt.
        cleared: bool,
    },
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// Done.
    Created,
    /// Surely not done, for good.
    Refused,
    /// The credential is not taken.
    SignIn,
    /// Nothing left this computer.
    NotSent,
    /// Nobody knows.
    Doubt,
}

/// A worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Worker {
    /// What it is at.
    pub phase: Phase,
    /// Its entry.
    pub entry: u8,
    /// The stage it is at.
    pub ordinal: u8,
    /// Its claim's token.
    pub token: u8,
    /// Its claim's fence.
    pub fence: u8,
    /// Ticks for which it believes in its lease.
    pub trust: u8,
    /// Whether it read that somebody has seen the issue: destination + 1.
    pub knew: u8,
    /// The revision it read.
    pub revision: u8,
    /// The destination it read.
    pub destination: u8,
    /// The credential it uses.
    pub credential: u8,
}

/// Bytes that were given to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// The entry whose key they carry.
    pub entry: u8,
    /// The stage.
    pub ordinal: u8,
    /// To where.
    pub destination: u8,
    /// Whose connection, while it is there.
    pub connection: Option<Place>,
    /// Awake ticks until nothing can come of them, once the connection is gone.
    pub left: u8,
    /// How far they have come.
    pub come: Come,
}

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Come {
    /// On its way, or with the tracker.
    Flying,
    /// Done, and not in the list yet.
    Hidden,
    /// Done, and in the list; its answer may still be read.
    Listed,
}

impl Entry {
    /// Whether a worker may still hold it.
    pub const fn is_leased(&self) -> bool {
        self.token != 0 && self.lease > 0
    }

    /// The stage it has come to.
    pub fn ordinal(&self, stages: u8) -> Option<u8> {
        (0..stages).find(|at| self.stages[usize::from(*at)].step != Step::Done)
    }

    /// Whether its issue is known to exist.
    pub const fn exists(&self) -> bool {
        self.receipt != 0 || self.sightings != 0
    }

    /// Whether its issue has been seen, and nothing says so yet.
    pub fn is_sighted(&self) -> bool {
        self.sightings != 0 && self.stages[0].step != Step::Done
    }

    /// Ends the attempt and gives it back.
    pub const fn end_attempt(&mut self) {
        self.free();
        self.attempt_open = false;
        self.attempt_sent = false;
    }

    /// Gives it back.
    pub const fn free(&mut self) {
        self.token = 0;
        self.owner = 0;
        self.lease = 0;
        self.holder = None;
    }
}

impl Store {
    /// An entry.
    pub const fn entry(&self, entry: u8) -> &Entry {
        &self.entries[entry as usize]
    }

    /// An entry, to be written.
    pub const fn entry_mut(&mut self, entry: u8) -> &mut Entry {
        &mut self.entries[entry as usize]
    }

    /// Whether an entry is older than a restore.
    pub const fn is_outdated(&self, entry: u8) -> bool {
        self.entry(entry).generation < self.generation
    }

    /// Whether a stage of an entry may have happened without anybody knowing.
    pub fn in_doubt(&self, entry: u8, stages: u8) -> bool {
        let row = self.entry(entry);
        let open = &row.stages[..usize::from(stages)];
        open.iter().any(|stage| matches!(stage.step, Step::Sent | Step::Doubt))
            || self.is_outdated(entry) && open.iter().any(|stage| stage.step == Step::Open)
    }

    /// The next fence.
    pub const fn next_fence(&mut self) -> u8 {
        self.fence += 1;
        self.fence
    }
}

impl State {
    /// A worker.
    pub const fn worker(&self, at: Place) -> &Worker {
        &self.processes[at.0 as usize].workers[at.1 as usize]
    }

    /// A worker, to be changed.
    pub const fn worker_mut(&mut self, at: Place) -> &mut Worker {
        &mut self.processes[at.0 as usize].workers[at.1 as usize]
    }

    /// Whether a process can do anything now.
    pub const fn is_running(&self, process: u8) -> bool {
        let process = &self.processes[process as usize];
        process.is_up && !process.is_stopped
    }
}
