//! An outbox on its way out: read in one snapshot; and, when it moves, given away once it lies safe in its archive.

use std::collections::HashMap;

use super::{Outbox, table};
use crate::archive::{FORMAT, Kind, Manifest, Place};
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::TrackerKind;
use crate::problem::{Code, Problem, Result};
use crate::store::{Durability, Ring, Transaction};
use crate::view::EntryState;
use table::export::{DraftOut, Out, is_open};
use table::import::Setting;

/// An outbox as it was at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// What is written down. Which of its attachments come along is for the caller to say.
    pub manifest: Manifest,
    /// Where the bytes of its attachments lie, in the order of the manifest.
    pub files: Vec<String>,
    entries: Vec<Out>,
    drafts: Vec<DraftOut>,
}

impl Outbox {
    /// Reads everything that an archive holds. `first_folder` is the folder that every outbox begins with.
    ///
    /// # Errors
    /// `Refused` for a move while something is being sent, or what the store says.
    pub fn snapshot(&self, kind: Kind, first_folder: &str, now: &Now) -> Result<Snapshot> {
        let (places, entries, drafts) = self.store().read(|tx| {
            let (places, numbers) = places(tx, first_folder)?;
            let place = |id: i64| numbers.get(&id).copied().unwrap_or(usize::MAX);
            let mut entries = Vec::new();
            for id in table::export::entries(tx)? {
                entries.extend(table::export::entry(tx, id, &place, now)?);
            }
            let drafts = table::export::drafts(tx, &place)?;
            Ok((places, entries, drafts))
        })?;
        if kind == Kind::Move {
            refuse_in_hand(&entries)?;
        }
        let manifest = Manifest {
            format: FORMAT,
            kind,
            store: self.store().id().to_owned(),
            made_at_ms: now.wall_ms,
            destinations: places,
            entries: entries.iter().map(|out| written(kind, out)).collect(),
            drafts: drafts.iter().map(|out| out.draft.clone()).collect(),
        };
        let of_entries = entries.iter().flat_map(|out| out.files.clone());
        let files = of_entries.chain(drafts.iter().flat_map(|out| out.files.clone())).collect();
        Ok(Snapshot { manifest, files, entries, drafts })
    }

    /// Gives away what an archive holds that is whole and on the disk: nobody files it here any more. Should it be put back,
    /// it is looked for first. Returns how many entries that were to be filed.
    ///
    /// # Errors
    /// `Stale` when something has changed since it was read: then nothing is given away.
    pub fn set_out(&self, snapshot: &Snapshot, now: &Now) -> Result<u32> {
        self.store().write("set_out", Durability::Full, Ring::Everybody, |tx| {
            let places: HashMap<i64, usize> = numbers(&table::export::destinations(tx)?);
            let place = |id: i64| places.get(&id).copied().unwrap_or(usize::MAX);
            let generation = table::elsewhere::begin(tx)?;
            let mut given = 0;
            for out in snapshot.entries.iter().filter(|out| is_open(out)) {
                let current = table::export::entry(tx, out.id, &place, now)?;
                if current.as_ref() != Some(out) && !mistake("give_away_what_changed") {
                    return Err(changed());
                }
                if matches!(out.entry.state, EntryState::Waiting | EntryState::Attention) {
                    table::act::withdraw(tx, out.id, now)?;
                    table::elsewhere::set_out(tx, out.id)?;
                    given += 1;
                } else if out.is_moving {
                    given += 1;
                }
                table::elsewhere::doubt(tx, out.id, &generation, true, now.wall_ms, now)?;
            }
            let drafts = table::export::drafts(tx, &place)?;
            for out in &snapshot.drafts {
                if !drafts.contains(out) {
                    return Err(changed());
                }
                table::elsewhere::mark_draft(tx, out.id, now.wall_ms)?;
            }
            Ok(given)
        })
    }

    /// The archive lies in its place: what it holds has gone. Returns the files of drafts, to erase.
    ///
    /// # Errors
    /// What the store says; then everything stays as it was given away, which is safe.
    pub fn has_gone(&self, snapshot: &Snapshot) -> Result<Vec<String>> {
        self.store().write("has_gone", Durability::Full, Ring::Everybody, |tx| {
            for out in snapshot.entries.iter().filter(|out| is_open(out)) {
                table::elsewhere::has_gone(tx, out.id)?;
            }
            let mut files = Vec::new();
            for out in &snapshot.drafts {
                let as_it_went = table::draft::get(tx, out.id)?.is_some_and(|draft| {
                    let (now, then) = (draft, &out.draft);
                    now.title == then.title
                        && now.body == then.body
                        && now.labels == then.labels
                        && now.milestone == then.milestone
                        && now.assignees == then.assignees
                        && now.attachments.len() == then.attachments.len()
                });
                if as_it_went {
                    files.extend(table::draft::delete(tx, out.id)?);
                }
            }
            Ok(files)
        })
    }

    /// The archive could not be put in its place: what was given away comes back.
    ///
    /// # Errors
    /// What the store says; then the person can put it back.
    pub fn call_back(&self, snapshot: &Snapshot, now: &Now) -> Result<()> {
        self.store().write("call_back", Durability::Full, Ring::Everybody, |tx| {
            let places: Vec<i64> =
                table::export::destinations(tx)?.iter().map(|(place, _)| place.id).collect();
            let setting = Setting {
                places: &places,
                generation: &table::elsewhere::begin(tx)?,
                anywhere: true,
                made_at_ms: now.wall_ms,
            };
            for out in &snapshot.entries {
                if matches!(out.entry.state, EntryState::Waiting | EntryState::Attention)
                    && table::import::here(tx, out.entry.key)?.is_some_and(|here| here.has_gone)
                {
                    let arrival = super::arrival::arrival(Kind::Move, &out.entry);
                    table::import::put_back(tx, out.id, &out.entry, &arrival, &setting, now)?;
                }
            }
            Ok(())
        })
    }
}

/// The destinations as an archive has them, and where each stands.
fn places(tx: &Transaction<'_>, first_folder: &str) -> Result<(Vec<Place>, HashMap<i64, usize>)> {
    let found = table::export::destinations(tx)?;
    let numbers = numbers(&found);
    let place = |(destination, removed): (crate::issue::Destination, bool)| Place {
        // The first folder is somewhere else on another computer.
        path: destination.path.filter(|path| path != first_folder),
        name: destination.name,
        tracker: destination.tracker,
        url: destination.url,
        project: destination.project,
        branch: destination.branch,
        honours_key: destination.honours_key && destination.tracker == TrackerKind::Webhook,
        removed,
    };
    Ok((found.into_iter().map(place).collect(), numbers))
}

fn numbers(destinations: &[(crate::issue::Destination, bool)]) -> HashMap<i64, usize> {
    destinations.iter().enumerate().map(|(at, (destination, _))| (destination.id, at)).collect()
}

/// What a move that was cut off had given away goes with the next one.
fn written(kind: Kind, out: &Out) -> crate::archive::Entry {
    let mut entry = out.entry.clone();
    if kind == Kind::Move && out.is_moving && entry.state == EntryState::Withdrawn {
        (entry.state, entry.reason, entry.words) = (EntryState::Waiting, None, None);
    }
    entry
}

/// What is being sent at this moment can be given to nobody.
fn refuse_in_hand(entries: &[Out]) -> Result<()> {
    let words = match entries.iter().filter(|out| out.leased).count() {
        0 => return Ok(()),
        _ if mistake("move_what_is_in_hand") => return Ok(()),
        1 => "1 issue is being sent right now.".to_owned(),
        many => format!("{many} issues are being sent right now."),
    };
    Err(Problem::new(Code::Refused, words).hint(PAUSE))
}

const PAUSE: &str =
    "Nothing was moved. Pause all work (outtrayctl pause), wait until nothing is being sent, and try again.";

fn changed() -> Problem {
    Problem::new(Code::Stale, "The outbox changed while it was being exported.").hint(PAUSE)
}
