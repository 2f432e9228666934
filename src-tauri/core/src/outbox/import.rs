//! An outbox that arrives: all of it in one transaction, or nothing.

use super::arrival::arrival;
use super::{Outbox, table};
use crate::archive::{Kind, Manifest, Place};
use crate::capture::Kept;
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::{Destination, TrackerKind};
use crate::problem::{Code, Problem, Result};
use crate::settings::Settings;
use crate::store::{Durability, Ring, Transaction};
use table::import::Setting;

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// Entries that came.
    pub entries: u32,
    /// Of those, copies that are held.
    pub held: u32,
    /// Entries and drafts that were here already.
    pub already: u32,
    /// Entries that had gone from here, and are back.
    pub put_back: u32,
    /// Drafts that came.
    pub drafts: u32,
    /// Destinations that were not here.
    pub destinations: Vec<NewPlace>,
    /// Files that no row names any more, to erase.
    pub litter: Vec<String>,
}

/// A destination that was not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlace {
    /// What it is called here.
    pub name: String,
    /// "Gitea, ada/demo on git.example.org".
    pub words: String,
    /// Whether it is paused: it asks for no token, so nothing else would keep it from being used unseen.
    pub paused: bool,
    /// Whether it takes a token, and there is none for it here.
    pub needs_sign_in: bool,
}

/// What tokens have to do with names.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// The variable that carries the token of a destination of this name.
    pub variable: fn(&str) -> String,
    /// Whether there is such a token already.
    pub has_token: fn(&str) -> bool,
}

impl Outbox {
    /// Writes down what an archive holds. `kept` are its attachments, in its order, where they lie beside the store.
    ///
    /// # Errors
    /// `OutboxFull`, or what the store says: then nothing of it is here.
    pub fn import(
        &self,
        manifest: &Manifest,
        kept: &[Option<Kept>],
        first_folder: &str,
        names: Names,
        now: &Now,
    ) -> Result<Arrived> {
        let is_own = manifest.store == self.store().id();
        self.store().write("import", Durability::Full, Ring::Everybody, |tx| {
            let mut arrived = Arrived {
                entries: 0,
                held: 0,
                already: 0,
                put_back: 0,
                drafts: 0,
                destinations: Vec::new(),
                litter: Vec::new(),
            };
            let places = places(tx, manifest, first_folder, names, &mut arrived.destinations, now)?;
            let generation = table::elsewhere::begin(tx)?;
            let setting = Setting {
                places: &places,
                generation: &generation,
                anywhere: manifest.kind == Kind::Copy,
                made_at_ms: manifest.made_at_ms,
            };
            let mut kept = kept;
            for entry in &manifest.entries {
                let files;
                (files, kept) = kept.split_at(entry.attachments.len().min(kept.len()));
                let arrival = arrival(manifest.kind, entry);
                if let Some(draft) = table::import::draft_here(tx, entry.key)? {
                    // It was filed where it came from, or went to.
                    table::elsewhere::mark_draft(tx, draft, manifest.made_at_ms)?;
                    arrived.already += 1;
                    continue;
                }
                let here = table::import::here(tx, entry.key)?;
                let number = match &here {
                    None => None,
                    // Nobody files it here: the one that comes may take its place.
                    Some(here)
                        if manifest.kind == Kind::Move
                            && (here.has_gone || here.is_held_copy)
                            && !is_own
                            && here.progress <= table::import::progress(entry) =>
                    {
                        arrived.litter.extend(table::import::delete(tx, here.id)?);
                        Some(here.id)
                    }
                    Some(here) if manifest.kind == Kind::Move && here.has_gone => {
                        table::import::put_back(tx, here.id, entry, &arrival, &setting, now)?;
                        arrived.put_back += 1;
                        continue;
                    }
                    Some(_) => {
                        arrived.already += 1;
                        continue;
                    }
                };
                table::import::entry(tx, entry, &arrival, files, &setting, number, now)?;
                arrived.held += u32::from(arrival.reason.as_deref() == Some(super::arrival::COPY));
                match here {
                    Some(here) if here.has_gone => arrived.put_back += 1,
                    Some(_) | None => arrived.entries += 1,
                }
            }
            for draft in &manifest.drafts {
                let files;
                (files, kept) = kept.split_at(draft.attachments.len().min(kept.len()));
                if table::import::here(tx, draft.key)?.is_some() {
                    arrived.already += 1;
                } else if let Some(here) = table::import::draft_here(tx, draft.key)? {
                    if !is_own {
                        table::elsewhere::mark_draft(tx, here, manifest.made_at_ms)?;
                    }
                    arrived.already += 1;
                } else {
                    table::import::draft(tx, draft, files, &setting, now)?;
                    arrived.drafts += 1;
                }
            }
            within_bounds(tx)?;
            Ok(arrived)
        })
    }

    /// Releases every copy that is held: each is looked for, and sent if it is not there.
    ///
    /// # Errors
    /// What the store says.
    pub fn release_copies(&self, now: &Now) -> Result<Vec<crate::view::Acted>> {
        let copies = self.store().read(|tx| Ok(table::elsewhere::copies(tx)?))?;
        copies.into_iter().map(|entry| self.retry(entry, now)).collect()
    }
}

/// Finds the archive's destinations here, and adds those that are missing, without a token.
fn places(
    tx: &Transaction<'_>,
    manifest: &Manifest,
    first_folder: &str,
    names: Names,
    added: &mut Vec<NewPlace>,
    now: &Now,
) -> Result<Vec<i64>> {
    let mut places = Vec::with_capacity(manifest.destinations.len());
    for place in &manifest.destinations {
        let here = table::import::destinations(tx)?;
        let wanted = Destination {
            id: 0,
            name: place.name.clone(),
            tracker: place.tracker,
            url: place.url.clone(),
            project: place.project.clone(),
            path: match place.tracker {
                TrackerKind::Folder => Some(place.path.clone().unwrap_or_else(|| first_folder.to_owned())),
                _ => None,
            },
            branch: place.branch.clone(),
            honours_key: place.honours_key,
            // The file stays on the computer that it lies on.
            ca: None,
        };
        let known = here.iter().find(|(other, removed)| {
            (!removed || place.removed) && is_same(&wanted, other, place, first_folder)
        });
        if let Some((known, _)) = known {
            places.push(known.id);
            continue;
        }
        let taken: Vec<&str> =
            here.iter().filter(|(_, removed)| !removed).map(|(other, _)| &*other.name).collect();
        let name = if place.removed { wanted.name.clone() } else { free_name(&wanted.name, &taken, names) };
        let new = Destination { name, ..wanted };
        let id = table::destination::insert(tx, &new, now)?;
        places.push(id);
        if place.removed {
            table::destination::remove(tx, id, now)?;
            continue;
        }
        // What asks for no token would be used at once, wherever somebody has let it point.
        let is_first = new.path.as_deref() == Some(first_folder);
        let needs_sign_in = new.tracker.needs_token() && !(names.has_token)(&new.name);
        let paused = !needs_sign_in && !is_first;
        if paused {
            table::lane::pause(tx, Some(id), None)?;
        }
        let words = super::destinations::words(&new);
        added.push(NewPlace { words, name: new.name, paused, needs_sign_in });
    }
    Ok(places)
}

/// Whether a destination here is the one that an archive means: of the same name, or of the name it was given here since its
/// own was taken, and the same place. The first folder is the first folder, wherever it lies and whatever it is called.
fn is_same(wanted: &Destination, here: &Destination, place: &Place, first_folder: &str) -> bool {
    if place.tracker == TrackerKind::Folder && place.path.is_none() {
        return here.path.as_deref() == Some(first_folder);
    }
    let is_numbered = || {
        let rest = here.name.strip_prefix(&*wanted.name).and_then(|rest| rest.strip_prefix(' '));
        rest.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    (wanted.name.eq_ignore_ascii_case(&here.name) || is_numbered())
        && (wanted.tracker, &wanted.url, &wanted.project, &wanted.path)
            == (here.tracker, &here.url, &here.project, &here.path)
}

/// The name, or the next one like it that no other has, and whose token would not be another's.
fn free_name(name: &str, taken: &[&str], names: Names) -> String {
    let is_free = |name: &String| {
        let variable = (names.variable)(name);
        taken.iter().all(|other| (names.variable)(other) != variable) || mistake("share_names")
    };
    let first = name.to_owned();
    if is_free(&first) {
        return first;
    }
    (2..=taken.len() + 2).map(|number| format!("{name} {number}")).find(is_free).unwrap_or(first)
}

/// Refuses what would not fit.
fn within_bounds(tx: &Transaction<'_>) -> Result<()> {
    let settings = Settings::from_rows(table::setting::all(tx)?);
    let (entries, bytes) = table::import::live(tx)?;
    if entries <= settings.max_entries && bytes <= settings.max_bytes {
        return Ok(());
    }
    Err(Problem::new(Code::OutboxFull, "This archive does not fit into the outbox.")
        .hint("Nothing was imported. Raise outbox.max_entries or outbox.max_bytes, or withdraw some first."))
}
