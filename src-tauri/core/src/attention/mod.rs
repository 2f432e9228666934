//! The one value a person should know now: a pure fold over facts of the outbox.

use serde::Serialize;
use ts_rs::TS;

use crate::clock::Stamp;

/// How urgent it is. The order is the precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "attention.ts")]
pub enum Level {
    /// Nothing waits.
    Calm,
    /// Something waits for its turn.
    Waiting,
    /// Something is being sent.
    Sending,
    /// Nothing gets through.
    Offline,
    /// A person paused the work.
    Paused,
    /// Only a person can move something.
    NeedsYou,
}

/// Something that only a person can move: an entry or a lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "attention.ts")]
pub struct Item {
    /// The entry's number; nothing for a lane.
    pub entry: Option<i64>,
    /// The destination's name.
    pub destination: String,
    /// The entry's title, or "work is signed out".
    pub title: String,
    /// Why, in words.
    pub words: String,
    /// The label of the one next step: "Retry", "Sign in".
    pub step: String,
}

/// What a person should know now. Tray, windows, notifications and `outtrayctl status` render this value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "attention.ts")]
pub struct Attention {
    /// How urgent it is.
    pub level: Level,
    /// Entries to be filed, those being sent included.
    pub waiting: u32,
    /// Entries under a live lease.
    pub sending: u32,
    /// Items that only a person can move: entries and lanes.
    pub attention: u32,
    /// Whether every lane with due entries last ended with nothing sent.
    pub offline: bool,
    /// Whether a person paused all work.
    pub paused: bool,
    /// "2 need you, 4 waiting"; without times, which the reader's clock writes.
    pub headline: String,
    /// The next time something is tried (RFC 3339, UTC).
    pub next_try: Option<String>,
    /// The most urgent items, three at most.
    pub items: Vec<Item>,
    /// Rises whenever anything in the store changed, so that windows know to ask again.
    #[ts(type = "number")]
    pub revision: u64,
}

/// The facts of the outbox that attention is folded from.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Entries to be filed, those being sent included.
    pub waiting: u32,
    /// Entries under a live lease.
    pub sending: u32,
    /// Entries that need the person.
    pub attention: u32,
    /// Whether all work is paused.
    pub paused: bool,
    /// Lanes with something waiting.
    pub lanes: Vec<LaneFacts>,
    /// The most urgent entries that need the person: number, destination, title, words, in doubt.
    pub items: Vec<(i64, String, String, String, bool)>,
    /// The next time something is tried, wall.
    pub next_try_ms: Option<i64>,
}

/// What a lane with something waiting says.
#[derive(Debug, Clone, Default)]
pub struct LaneFacts {
    /// The destination's name.
    pub name: String,
    /// How many wait.
    pub waiting: u32,
    /// Whether only a sign-in moves it.
    pub signed_out: bool,
    /// Why it is held.
    pub words: Option<String>,
    /// Whether its last end was "nothing sent".
    pub unreachable: bool,
    /// Whether a person paused it.
    pub paused: bool,
}

/// How many items a menu and a notification name.
const MOST_ITEMS: usize = 3;

/// Folds the facts into the one value.
pub fn fold(facts: &Facts, revision: u64) -> Attention {
    let signed_out = || facts.lanes.iter().filter(|lane| lane.signed_out);
    let attention = facts.attention + u32::try_from(signed_out().count()).unwrap_or(u32::MAX);
    let paused = facts.paused || (!facts.lanes.is_empty() && facts.lanes.iter().all(|lane| lane.paused));
    let moving = || facts.lanes.iter().filter(|lane| !lane.paused && !lane.signed_out);
    let offline = moving().next().is_some() && moving().all(|lane| lane.unreachable);
    let level = if attention > 0 {
        Level::NeedsYou
    } else if paused {
        Level::Paused
    } else if offline {
        Level::Offline
    } else if facts.sending > 0 {
        Level::Sending
    } else if facts.waiting > 0 {
        Level::Waiting
    } else {
        Level::Calm
    };
    let lanes = signed_out().map(|lane| Item {
        entry: None,
        destination: lane.name.clone(),
        title: format!("{} is signed out", lane.name),
        words: lane.words.clone().unwrap_or_default(),
        step: "Sign in".to_owned(),
    });
    let entries = facts.items.iter().map(|(id, destination, title, words, in_doubt)| Item {
        entry: Some(*id),
        destination: destination.clone(),
        title: title.clone(),
        words: words.clone(),
        step: if *in_doubt { "Look" } else { "Retry" }.to_owned(),
    });
    Attention {
        level,
        waiting: facts.waiting,
        sending: facts.sending,
        attention,
        offline,
        paused,
        headline: headline(level, facts, attention),
        next_try: facts.next_try_ms.map(|at| Stamp::of(at).0),
        items: lanes.chain(entries).take(MOST_ITEMS).collect(),
        revision,
    }
}

fn headline(level: Level, facts: &Facts, attention: u32) -> String {
    let waiting = facts.waiting;
    let and_waiting = if waiting > 0 { format!(", {waiting} waiting") } else { String::new() };
    match level {
        Level::Calm => "All filed".to_owned(),
        Level::Waiting => format!("{waiting} waiting"),
        Level::Sending => format!("Sending {} of {waiting}", facts.sending),
        Level::Offline => format!("Offline{and_waiting}"),
        Level::Paused => format!("Paused{and_waiting}"),
        Level::NeedsYou if attention == 1 => format!("1 needs you{and_waiting}"),
        Level::NeedsYou => format!("{attention} need you{and_waiting}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(waiting: u32) -> LaneFacts {
        LaneFacts { name: "work".into(), waiting, ..LaneFacts::default() }
    }

    fn level(facts: &Facts) -> (Level, String) {
        let attention = fold(facts, 0);
        (attention.level, attention.headline)
    }

    #[test]
    fn what_needs_you_comes_before_everything() {
        let mut facts = Facts { waiting: 4, lanes: vec![lane(4)], ..Facts::default() };
        assert_eq!(level(&facts), (Level::Waiting, "4 waiting".into()));
        facts.sending = 1;
        assert_eq!(level(&facts), (Level::Sending, "Sending 1 of 4".into()));
        facts.lanes[0].unreachable = true;
        assert_eq!(
            level(&facts),
            (Level::Offline, "Offline, 4 waiting".into()),
            "a probe does not hide that"
        );
        facts.paused = true;
        assert_eq!(level(&facts), (Level::Paused, "Paused, 4 waiting".into()));
        facts.attention = 2;
        assert_eq!(level(&facts), (Level::NeedsYou, "2 need you, 4 waiting".into()));
        assert_eq!(level(&Facts::default()), (Level::Calm, "All filed".into()));
    }

    #[test]
    fn one_reachable_lane_is_not_offline() {
        let down = LaneFacts { unreachable: true, ..lane(1) };
        let facts = Facts { waiting: 2, lanes: vec![down, lane(1)], ..Facts::default() };
        assert_eq!(level(&facts).0, Level::Waiting);
    }

    #[test]
    fn a_signed_out_lane_is_one_item_however_many_wait_in_it() {
        let out = LaneFacts {
            signed_out: true,
            words: Some("Gitea did not accept the sign-in.".into()),
            ..lane(9)
        };
        let attention = fold(&Facts { waiting: 9, lanes: vec![out], ..Facts::default() }, 0);
        assert_eq!((attention.attention, attention.items.len()), (1, 1));
        assert_eq!(attention.items[0].step, "Sign in");
        assert_eq!(attention.headline, "1 needs you, 9 waiting");
    }
}
