//! What leaves this outbox: shown before it does, or saved as files for a person.

use std::path::Path;

use super::Engine;
use crate::issue::{Destination, Issue};
use crate::outbox;
use crate::problem::{Code, Problem, Result};
use crate::tracker::preview::preview;
use crate::tracker::{Cause, CauseKind, keep};
use crate::view::{Preview, PreviewFile, SavedFiles};

impl Engine {
    /// What leaves of a draft if it is filed now. Nobody is asked for it.
    ///
    /// # Errors
    /// `AlreadyFiled`, `NotFound`, or `Refused` while there is nowhere to file it.
    pub fn preview_draft(&self, id: i64) -> Result<Preview> {
        let (issue, destination) = self.0.outbox.would_travel(id)?;
        Ok(shown(&issue, &destination))
    }

    /// What leaves of an entry, or has left. Nobody is asked for it.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn preview_entry(&self, id: i64) -> Result<Preview> {
        let (issue, destination) = self.0.outbox.travels(id, &self.0.clock.now())?;
        Ok(shown(&issue, &destination))
    }

    /// Saves an entry as files in a directory of its own below `folder`, in the shape that a folder's issues have. The entry
    /// stays as it is.
    ///
    /// # Errors
    /// `NotFound`; `Refused` when it is saved there already or nothing can be written there; `DiskFull`.
    pub fn save_as_files(&self, id: i64, folder: &Path) -> Result<SavedFiles> {
        let (issue, _) = self.0.outbox.travels(id, &self.0.clock.now())?;
        let saved = keep::save(folder, self.0.files.dir(), &issue).map_err(not_written)?;
        let path = folder.join(&saved.name).to_string_lossy().into_owned();
        if !saved.is_new {
            return Err(Problem::new(Code::Refused, format!("It is saved there already: {path}."))
                .hint("It stays as it is. Choose another folder, or move that one away first."));
        }
        let files = u32::try_from(saved.files).unwrap_or(u32::MAX);
        Ok(SavedFiles { path, files, missing: saved.missing })
    }
}

fn shown(issue: &Issue, destination: &Destination) -> Preview {
    let leaves = preview(destination, issue);
    let file = |file: crate::tracker::preview::Named| PreviewFile {
        name: file.name,
        media_type: file.media_type,
        size: file.size,
    };
    Preview {
        destination: destination.name.clone(),
        place: outbox::place(destination),
        tracker: destination.tracker,
        title: leaves.title,
        text: leaves.text,
        labels: leaves.labels,
        milestone: leaves.milestone,
        assignees: leaves.assignees,
        files: leaves.files.into_iter().map(file).collect(),
        notes: leaves.notes,
    }
}

fn not_written(cause: Cause) -> Problem {
    let (code, hint) = match cause.kind {
        CauseKind::Local => (Code::DiskFull, "Free some space or choose another folder, and save it again."),
        _ => (Code::Refused, "Choose another folder."),
    };
    Problem::new(code, cause.words).hint(hint).because(cause.detail)
}
