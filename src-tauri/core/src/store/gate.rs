//! The gate before the write lock: the threads of one process take turns here, and wake each other. SQLite would have
//! them wait by sleeping, for milliseconds at a time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Gate {
    taken: Mutex<bool>,
    free: Condvar,
}

/// The turn of one thread; dropping it lets the next one through.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Gate);

impl Gate {
    /// Takes the turn if nobody has it.
    pub(super) fn try_enter(&self) -> Option<Turn<'_>> {
        self.enter(Duration::ZERO)
    }

    /// Waits for its turn, as long as the patience lasts.
    pub(super) fn enter(&self, patience: Duration) -> Option<Turn<'_>> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut taken, _) = self
            .free
            .wait_timeout_while(taken, patience, |taken| *taken)
            .unwrap_or_else(PoisonError::into_inner);
        if *taken {
            return None;
        }
        *taken = true;
        Some(Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.free.notify_one();
    }
}
