//! The thread that alone talks to the keyring, one call after the other, and the patience of those who ask.
//!
//! A call that hangs cannot be cancelled. Whoever gave up on it leaves a note with its number; until the clerk is
//! through with that number, others are refused at once instead of queueing behind it. A call whose asker has left
//! before it began is dropped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::vault::{Refusal, Vault};

type Call = Box<dyn FnOnce(&mut dyn Vault) + Send>;

pub(crate) struct Clerk {
    calls: Mutex<Calls>,
    progress: Arc<Progress>,
    limit: Duration,
}

struct Calls {
    /// Until the first call comes; a command that needs no token starts no thread.
    vault: Option<Box<dyn Vault>>,
    desk: Option<Sender<(u64, Call)>>,
    last: u64,
}

#[derive(Default)]
struct Progress {
    /// The last call that is over.
    finished: AtomicU64,
    /// The last call that somebody gave up on.
    given_up: AtomicU64,
}

impl Clerk {
    pub(crate) fn new(vault: Box<dyn Vault>, limit: Duration) -> Self {
        let calls = Calls { vault: Some(vault), desk: None, last: 0 };
        Self { calls: Mutex::new(calls), progress: Arc::default(), limit }
    }

    /// Has the clerk do `act`, and waits for the answer as long as is decent.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut dyn Vault) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        if self.progress.given_up.load(Ordering::SeqCst) > self.progress.finished.load(Ordering::SeqCst) {
            return Err(Refusal::Silent);
        }
        let (reply, answer) = oneshot::channel();
        let number = self.hand_in(Box::new(move |vault| {
            if !reply.is_closed() {
                // Nobody may be waiting any more.
                let _left = reply.send(act(vault));
            }
        }))?;
        match tokio::time::timeout(self.limit, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Refusal::Other("the keyring's thread ended".to_owned())),
            Err(_) => {
                self.progress.given_up.fetch_max(number, Ordering::SeqCst);
                tracing::warn!("the keyring does not answer");
                Err(Refusal::Silent)
            }
        }
    }

    fn hand_in(&self, call: Call) -> Result<u64, Refusal> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vault) = calls.vault.take() {
            calls.desk = Some(start(vault, Arc::clone(&self.progress))?);
        }
        calls.last += 1;
        let number = calls.last;
        calls
            .desk
            .as_ref()
            .and_then(|desk| desk.send((number, call)).ok())
            .ok_or_else(|| Refusal::Other("the keyring's thread ended".to_owned()))?;
        Ok(number)
    }
}

/// Starts the thread. It ends with the clerk's last call; one that hangs is left behind when the process ends.
fn start(mut vault: Box<dyn Vault>, progress: Arc<Progress>) -> Result<Sender<(u64, Call)>, Refusal> {
    let (desk, calls) = channel::<(u64, Call)>();
    std::thread::Builder::new()
        .name("keyring".to_owned())
        .spawn(move || {
            for (number, call) in calls {
                call(vault.as_mut());
                progress.finished.store(number, Ordering::SeqCst);
            }
        })
        .map_err(|error| Refusal::Other(error.to_string()))?;
    Ok(desk)
}
