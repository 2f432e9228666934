//! Time that moves when the history moves it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use outtray_core::clock::{Clock, Now};
use tokio::sync::Notify;

/// One machine's clocks, and who sleeps by them.
#[derive(Clone)]
pub(crate) struct SimClock(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    moved: Notify,
}

struct State {
    now: Now,
    /// Time as the rest of the world has it: it never jumps and never starts over.
    world_ms: i64,
    /// For how long the machine has been awake in all, over every boot.
    awake_total_ms: i64,
    sleepers: BTreeSet<(i64, u64)>,
    next: u64,
}

impl SimClock {
    pub(crate) fn new() -> Self {
        let now = Now {
            wall_ms: 1_800_000_000_000,
            boot_ms: 3_600_000,
            awake_ms: 3_600_000,
            boot_id: "boot-1".into(),
        };
        Self(Arc::new(Inner {
            state: Mutex::new(State {
                now,
                world_ms: 0,
                awake_total_ms: 0,
                sleepers: BTreeSet::new(),
                next: 0,
            }),
            moved: Notify::new(),
        }))
    }

    /// The earliest moment, on the boot clock, that somebody sleeps until.
    pub(crate) fn next_timer(&self) -> Option<i64> {
        self.lock().sleepers.first().map(|(at, _)| *at)
    }

    /// Rises whenever somebody goes to sleep.
    pub(crate) fn stirred(&self) -> u64 {
        self.lock().next
    }

    pub(crate) fn world_ms(&self) -> i64 {
        self.lock().world_ms
    }

    pub(crate) fn awake_total_ms(&self) -> i64 {
        self.lock().awake_total_ms
    }

    /// Lets time pass on all clocks.
    pub(crate) fn advance(&self, ms: i64) {
        self.change(|state| {
            state.now.wall_ms += ms;
            state.now.boot_ms += ms;
            state.now.awake_ms += ms;
            state.world_ms += ms;
            state.awake_total_ms += ms;
        });
    }

    /// Lets the machine sleep.
    pub(crate) fn suspend(&self, ms: i64) {
        self.change(|state| {
            state.now.wall_ms += ms;
            state.now.boot_ms += ms;
            state.world_ms += ms;
        });
    }

    /// Starts the machine again.
    pub(crate) fn reboot(&self, boot: u32) {
        const TAKES_MS: i64 = 20_000;
        self.change(|state| {
            state.now.wall_ms += TAKES_MS;
            state.now.boot_ms = 4_000;
            state.now.awake_ms = 4_000;
            state.now.boot_id = format!("boot-{boot}").into();
            state.world_ms += TAKES_MS;
            state.awake_total_ms += 4_000;
        });
    }

    /// Sets the wall clock, as a person or a time server may.
    pub(crate) fn jump(&self, ms: i64) {
        self.change(|state| state.now.wall_ms += ms);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.0.moved.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for SimClock {
    fn now(&self) -> Now {
        self.lock().now.clone()
    }

    async fn sleep_until(&self, boot_ms: i64) {
        let _sleeper = Sleeper::new(self.clone(), boot_ms);
        loop {
            let moved = self.0.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            if self.now().boot_ms >= boot_ms {
                return;
            }
            moved.await;
        }
    }
}

/// Somebody who sleeps, for as long as their future lives.
struct Sleeper {
    clock: SimClock,
    entry: (i64, u64),
}

impl Sleeper {
    fn new(clock: SimClock, at: i64) -> Self {
        let entry = {
            let mut state = clock.lock();
            state.next += 1;
            let entry = (at, state.next);
            state.sleepers.insert(entry);
            entry
        };
        Self { clock, entry }
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.entry);
    }
}
