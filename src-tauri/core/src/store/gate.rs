//! The gate before the write lock: the threads of one process take turns here, and wake each other. SQLite would have
//! them wait by sleeping, for milliseconds at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    free: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: bool,
    /// Those of the waiting that may be handed what another has begun.
    heirs: u32,
}

/// The turn of one thread; dropping it lets the next one through.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    gate: &'a Gate,
    is_held: bool,
}

impl Gate {
    /// Takes the turn if nobody has it.
    pub(super) fn try_enter(&self) -> Option<Turn<'_>> {
        self.enter(Duration::ZERO, false)
    }

    /// Waits for the turn, as long as the patience lasts. An `heir` may be handed what another has begun, until the moment
    /// it gives up.
    pub(super) fn enter(&self, patience: Duration, heir: bool) -> Option<Turn<'_>> {
        let mut state = self.lock();
        state.heirs += u32::from(heir);
        let waited = self.free.wait_timeout_while(state, patience, |state| state.taken);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.heirs -= u32::from(heir);
        if state.taken {
            return None;
        }
        state.taken = true;
        Some(Turn { gate: self, is_held: true })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Turn<'a> {
    /// Lets the next one through if there surely is an heir: it was waiting when the turn became free, so it takes it, or
    /// somebody else who was quicker. Otherwise the turn stays.
    pub(super) fn pass_on(mut self) -> Result<(), Turn<'a>> {
        // In one go: whoever is waiting cannot give up any more without finding the turn free.
        let mut state = self.gate.lock();
        if state.heirs == 0 {
            drop(state);
            return Err(self);
        }
        state.taken = false;
        drop(state);
        self.is_held = false;
        self.gate.free.notify_one();
        Ok(())
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_held {
            self.gate.lock().taken = false;
            self.gate.free.notify_one();
        }
    }
}
