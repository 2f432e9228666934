//! Whether the person is told, and what: a pure function of what they were told before and of attention now.
//!
//! One notification at most stands at a time. It comes when something newly needs the person, is replaced when more
//! does, goes when nothing does any more, and a short "settled" follows once nothing is on its way either. A burst of
//! changes between two looks is one change.

use outtray_core::attention::{Attention, Item};

/// What a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// One line.
    pub title: String,
    /// One sentence, without issue titles; may be empty.
    pub body: String,
}

/// What to do with the one notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Show this, instead of what stands.
    Needs(Notice),
    /// Take away what stands; no longer true.
    Withdraw,
    /// Show this for a moment, instead of what stands.
    Settled(Notice),
}

/// What the person was told last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    count: u32,
    items: Vec<Who>,
    /// Whether they heard of a need that has not been called settled yet.
    open: bool,
    /// Whether a notification stands.
    standing: bool,
}

/// Which entry or lane an item is.
type Who = (Option<i64>, String);

impl Told {
    /// Takes attention at the start as known: it is in the tray, and the person was told in another session.
    pub(crate) fn of(attention: &Attention) -> Self {
        Self { count: attention.attention, items: who(attention), ..Self::default() }
    }

    /// Takes note of attention between two looks: what left it meanwhile is news when it comes back, as after a retry
    /// that was refused again at once.
    pub(crate) fn glance(&mut self, attention: &Attention) {
        let still = who(attention);
        let named_all = self.named_all();
        self.items.retain(|item| still.contains(item));
        self.count = if named_all { small(self.items.len()) } else { self.count.min(attention.attention) };
    }

    /// Looks at attention now and returns what to do, if anything.
    pub(crate) fn look(&mut self, attention: &Attention) -> Option<Step> {
        let newly = self.is_news(attention);
        self.count = attention.attention;
        self.items = who(attention);
        if newly {
            (self.open, self.standing) = (true, true);
            return Some(Step::Needs(needs(attention)));
        }
        if !self.open || attention.attention > 0 {
            return None;
        }
        if attention.sending > 0 {
            // What was retried is on its way: not settled yet, but what stands is no longer true.
            return std::mem::take(&mut self.standing).then_some(Step::Withdraw);
        }
        (self.open, self.standing) = (false, false);
        Some(Step::Settled(Notice {
            title: "Nothing needs you".to_owned(),
            body: attention.headline.clone(),
        }))
    }

    /// Attention names only its first items. Where it named all of them, a new name is news; otherwise only a higher
    /// count is, for what moved up into the first ones is not new.
    fn is_news(&self, attention: &Attention) -> bool {
        let new_name = || who(attention).iter().any(|item| !self.items.contains(item));
        attention.attention > self.count || (self.named_all() && attention.attention > 0 && new_name())
    }

    fn named_all(&self) -> bool {
        self.count <= small(self.items.len())
    }
}

fn small(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn who(attention: &Attention) -> Vec<Who> {
    attention.items.iter().map(|item| (item.entry, item.destination.clone())).collect()
}

fn needs(attention: &Attention) -> Notice {
    let lane = |item: &Item| item.entry.is_none();
    let title = match (attention.attention, attention.items.as_slice()) {
        (1, [item]) if lane(item) => item.title.clone(),
        (1, _) => "1 issue needs you".to_owned(),
        (count, items) if items.iter().any(lane) => format!("{count} things need you"),
        (count, _) => format!("{count} issues need you"),
    };
    let body = attention.items.first().map(|item| item.words.clone()).unwrap_or_default();
    Notice { title, body }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use outtray_core::attention::Level;

    fn item(entry: i64) -> Item {
        Item {
            entry: Some(entry),
            destination: "work".into(),
            title: "A secret title".into(),
            words: "The tracker refused it.".into(),
            step: "Retry".into(),
        }
    }

    fn attention(entries: &[i64]) -> Attention {
        Attention {
            level: if entries.is_empty() { Level::Calm } else { Level::NeedsYou },
            waiting: 0,
            sending: 0,
            attention: u32::try_from(entries.len()).expect("few"),
            offline: false,
            paused: false,
            headline: "All filed".into(),
            next_try: None,
            items: entries.iter().take(3).map(|entry| item(*entry)).collect(),
            revision: 0,
        }
    }

    fn title(step: Option<Step>) -> String {
        match step {
            Some(Step::Needs(notice) | Step::Settled(notice)) => notice.title,
            Some(Step::Withdraw) => "withdraw".to_owned(),
            None => String::new(),
        }
    }

    #[test]
    fn a_burst_is_one_notice_and_its_end_another() {
        let mut told = Told::of(&attention(&[]));
        assert_eq!(title(told.look(&attention(&[1, 2, 3, 4]))), "4 issues need you");
        assert_eq!(title(told.look(&attention(&[1, 2, 3, 4]))), "", "told already");
        assert_eq!(title(told.look(&attention(&[2, 3, 4]))), "", "fewer is no news");
        assert_eq!(title(told.look(&attention(&[2, 3, 4, 9]))), "4 issues need you");
        assert_eq!(title(told.look(&attention(&[]))), "Nothing needs you");
        assert_eq!(title(told.look(&attention(&[]))), "");
    }

    #[test]
    fn one_for_another_is_news() {
        let mut told = Told::of(&attention(&[]));
        assert_eq!(title(told.look(&attention(&[1]))), "1 issue needs you");
        assert_eq!(title(told.look(&attention(&[2]))), "1 issue needs you");
    }

    #[test]
    fn what_moves_up_into_the_first_three_is_no_news() {
        let mut told = Told::of(&attention(&[1, 2, 3, 4, 5]));
        assert_eq!(title(told.look(&attention(&[2, 3, 4, 5]))), "");
        assert_eq!(title(told.look(&attention(&[3, 4, 5]))), "");
        assert_eq!(title(told.look(&attention(&[4, 5]))), "");
    }

    #[test]
    fn what_left_and_came_back_between_two_looks_is_news() {
        let mut told = Told::of(&attention(&[]));
        told.look(&attention(&[1, 2]));
        told.glance(&attention(&[2]));
        assert_eq!(title(told.look(&attention(&[1, 2]))), "2 issues need you");
        told.glance(&attention(&[1, 2]));
        assert_eq!(title(told.look(&attention(&[1, 2]))), "", "nothing left");
        told.look(&attention(&[1, 2, 3, 4]));
        told.glance(&attention(&[2, 3, 4]));
        assert_eq!(title(told.look(&attention(&[2, 3, 4]))), "", "fewer, and none of them new");
    }

    #[test]
    fn what_was_there_at_the_start_is_not_told_again() {
        let mut told = Told::of(&attention(&[1, 2]));
        assert_eq!(title(told.look(&attention(&[1, 2]))), "");
        assert_eq!(title(told.look(&attention(&[]))), "", "nobody was told, so nothing is called settled");
    }

    #[test]
    fn a_retry_on_its_way_is_not_settled_yet() {
        let mut told = Told::of(&attention(&[]));
        told.look(&attention(&[1]));
        let sending = Attention { sending: 1, ..attention(&[]) };
        assert_eq!(title(told.look(&sending)), "withdraw");
        assert_eq!(title(told.look(&sending)), "", "taken away once");
        assert_eq!(title(told.look(&attention(&[1]))), "1 issue needs you", "refused again");
        assert_eq!(title(told.look(&sending)), "withdraw");
        assert_eq!(title(told.look(&attention(&[]))), "Nothing needs you");
    }

    #[test]
    fn a_notice_names_lanes_but_no_issues() {
        let lane = Item { entry: None, title: "work is signed out".into(), ..item(0) };
        let mut told = Told::default();
        let one = Attention { attention: 1, items: vec![lane.clone()], ..attention(&[]) };
        assert_eq!(title(told.look(&one)), "work is signed out");
        let two = Attention { attention: 2, items: vec![lane, item(1)], ..attention(&[]) };
        let Some(Step::Needs(notice)) = told.look(&two) else { panic!("it is news") };
        assert_eq!(notice.title, "2 things need you");
        assert!(!format!("{notice:?}").contains("secret"), "titles stay on this computer's windows");
    }
}
