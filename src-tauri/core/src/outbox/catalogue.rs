//! What a destination offers to choose from: read from the store, whoever brought it there, and kept when it is read anew.
//!
//! It is a cache: nothing in it is needed to file an issue, and a part that cannot be read stays as it was.

use serde::de::DeserializeOwned;

use super::table::catalogue::Kept;
use super::{Outbox, similar, table};
use crate::clock::{Now, Stamp};
use crate::issue::{Destination, Offer, Part, Title};
use crate::problem::{Code, Problem, Result};
use crate::store::{Durability, Ring};
use crate::view::{CatalogueView, PartView, SimilarView};

/// After a try that brought nothing, so long until the next.
const TRY_AGAIN_MS: i64 = 60_000;
/// As many of our own issues are compared with what is being written.
const MOST_OWN: u32 = 500;

/// How old a catalogue may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// For somebody who is about to choose: ten minutes.
    Choosing,
    /// For the next time: an hour.
    Later,
}

impl Age {
    const fn ms(self) -> i64 {
        match self {
            Self::Choosing => 10 * 60_000,
            Self::Later => 60 * 60_000,
        }
    }
}

impl Outbox {
    /// What is kept of a destination. Nobody is asked.
    ///
    /// # Errors
    /// What the store says.
    pub fn catalogue(&self, destination: &Destination) -> Result<CatalogueView> {
        let kept = self.store().read(|tx| Ok(table::catalogue::all(tx, destination.id)?))?;
        Ok(view(destination, &kept))
    }

    /// Whether a destination is to be read anew, unasked: there is something to read, it may be asked, what is kept is older
    /// than `age`, and nobody tried a moment ago.
    ///
    /// # Errors
    /// What the store says.
    pub fn is_to_be_read(&self, destination: &Destination, age: Age, now: &Now) -> Result<bool> {
        if destination.tracker.parts().is_empty() {
            return Ok(false);
        }
        self.store().read(|tx| {
            let kept = table::catalogue::all(tx, destination.id)?;
            Ok(is_old(&kept, age, now) && table::catalogue::may_ask(tx, destination.id, now)?)
        })
    }

    /// Keeps what was read, part by part: what came, and why the rest did not. Whoever read it rings.
    ///
    /// # Errors
    /// What the store says.
    pub fn keep_catalogue(
        &self,
        destination: i64,
        read: &[(Part, std::result::Result<Offer, String>)],
        now: &Now,
    ) -> Result<()> {
        self.store().write("keep_catalogue", Durability::Normal, Ring::Nobody, |tx| {
            for (part, read) in read {
                match read {
                    Ok(offer) => table::catalogue::keep(tx, destination, *part, &json(offer)?, now)?,
                    Err(words) => table::catalogue::fail(tx, destination, *part, words, now)?,
                }
            }
            Ok(())
        })
    }

    /// The destination of an entry that has been filed.
    ///
    /// # Errors
    /// What the store says.
    pub fn filed_at(&self, entry: i64) -> Result<Option<Destination>> {
        self.store().read(|tx| {
            let destination = table::catalogue::destination_of(tx, entry)?;
            Ok(destination.map(|id| table::destination::by_id(tx, id)).transpose()?)
        })
    }

    /// The destination called `name`; the default one when nobody says.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn destination_or_default(&self, name: Option<&str>) -> Result<Destination> {
        match name {
            Some(name) => self.destination(name),
            None => self.store().read(|tx| table::destination::default(tx)?.ok_or_else(nowhere)),
        }
    }

    /// The issues of a destination that are like a title, five at most: those that are known there, and our own.
    ///
    /// # Errors
    /// What the store says.
    pub fn similar(&self, destination: &Destination, title: &str) -> Result<Vec<SimilarView>> {
        let known = self.known_titles(destination)?;
        Ok(similar::rank(title, known))
    }

    /// The link of an issue that is known, as it was asked for by that link. A window opens nothing else.
    ///
    /// # Errors
    /// `NotFound` when no such issue is known.
    pub fn known_link(&self, destination: &Destination, url: &str) -> Result<String> {
        let known = self.known_titles(destination)?;
        let found = known.into_iter().filter_map(|issue| issue.url).find(|link| link == url);
        found.ok_or_else(|| {
            Problem::new(Code::NotFound, "That issue is not known here any more.")
                .hint("Look for it at the tracker.")
        })
    }

    fn known_titles(&self, destination: &Destination) -> Result<Vec<SimilarView>> {
        self.store().read(|tx| {
            let kept = table::catalogue::all(tx, destination.id)?;
            let titles: Vec<Title> = list(&kept, Part::Titles);
            let own = table::catalogue::own(tx, destination.id, MOST_OWN)?;
            Ok(similar::together(titles, own))
        })
    }
}

fn nowhere() -> Problem {
    Problem::new(Code::NotFound, "There is no destination yet.").hint("Add a destination in Settings.")
}

/// Whether what is kept is older than `age`. A clock that went backwards makes everything old.
fn is_old(kept: &[Kept], age: Age, now: &Now) -> bool {
    let is_within = |at: i64, most: i64| (0..=most).contains(&(now.wall_ms - at));
    let is_fresh = kept.iter().filter_map(|kept| kept.fetched_at_ms).any(|at| is_within(at, age.ms()));
    let was_tried = kept.iter().any(|kept| is_within(kept.tried_at_ms, TRY_AGAIN_MS));
    !is_fresh && !was_tried
}

fn view(destination: &Destination, kept: &[Kept]) -> CatalogueView {
    let part = |part: &Part| {
        let kept = kept.iter().find(|kept| kept.part == *part);
        PartView {
            part: *part,
            fetched_at: kept.and_then(|kept| kept.fetched_at_ms).map(|at| Stamp::of(at).0),
            failure: kept.and_then(|kept| kept.failure.clone()),
        }
    };
    CatalogueView {
        destination: destination.name.clone(),
        labels: list(kept, Part::Labels),
        milestones: list(kept, Part::Milestones),
        assignees: list(kept, Part::Assignees),
        templates: list(kept, Part::Templates),
        titles: list(kept, Part::Titles),
        parts: destination.tracker.parts().iter().map(part).collect(),
        refreshing: false,
    }
}

/// One part as values. What another version wrote and this one cannot read is read anew by and by.
fn list<T: DeserializeOwned>(kept: &[Kept], part: Part) -> Vec<T> {
    let json = kept.iter().find(|kept| kept.part == part).and_then(|kept| kept.json.as_deref());
    json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

fn json(offer: &Offer) -> Result<String> {
    let written = match offer {
        Offer::Labels(all) => serde_json::to_string(all),
        Offer::Milestones(all) => serde_json::to_string(all),
        Offer::Assignees(all) => serde_json::to_string(all),
        Offer::Templates(all) => serde_json::to_string(all),
        Offer::Titles(all) => serde_json::to_string(all),
    };
    written.map_err(|error| {
        Problem::new(Code::Internal, "What the tracker offers could not be written down.").because(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock as _, ManualClock};

    const MINUTE: i64 = 60_000;

    fn kept(fetched_ago: Option<i64>, tried_ago: i64, now: &Now) -> Kept {
        Kept {
            part: Part::Labels,
            json: fetched_ago.map(|_| "[]".to_owned()),
            fetched_at_ms: fetched_ago.map(|ago| now.wall_ms - ago),
            tried_at_ms: now.wall_ms - tried_ago,
            failure: None,
        }
    }

    #[test]
    fn it_is_read_anew_when_it_is_old_and_not_again_right_after_a_try() {
        let now = ManualClock::new(1_800_000_000_000).now();
        for (fetched, tried, choosing, later) in [
            (Some(9 * MINUTE), 9 * MINUTE, false, false),
            (Some(11 * MINUTE), 11 * MINUTE, true, false),
            (Some(61 * MINUTE), 61 * MINUTE, true, true),
            (Some(61 * MINUTE), MINUTE / 2, false, false),
            (None, MINUTE / 2, false, false),
            (None, 2 * MINUTE, true, true),
            // The clock was set back.
            (Some(-MINUTE), -MINUTE, true, true),
        ] {
            let all = [kept(fetched, tried, &now)];
            assert_eq!(is_old(&all, Age::Choosing, &now), choosing, "{fetched:?} {tried}");
            assert_eq!(is_old(&all, Age::Later, &now), later, "{fetched:?} {tried}");
        }
        assert!(is_old(&[], Age::Later, &now), "what was never read");
    }
}
