//! The engine's verbs for entries and drains: what windows and outtrayctl call.

use std::time::Duration;

use serde::Serialize;

use super::Engine;
use crate::drainer::Until;
use crate::problem::{Problem, Result};
use crate::view::{Acted, EntryDetails, EntryEdit, EntryState, EntryView};

/// What a drain left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrainReport {
    /// Entries filed by anybody meanwhile.
    pub filed: u32,
    /// Entries that still wait.
    pub left_waiting: u32,
    /// Items that need the person.
    pub attention: u32,
    /// Destinations that were left alone, since this process has no token for them.
    pub without_token: Vec<String>,
}

impl Engine {
    /// The entries in `state`, or all, newest first.
    ///
    /// # Errors
    /// What the store says.
    pub fn entries(&self, state: Option<EntryState>) -> Result<Vec<EntryView>> {
        self.0.outbox.entries(state, &self.0.clock.now())
    }

    /// One entry with everything about it.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn entry(&self, id: i64) -> Result<EntryDetails> {
        self.0.outbox.entry(id, &self.0.clock.now())
    }

    /// Tries now, with a fresh budget and the same key.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn retry(&self, id: i64) -> Result<Acted> {
        self.0.outbox.retry(id, &self.0.clock.now())
    }

    /// Retries everything that waits for the person, a backoff or a probe.
    ///
    /// # Errors
    /// What the store says.
    pub fn retry_all(&self) -> Result<Vec<Acted>> {
        self.0.outbox.retry_all(&self.0.clock.now())
    }

    /// Takes it back.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn withdraw(&self, id: i64) -> Result<Acted> {
        self.0.outbox.withdraw(id, &self.0.clock.now())
    }

    /// Puts it back.
    ///
    /// # Errors
    /// `NotFound`, `OutboxFull` or `Refused`.
    pub fn restore(&self, id: i64) -> Result<Acted> {
        self.0.outbox.restore(id, &self.0.clock.now())
    }

    /// The person says that it is not there: it is sent again.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn resolve_send_again(&self, id: i64) -> Result<Acted> {
        self.0.outbox.resolve_send_again(id, &self.0.clock.now())
    }

    /// Changes its words.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Invalid` without a title, or `Refused`.
    pub fn edit(&self, edit: &EntryEdit) -> Result<Acted> {
        self.0.outbox.edit(edit, &self.0.clock.now())
    }

    /// Sends it to another destination.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn move_to(&self, id: i64, destination: &str) -> Result<Acted> {
        self.0.outbox.move_to(id, destination, &self.0.clock.now())
    }

    /// Pauses one destination, or all work; for some minutes, or until resumed.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn pause(&self, destination: Option<&str>, minutes: Option<u32>) -> Result<()> {
        self.0.outbox.pause(destination, minutes, &self.0.clock.now())
    }

    /// Resumes one destination, or all work.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn resume(&self, destination: Option<&str>) -> Result<()> {
        self.0.outbox.resume(destination)
    }

    /// Runs one drain; or, `until_idle`, drains until nothing is claimable now, waiting up to the deadline for backoffs,
    /// looks, quiet times and rate limits.
    ///
    /// # Errors
    /// What the store says.
    pub async fn drain(&self, until_idle: bool, deadline: Option<Duration>) -> Result<DrainReport> {
        let now = self.0.clock.now().boot_ms;
        let wait_ms = deadline.map_or(0, |wait| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        let filed = || {
            Ok::<_, Problem>(u32::try_from(self.entries(Some(EntryState::Filed))?.len()).unwrap_or(u32::MAX))
        };
        let before = filed()?;
        let until = if until_idle { Until::IdleBy(now.saturating_add(wait_ms)) } else { Until::OneDrain };
        self.0.drainer.run(until).await?;
        let status = self.status()?;
        Ok(DrainReport {
            filed: filed()? - before,
            left_waiting: status.waiting,
            attention: status.attention,
            without_token: self.0.outbox.names(&self.0.drainer.without_token())?,
        })
    }

    /// Drains until the entry is no longer waiting, or the deadline has come. Returns its state.
    ///
    /// # Errors
    /// `NotFound`, or what the store says.
    pub async fn wait_for(&self, id: i64, deadline: Option<Duration>) -> Result<EntryState> {
        let mut changes = self.0.outbox.store().changes();
        let settled = async {
            loop {
                changes.mark_unchanged();
                let state = self.entry(id)?.entry.state;
                if state != EntryState::Waiting || changes.changed().await.is_err() {
                    return Ok::<_, Problem>(state);
                }
            }
        };
        let far = Duration::from_secs(365 * 24 * 3600);
        let wait_ms = i64::try_from(deadline.unwrap_or(far).as_millis()).unwrap_or(i64::MAX);
        let until_ms = self.0.clock.now().boot_ms.saturating_add(wait_ms);
        // The run is the engine's and not this call's: what is in flight when the entry is settled, or the deadline has
        // come, ends by itself or at `stop`. Were it dropped here, every other entry in flight would be in doubt.
        let drained = async {
            match self.drain_by(until_ms) {
                Some(run) => {
                    if let Ok(Err(problem)) = run.await {
                        return Err(problem);
                    }
                    // Nothing is left to do here; another process may still be at it.
                    if deadline.is_some() {
                        std::future::pending::<()>().await;
                    }
                }
                None => std::future::pending().await,
            }
            Ok(())
        };
        tokio::select! {
            state = settled => return state,
            drained = drained => drained?,
            () = self.0.clock.sleep_until(until_ms) => {}
        }
        Ok(self.entry(id)?.entry.state)
    }

    /// Starts a run that ends when nothing is left to do by then, unless one is there already.
    fn drain_by(&self, until_ms: i64) -> Option<tokio::sync::oneshot::Receiver<Result<()>>> {
        let mut draining = super::lock(&self.0.draining);
        if draining.is_some() {
            return None;
        }
        let (over, run) = tokio::sync::oneshot::channel();
        let drainer = self.0.drainer.clone();
        *draining = Some(tokio::spawn(async move {
            // Nobody may be waiting any more.
            let _left = over.send(drainer.run(Until::IdleBy(until_ms)).await);
        }));
        Some(run)
    }
}
