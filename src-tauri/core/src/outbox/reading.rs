//! Entries, to be shown.

use super::{Outbox, acts::no_entry, show, table};
use crate::clock::{Now, Stamp};
use crate::issue::{Destination, Issue, StageKind};
use crate::problem::Result;
use crate::view::{EntryDetails, EntryState, EntryView, StageView};

impl Outbox {
    /// The entries in `state`, or all, newest first.
    ///
    /// # Errors
    /// What the store says.
    pub fn entries(&self, state: Option<EntryState>, now: &Now) -> Result<Vec<EntryView>> {
        let facts = self.store().read(|tx| Ok(table::facts::list(tx, state, now)?))?;
        Ok(facts.into_iter().map(show::view).collect())
    }

    /// One entry with everything about it.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn entry(&self, id: i64, now: &Now) -> Result<EntryDetails> {
        self.store().read(|tx| {
            let facts = table::facts::get(tx, id, now)?.ok_or_else(|| no_entry(id))?;
            let tracker = facts.tracker;
            let (text, revision) = table::facts::text(tx, id)?;
            let mut upload = 0;
            let stages = table::facts::stages(tx, id)?
                .into_iter()
                .map(|stage| {
                    upload += u32::from(stage.kind == StageKind::Upload);
                    StageView {
                        kind: stage.kind,
                        words: show::stage_words(stage.kind, upload, tracker),
                        state: stage.state,
                        at: stage.at_ms.map(|at| Stamp::of(at).0),
                        missing: stage.missing,
                    }
                })
                .collect();
            let files = table::rows::attachments(tx, "entry", id)?;
            Ok(EntryDetails {
                entry: show::view(facts),
                revision,
                body: text.body,
                labels: text.labels,
                milestone: text.milestone,
                assignees: text.assignees,
                stages,
                tries: table::facts::attempts(tx, id)?,
                files: files.iter().map(super::drafts::attachment_view).collect(),
            })
        })
    }

    /// An entry as it travels, and where to.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn travels(&self, id: i64, now: &Now) -> Result<(Issue, Destination)> {
        self.store().read(|tx| {
            table::facts::get(tx, id, now)?.ok_or_else(|| no_entry(id))?;
            Ok(table::work::issue_for(tx, id, table::act::destination(tx, id)?)?)
        })
    }
}
