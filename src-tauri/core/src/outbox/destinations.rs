//! Destinations and settings, as a person sets them up.

use super::{Outbox, table};
use crate::clock::Now;
use crate::issue::Destination;
use crate::problem::{Code, Problem, Result};
use crate::settings::{self, Settings};
use crate::store::Transaction;
use crate::store::{Durability, Ring};
use crate::view::{DestinationView, SettingView};

impl Outbox {
    /// Adds a destination.
    ///
    /// # Errors
    /// `Refused` when the name is taken.
    pub fn add_destination(&self, new: &Destination, now: &Now) -> Result<Destination> {
        self.store().write("add_destination", Durability::Full, Ring::Everybody, |tx| {
            if table::destination::by_name(tx, &new.name)?.is_some() {
                return Err(Problem::new(
                    Code::Refused,
                    format!("There is a destination called {} already.", new.name),
                )
                .hint("Give this one another name."));
            }
            let id = table::destination::insert(tx, new, now)?;
            Ok(Destination { id, ..new.clone() })
        })
    }

    /// Adds the first destination to a store that never had one.
    ///
    /// # Errors
    /// What the store says.
    pub fn add_first_destination(&self, new: &Destination, now: &Now) -> Result<()> {
        if self.store().read(|tx| Ok(table::destination::any(tx)?))? {
            return Ok(());
        }
        self.store().write("add_first_destination", Durability::Full, Ring::Everybody, |tx| {
            if !table::destination::any(tx)? {
                table::destination::insert(tx, new, now)?;
            }
            Ok(())
        })
    }

    /// The destination called `name`.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn destination(&self, name: &str) -> Result<Destination> {
        self.store().read(|tx| table::destination::by_name(tx, name)?.ok_or_else(|| no_destination(name)))
    }

    /// Takes a destination away. What was filed there stays in the outbox.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` while something is still to be filed there.
    pub fn remove_destination(&self, name: &str, now: &Now) -> Result<Destination> {
        self.store().write("remove_destination", Durability::Full, Ring::Everybody, |tx| {
            let destination = table::destination::by_name(tx, name)?.ok_or_else(|| no_destination(name))?;
            let live = table::destination::live(tx, destination.id)?;
            if live > 0 {
                let issues = if live == 1 { "1 issue is".to_owned() } else { format!("{live} issues are") };
                return Err(Problem::new(
                    Code::Refused,
                    format!("{issues} still to be filed at {}.", destination.name),
                )
                .hint("Move or withdraw them first."));
            }
            table::destination::remove(tx, destination.id, now)?;
            Ok(destination)
        })
    }

    /// Names the file with certificates that are trusted at a destination besides this computer's own, or none. A lane
    /// that waits because of trouble there is tried at once.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` for a folder.
    pub fn set_ca(&self, name: &str, ca: Option<&str>) -> Result<Destination> {
        self.store().write("set_ca", Durability::Full, Ring::Everybody, |tx| {
            let destination = table::destination::by_name(tx, name)?.ok_or_else(|| no_destination(name))?;
            if destination.url.is_none() {
                return Err(Problem::new(Code::Refused, "A folder needs no certificate."));
            }
            table::destination::set_ca(tx, destination.id, ca)?;
            table::lane::free(tx, destination.id, &["trouble"])?;
            Ok(Destination { ca: ca.map(str::to_owned), ..destination })
        })
    }

    /// Makes a destination the default: where a new issue goes unless the person says otherwise.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn set_default_destination(&self, name: &str) -> Result<()> {
        self.store().write("set_default_destination", Durability::Full, Ring::Everybody, |tx| {
            let destination = table::destination::by_name(tx, name)?.ok_or_else(|| no_destination(name))?;
            Ok(table::destination::set_default(tx, destination.id)?)
        })
    }

    /// All destinations, the default first.
    ///
    /// # Errors
    /// What the store says.
    pub fn destinations(&self, now: &Now) -> Result<Vec<DestinationView>> {
        let listed = self.store().read(|tx| Ok(table::destination::list(tx, now)?))?;
        Ok(listed.into_iter().map(view).collect())
    }

    /// Every destination but one, removed ones included.
    ///
    /// # Errors
    /// What the store says.
    pub fn other_destinations(&self, but: i64) -> Result<Vec<Destination>> {
        self.store().read(|tx| Ok(table::destination::others(tx, but)?))
    }

    /// The names of destinations, by their numbers.
    ///
    /// # Errors
    /// What the store says.
    pub fn names(&self, destinations: &[i64]) -> Result<Vec<String>> {
        self.store().read(|tx| {
            let name = |id: &i64| Ok(table::destination::by_id(tx, *id)?.name);
            destinations.iter().map(name).collect()
        })
    }

    /// The settings in force.
    ///
    /// # Errors
    /// What the store says.
    pub fn settings(&self) -> Result<Settings> {
        self.store().read(|tx| Ok(Settings::from_rows(table::setting::all(tx)?)))
    }

    /// Every setting, to be shown.
    ///
    /// # Errors
    /// What the store says.
    pub fn setting_views(&self) -> Result<Vec<SettingView>> {
        Ok(self.settings()?.views())
    }

    /// Sets one; a bad value is refused in words.
    ///
    /// # Errors
    /// `NotFound` for an unknown name, `Invalid` for a bad value.
    pub fn set_setting(&self, key: &str, value: &str) -> Result<SettingView> {
        let (key, value) = settings::parse(key, value)?;
        self.store().write("set_setting", Durability::Full, Ring::Everybody, |tx| {
            Ok(table::setting::set(tx, key, value.map(|value| value.to_string()).as_deref())?)
        })?;
        let views = self.setting_views()?;
        views
            .into_iter()
            .find(|view| view.key == key)
            .ok_or_else(|| Problem::new(Code::NotFound, format!("There is no setting {key}.")))
    }
}

/// The number of the destination called `name`; nothing stays nothing.
pub(super) fn number(tx: &Transaction<'_>, name: Option<&str>) -> Result<Option<i64>> {
    match name {
        None => Ok(None),
        Some(name) => match table::destination::by_name(tx, name)? {
            Some(destination) => Ok(Some(destination.id)),
            None => Err(no_destination(name)),
        },
    }
}

pub(super) fn no_destination(name: &str) -> Problem {
    Problem::new(Code::NotFound, format!("There is no destination called {name}."))
        .hint("See outtrayctl destination list, or Settings.")
}

fn view(listed: table::destination::Listed) -> DestinationView {
    let destination = listed.destination;
    // With nothing to be filed there it holds nothing up, and somebody else may be filing there all the time.
    let no_token = listed.no_token.filter(|_| listed.waiting > 0);
    let held = listed.held.or_else(|| Some(("sign_in".to_owned(), super::show::no_token(&no_token?))));
    DestinationView {
        words: words(&destination),
        name: destination.name,
        tracker: destination.tracker,
        url: destination.url,
        project: destination.project,
        path: destination.path,
        is_default: listed.is_default,
        waiting: listed.waiting,
        needs_sign_in: held.as_ref().is_some_and(|(kind, _)| kind == "sign_in"),
        held: held.map(|(_, words)| words),
        paused: listed.paused,
        ca: destination.ca,
    }
}

/// A destination in one phrase: "Gitea, ada/shopdesk on git.shopdesk.example".
pub fn words(destination: &Destination) -> String {
    match (&destination.path, &destination.url) {
        (Some(path), _) => format!("Folder, {path}"),
        (None, url) => {
            let host = url
                .as_deref()
                .and_then(|url| url::Url::parse(url).ok())
                .and_then(|url| {
                    let host = url.host_str()?.to_owned();
                    Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
                })
                .unwrap_or_default();
            match destination.project.as_deref() {
                Some(project) => format!("{}, {project} on {host}", destination.tracker.name()),
                None => format!("{} on {host}", destination.tracker.name()),
            }
        }
    }
}
