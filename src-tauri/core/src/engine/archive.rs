//! The engine's verbs for one file that an outbox travels in. What is attached lies beside the store before its rows do, and
//! goes with them if they cannot be written.

use std::path::Path;

use serde::Serialize;
use ts_rs::TS;

use super::Engine;
use crate::archive::{Kind, Manifest, Reader, Target, Writer};
use crate::capture::Kept;
use crate::issue::TrackerKind;
use crate::outbox::{Names, Snapshot};
use crate::problem::{Code, Problem, Result};
use crate::secrets::{from_environment, variable};
use crate::view::{Acted, EntryState, NewDestination};

/// How long what is being sent may take to end before a move is given up.
const PATIENCE_MS: i64 = 150_000;

/// What an export came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "archive.ts")]
pub struct Exported {
    /// Copy or move.
    pub kind: Kind,
    /// Entries that are in it, in whatever state.
    pub entries: u32,
    /// Of those, entries that are not filed yet; in a move, they are filed here no more.
    pub unfiled: u32,
    /// Drafts that are in it.
    pub drafts: u32,
    /// Attachments whose bytes are in it.
    pub files: u32,
    /// Attachments that were not on the disk any more, or not as they had been.
    pub missing: u32,
}

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "archive.ts")]
pub struct Imported {
    /// Copy or move.
    pub kind: Kind,
    /// Entries that came.
    pub entries: u32,
    /// Of those, copies that are held until somebody releases them.
    pub held: u32,
    /// Entries and drafts that were here already.
    pub already: u32,
    /// Entries that had gone from here, and are back.
    pub put_back: u32,
    /// Drafts that came.
    pub drafts: u32,
    /// Destinations that were not here, and have no token yet.
    pub destinations: Vec<Added>,
}

/// A destination that came with an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "archive.ts")]
pub struct Added {
    /// What it is called here.
    pub name: String,
    /// "Gitea, ada/demo on git.example.org".
    pub words: String,
    /// Whether it is paused until somebody has seen where it points.
    pub paused: bool,
    /// Whether it waits for a sign-in.
    pub needs_sign_in: bool,
}

impl Engine {
    /// Writes the whole outbox into one file. A move gives away what is not filed, once the file is safe on the disk.
    ///
    /// # Errors
    /// `Refused` when the file is there already, or something is being sent that is to move; `Stale` when the outbox changes
    /// meanwhile; or what the disk or the store says. Nothing is given away then, and no file is there.
    pub fn export(&self, path: &Path, kind: Kind, replace: bool) -> Result<Exported> {
        let target = Target::new(path, replace)?;
        let mut snapshot = self.0.outbox.snapshot(kind, &self.0.first_folder, &self.0.clock.now())?;
        let missing = self.number_files(&mut snapshot);
        let count = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
        let exported = Exported {
            kind,
            entries: count(snapshot.manifest.entries.len()),
            unfiled: count(snapshot.manifest.entries.iter().filter(|entry| is_live(entry.state)).count()),
            drafts: count(snapshot.manifest.drafts.len()),
            files: count(snapshot.manifest.files().count()),
            missing: count(missing),
        };
        let mut writer = Writer::begin(target, &snapshot.manifest)?;
        for (attachment, file) in snapshot.manifest.attachments().zip(&snapshot.files) {
            if attachment.file.is_some() {
                writer.add(attachment.size, &attachment.sha256, self.0.files.open_file(file)?)?;
            }
        }
        writer.finish()?;
        if kind == Kind::Copy {
            writer.place()?;
            return Ok(exported);
        }
        // Given away before the file can be found under its name: no moment at which both would file it.
        self.0.outbox.set_out(&snapshot, &self.0.clock.now())?;
        if let Err(problem) = writer.place() {
            self.0.outbox.call_back(&snapshot, &self.0.clock.now())?;
            return Err(problem);
        }
        match self.0.outbox.has_gone(&snapshot) {
            Ok(files) => files.iter().for_each(|file| drop(self.0.files.erase(file))),
            // It has gone all the same; only the words on its rows are those of a move that was cut off.
            Err(problem) => tracing::warn!(problem = problem.chain(), "what has moved could not be told so"),
        }
        Ok(exported)
    }

    /// Moves the whole outbox into one file. All work is paused for that, and what is being sent may end; afterwards work
    /// goes on as before, whatever came of it.
    ///
    /// # Errors
    /// As of [`Engine::export`].
    pub async fn move_away(&self, path: &Path) -> Result<Exported> {
        let was_paused = self.status()?.paused;
        if !was_paused {
            self.pause(None, None)?;
        }
        let moved = self.move_once_quiet(path).await;
        if !was_paused {
            self.0.outbox.resume_work()?;
        }
        moved
    }

    async fn move_once_quiet(&self, path: &Path) -> Result<Exported> {
        let mut attention = self.attention();
        let given_up_ms = self.0.clock.now().boot_ms + PATIENCE_MS;
        loop {
            attention.mark_unchanged();
            let (engine, to) = (self.clone(), path.to_owned());
            let moved = tokio::task::spawn_blocking(move || engine.export(&to, Kind::Move, true))
                .await
                .map_err(|error| Problem::new(Code::Internal, "The export broke off.").because(error))?;
            let is_sending = self.status()?.sending > 0;
            match moved {
                Err(problem) if is_sending && matches!(problem.code, Code::Refused | Code::Stale) => {
                    tokio::select! {
                        _ = attention.changed() => {}
                        () = self.0.clock.sleep_until(given_up_ms) => return Err(problem),
                    }
                }
                moved => return moved,
            }
        }
    }

    /// Says which attachments come along: those that are on the disk as they were attached. Returns how many do not.
    fn number_files(&self, snapshot: &mut Snapshot) -> usize {
        let (mut number, mut missing) = (0, 0);
        for (attachment, file) in snapshot.manifest.attachments_mut().zip(&snapshot.files) {
            match self.0.files.digest(file) {
                Ok((size, sha256)) if size == attachment.size && sha256 == attachment.sha256 => {
                    number += 1;
                    attachment.file = Some(number);
                }
                _ => missing += 1,
            }
        }
        missing
    }

    /// Takes in what an archive holds, whole or not at all. What is here already stays as it is.
    ///
    /// # Errors
    /// `NotFound`, `TooNew`, or `Invalid` for what is no archive of ours, `OutboxFull`, or what the disk or the store says.
    pub fn import(&self, path: &Path) -> Result<Imported> {
        let mut reader = Reader::open(path)?;
        read_places(&mut reader.manifest)?;
        let mut kept: Vec<Kept> = Vec::new();
        let imported = self.import_with(&reader, &mut kept);
        // Of what was here already, a second copy lies beside the store now; of what could not be written, the first.
        self.erase_unnamed(&kept);
        imported
    }

    fn import_with(&self, reader: &Reader, kept: &mut Vec<Kept>) -> Result<Imported> {
        reader.each(|attachment, source| {
            let copy = self.0.files.keep_from(&attachment.name, source)?;
            let facts = (copy.size, copy.sha256.clone());
            kept.push(copy);
            Ok(facts)
        })?;
        let mut copies = kept.iter();
        let in_order: Vec<Option<Kept>> = reader
            .manifest
            .attachments()
            .map(|attachment| attachment.file.and_then(|_| copies.next().cloned()))
            .collect();
        let names = Names { variable, has_token: |name| from_environment(name).is_some() };
        let now = self.0.clock.now();
        let first_folder = &self.0.first_folder;
        let arrived = self.0.outbox.import(&reader.manifest, &in_order, first_folder, names, &now)?;
        for file in &arrived.litter {
            self.0.files.erase(file)?;
        }
        let added = |place: crate::outbox::NewPlace| Added {
            name: place.name,
            words: place.words,
            paused: place.paused,
            needs_sign_in: place.needs_sign_in,
        };
        Ok(Imported {
            kind: reader.manifest.kind,
            entries: arrived.entries,
            held: arrived.held,
            already: arrived.already,
            put_back: arrived.put_back,
            drafts: arrived.drafts,
            destinations: arrived.destinations.into_iter().map(added).collect(),
        })
    }

    /// Releases every copy that is held.
    ///
    /// # Errors
    /// What the store says.
    pub fn release_copies(&self) -> Result<Vec<Acted>> {
        self.0.outbox.release_copies(&self.0.clock.now())
    }
}

const fn is_live(state: EntryState) -> bool {
    matches!(state, EntryState::Waiting | EntryState::Attention)
}

/// Reads the archive's destinations as if a person had typed them.
fn read_places(manifest: &mut Manifest) -> Result<()> {
    for place in &mut manifest.destinations {
        let is_first_folder = place.tracker == TrackerKind::Folder && place.path.is_none();
        let new = NewDestination {
            name: place.name.clone(),
            tracker: place.tracker,
            url: place.url.clone(),
            project: place.project.clone(),
            path: if is_first_folder { Some("/".to_owned()) } else { place.path.clone() },
            branch: place.branch.clone(),
            honours_key: place.honours_key,
            ca: None,
        };
        let read = super::typed::read(&new).map_err(|problem| {
            Problem::new(
                Code::Invalid,
                format!("This archive has a destination that cannot be: {}", problem.message),
            )
            .hint("Nothing was imported. Export it anew, and copy the file once more.")
        })?;
        place.name = read.name;
        (place.url, place.project, place.branch) = (read.url, read.project, read.branch);
    }
    Ok(())
}
