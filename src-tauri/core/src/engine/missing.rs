//! Files that a tracker did not take: shown to the person, tried again, or left.

use std::path::PathBuf;

use super::Engine;
use crate::problem::{Code, Problem, Result};
use crate::view::Acted;

impl Engine {
    /// Lays the files out that the tracker of a filed issue did not take, under their own names, and returns the folder:
    /// from there a person can drag them to the tracker's page.
    ///
    /// # Errors
    /// `NotFound`, `Refused` when it lacks none, or what the disk says.
    pub fn lay_out_missing(&self, id: i64) -> Result<PathBuf> {
        let key = self.entry(id)?.entry.key.to_string();
        let missing = self.0.outbox.missing(id)?;
        if missing.is_empty() {
            return Err(Problem::new(Code::Refused, "It lacks no file.").hint("Open it at the tracker."));
        }
        let files: Vec<_> = missing.iter().map(|file| (file.file.as_str(), file.name.as_str())).collect();
        self.0.files.lay_out(&key, &files)
    }

    /// Leaves an issue filed without the files that its tracker did not take.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn leave_at_that(&self, id: i64) -> Result<Acted> {
        let left = self.0.outbox.leave_at_that(id, &self.0.clock.now())?;
        // It is left all the same; the next start takes away what stays.
        if let Err(problem) = self.take_away_layouts() {
            tracing::warn!(problem = problem.chain(), "files that were laid out could not be taken away");
        }
        Ok(left)
    }

    /// Takes away what was laid out and nobody needs any more.
    pub(super) fn take_away_layouts(&self) -> Result<()> {
        let laid = self.0.files.laid_out()?;
        if laid.is_empty() {
            return Ok(());
        }
        let needed = self.0.outbox.incomplete()?;
        laid.iter().filter(|key| !needed.contains(key)).try_for_each(|key| self.0.files.take_away(key))
    }
}
