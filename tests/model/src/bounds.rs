//! How far one run of the model goes: what there is, and how often each fault may happen.

/// What may go wrong, or be done by a person. Each happens as often as its bound says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A process is killed.
    Kill,
    /// A process is stopped.
    Stop,
    /// The machine sleeps.
    Sleep,
    /// The power goes.
    Cut,
    /// A process drops its workers in the middle of their work and lives on.
    Drop,
    /// A worker panics.
    Panic,
    /// A process says goodbye.
    Leave,
    /// A look gets no usable answer.
    LookFails,
    /// An answer is lost on its way.
    AnswerLost,
    /// The tracker refuses for good.
    Refused,
    /// The tracker does not take the credential.
    SignInRefused,
    /// Nothing could be sent.
    NotSent,
    /// A person acts on an entry.
    Act,
    /// A person signs in with a new credential.
    SignIn,
    /// The store is copied, and later put back.
    Backup,
}

/// How many kinds of fault there are.
pub const FAULTS: usize = 15;

/// One run's bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Processes, at most two.
    pub processes: u8,
    /// Workers a process, at most three.
    pub workers: u8,
    /// Entries that are there at the beginning.
    pub entries: u8,
    /// Entries that come later.
    pub later: u8,
    /// The lane of each entry.
    pub lane_of: [u8; 3],
    /// Lanes, at most two.
    pub lanes: u8,
    /// Stages an entry, at most two: create, and an upload.
    pub stages: u8,
    /// A lease, in ticks.
    pub lease: u8,
    /// The trust window, in ticks; shorter than the lease.
    pub trust: u8,
    /// Quiet time, in ticks.
    pub quiet: u8,
    /// Tries before an entry needs a person.
    pub tries: u8,
    /// Crashes before an entry needs a person.
    pub crashes: u8,
    /// Claims a drain; nothing where drains are not looked at.
    pub admission: u8,
    /// Whether a worker that runs does what is next before time passes, so that only who is stopped, or sleeps, is late.
    pub prompt: bool,
    /// Whether the answer to a claim may come late.
    pub slow: bool,
    /// Whether what is committed may be missing from the listing for its quiet time.
    pub lag: bool,
    /// Whether the listing may hide an issue for ever: a tracker that breaks its promise.
    pub lies: bool,
    /// The processes that have no credential for the second lane, as bits.
    pub without_credential: u8,
    /// What a person may do.
    pub asks: &'static [crate::step::Ask],
    /// How often each fault may happen.
    pub faults: [u8; FAULTS],
}

impl Bounds {
    /// So many processes with so many workers each, and so many entries; no faults, and nothing lost but time.
    pub const fn new(processes: u8, workers: u8, entries: u8) -> Self {
        Self {
            processes,
            workers,
            entries,
            later: 0,
            lane_of: [0; 3],
            lanes: 1,
            stages: 1,
            lease: 2,
            trust: 1,
            quiet: 1,
            tries: 2,
            crashes: 2,
            admission: 0,
            prompt: false,
            slow: false,
            lag: false,
            lies: false,
            without_credential: 0,
            asks: &[],
            faults: [0; FAULTS],
        }
    }

    /// The same, with a fault as often as `times`.
    #[must_use]
    pub const fn with(mut self, fault: Fault, times: u8) -> Self {
        self.faults[fault as usize] = times;
        self
    }

    /// The same, with a person who may act so often.
    #[must_use]
    pub const fn acting(mut self, asks: &'static [crate::step::Ask], times: u8) -> Self {
        self.asks = asks;
        self.with(Fault::Act, times)
    }
}
