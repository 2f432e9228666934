//! What the tray shows: a pure function of attention. It touches no tray.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use outtray_core::attention::{Attention, Item, Level};

use crate::act::Ask;

/// Everything the tray shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Face {
    /// Which silhouette.
    pub level: Level,
    /// The tooltip and the menu's first line: one truth, so no state depends on tooltips being shown.
    pub words: String,
    /// What needs the person, three lines at most.
    pub items: Vec<Line>,
    /// Whether *Resume* stands where *Pause* does otherwise.
    pub paused: bool,
    /// Whether there is anything to retry.
    pub retry: bool,
}

/// What needs the person, and what picking it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub words: String,
    pub ask: Ask,
}

/// A title in a menu is cut after this many characters.
const MOST_CHARACTERS: usize = 32;

/// Folds attention into what the tray shows at `now`.
pub(crate) fn face(attention: &Attention, now: Timestamp, zone: &TimeZone) -> Face {
    let next_try =
        attention.next_try.as_deref().and_then(|at| at.parse::<Timestamp>().ok()).filter(|at| *at > now);
    let local = |at: Timestamp| at.to_zoned_datetime(zone.clone());
    let words = match (attention.level, next_try) {
        (Level::Waiting | Level::Offline, Some(at)) => {
            format!("{}, next try {}", attention.headline, time(&local(at), &local(now)))
        }
        // What needs the person comes first, and does not hide that nothing else moves.
        (Level::NeedsYou, _) if attention.paused => format!("{}, paused", attention.headline),
        _ => attention.headline.clone(),
    };
    Face {
        level: attention.level,
        words,
        items: attention.items.iter().map(line).collect(),
        paused: attention.paused,
        retry: attention.waiting > 0 || attention.attention > 0,
    }
}

/// An entry is tried now, which is a look where nobody knows whether it arrived. A lane waits for a token, which only
/// Settings can take.
fn line(item: &Item) -> Line {
    let words = format!("{}: {}", cut(&item.title), item.step);
    Line { words, ask: item.entry.map_or_else(|| Ask::SignIn(item.destination.clone()), Ask::Retry) }
}

/// 14:12 today, Tue 14:12 within six days, 3 Mar after that.
fn time(at: &ZonedDateTime, now: &ZonedDateTime) -> String {
    let days = now.date().duration_until(at.date()).as_hours() / 24;
    let shape = match days {
        0 => "%H:%M",
        1..=6 => "%a %H:%M",
        _ => "%-d %b",
    };
    at.strftime(shape).to_string()
}

/// One line, cut at a character, without what would break a menu.
fn cut(title: &str) -> String {
    let mut line = title.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = line.by_ref().take(MOST_CHARACTERS).collect();
    if line.next().is_some() {
        short.truncate(short.trim_end().len());
        short.push('…');
    }
    short
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use outtray_core::attention::Item;

    fn attention(level: Level, headline: &str) -> Attention {
        Attention {
            level,
            waiting: 3,
            sending: 0,
            attention: 0,
            offline: level == Level::Offline,
            paused: level == Level::Paused,
            headline: headline.into(),
            next_try: None,
            items: vec![],
            revision: 1,
        }
    }

    fn shown(attention: &Attention) -> Face {
        let now = "2026-11-30T13:05:00Z".parse().expect("a time");
        face(attention, now, &TimeZone::fixed(jiff::tz::offset(1)))
    }

    #[test]
    fn the_next_try_is_told_in_local_time() {
        let mut waiting = attention(Level::Waiting, "3 waiting");
        assert_eq!(shown(&waiting).words, "3 waiting");
        waiting.next_try = Some("2026-11-30T13:12:00.250Z".into());
        assert_eq!(shown(&waiting).words, "3 waiting, next try 14:12");
        waiting.next_try = Some("2026-12-01T08:00:00Z".into());
        assert_eq!(shown(&waiting).words, "3 waiting, next try Tue 09:00");
        waiting.next_try = Some("2027-03-03T08:00:00Z".into());
        assert_eq!(shown(&waiting).words, "3 waiting, next try 3 Mar");
        waiting.next_try = Some("2026-11-30T13:04:00Z".into());
        assert_eq!(shown(&waiting).words, "3 waiting", "a time that has passed says nothing");
        waiting.next_try = Some("soon".into());
        assert_eq!(shown(&waiting).words, "3 waiting");
    }

    #[test]
    fn a_next_try_is_told_only_where_somebody_waits_for_it() {
        let next_try = Some("2026-11-30T13:12:00Z".to_owned());
        let at = |level, headline| {
            shown(&Attention { next_try: next_try.clone(), ..attention(level, headline) }).words
        };
        assert_eq!(at(Level::Offline, "Offline, 4 waiting"), "Offline, 4 waiting, next try 14:12");
        assert_eq!(at(Level::Paused, "Paused, 4 waiting"), "Paused, 4 waiting");
        assert_eq!(at(Level::Sending, "Sending 1 of 4"), "Sending 1 of 4");
        assert_eq!(at(Level::NeedsYou, "1 needs you"), "1 needs you");
    }

    #[test]
    fn what_needs_the_person_does_not_hide_a_pause() {
        let mut needs = attention(Level::NeedsYou, "1 needs you, 2 waiting");
        needs.paused = true;
        let face = shown(&needs);
        assert_eq!((face.words.as_str(), face.paused), ("1 needs you, 2 waiting, paused", true));
    }

    #[test]
    fn an_item_is_one_line_and_does_its_next_step() {
        let mut needs = attention(Level::NeedsYou, "1 needs you");
        needs.items = vec![Item {
            entry: Some(4),
            destination: "work".into(),
            title: "Crash when the title has\na line break and much more".into(),
            words: "Refused".into(),
            step: "Retry".into(),
        }];
        let line = |needs: &Attention| shown(needs).items.remove(0);
        assert_eq!(line(&needs).words, "Crash when the title has a line…: Retry");
        assert_eq!(line(&needs).ask, Ask::Retry(4), "it retries this one");
        needs.items[0].title = "🦀".repeat(40);
        assert_eq!(line(&needs).words, format!("{}…: Retry", "🦀".repeat(32)));
        needs.items[0].entry = None;
        assert_eq!(line(&needs).ask, Ask::SignIn("work".into()), "a lane is signed in");
    }

    #[test]
    fn pause_turns_into_resume() {
        assert!(!shown(&attention(Level::Waiting, "3 waiting")).paused);
        assert!(shown(&attention(Level::Paused, "Paused, 3 waiting")).paused);
    }

    #[test]
    fn nothing_to_retry_when_all_is_filed() {
        assert!(!shown(&Attention { waiting: 0, ..attention(Level::Calm, "All filed") }).retry);
        assert!(shown(&attention(Level::Waiting, "3 waiting")).retry);
    }
}
