//! The service that issues are filed to: the practice tracker, for tests that do not want to be `async`.

use outtray_support::{Dialect, Issue, Logged, PracticeTracker, Project, Route, What};
use tokio::runtime::Runtime;

/// A tracker that can be switched off and on like a network, and misbehaves on request.
pub struct Tracker {
    practice: PracticeTracker,
    runtime: Runtime,
}

/// What a PNG says of itself at its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl Picture {
    /// Reads the head of a PNG.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let head = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
        let number = |at: usize| Some(u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?));
        Some(Self { width: number(0)?, height: number(4)? })
    }
}

impl Tracker {
    /// A tracker that does not answer yet.
    pub fn offline() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("threads can be had");
        let practice = runtime.block_on(PracticeTracker::asleep()).expect("there are free ports");
        Self { practice, runtime }
    }

    /// A tracker that answers.
    pub fn online() -> Self {
        let mut tracker = Self::offline();
        tracker.wake();
        tracker
    }

    /// A tracker that answers as another one.
    pub fn online_as(dialect: Dialect) -> Self {
        let tracker = Self::online();
        tracker.practice.answer_as(dialect);
        tracker
    }

    /// Sets the project up otherwise.
    pub fn change(&self, change: impl FnOnce(&mut Project)) {
        self.practice.change(change);
    }

    /// Answers from now on.
    pub fn wake(&mut self) {
        self.runtime.block_on(self.practice.wake()).expect("the port is still free");
    }

    /// Refuses connections from now on; keeps what it has.
    pub fn stop(&mut self) {
        self.runtime.block_on(self.practice.stop());
    }

    /// Misbehaves on the next requests of a kind.
    pub fn misbehave(&self, on: Route, what: What, times: u32) {
        self.practice.faults(on, what, times);
    }

    /// Behaves again.
    pub fn behave(&self) {
        self.practice.clear_faults();
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.practice.url()
    }

    /// The token it takes.
    pub fn token(&self) -> String {
        self.practice.token()
    }

    /// All issues, with their attachments.
    pub fn issues(&self) -> Vec<Issue> {
        self.practice.issues()
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Logged> {
        self.practice.requests()
    }
}
