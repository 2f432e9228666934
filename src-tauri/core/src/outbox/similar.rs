//! Which issues are like the one being written: by the words they share. A word that few titles have counts for more than
//! one that many have. Pure.

use std::collections::{HashMap, HashSet};

use super::table::catalogue::Own;
use crate::issue::Title;
use crate::view::{EntryState, SimilarView, Standing};

/// As many are shown.
const MOST: usize = 5;
/// Shared weight below which nothing is like anything.
const LEAST: f64 = 0.4;

/// Titles that are known at the tracker and our own, each issue once: what the tracker says of its state is the truth.
pub fn together(known: Vec<Title>, own: Vec<Own>) -> Vec<SimilarView> {
    let there: HashSet<String> = known.iter().map(|title| title.url.clone()).collect();
    let is_new = |own: &Own| own.receipt.as_ref().is_none_or(|receipt| !there.contains(&receipt.url));
    let own = own.into_iter().filter(is_new).map(|own| {
        let (number, url) = own.receipt.map(|receipt| (receipt.number, receipt.url)).unzip();
        let standing = if own.state == EntryState::Filed { Standing::Filed } else { Standing::Waiting };
        SimilarView { title: own.title, number, url, standing }
    });
    let known = known.into_iter().map(|title| SimilarView {
        title: title.title,
        number: Some(title.number),
        url: Some(title.url),
        standing: if title.open { Standing::Open } else { Standing::Closed },
    });
    known.chain(own).collect()
}

/// Those that are most like `typed`, best first; of equals, the earlier.
pub fn rank(typed: &str, known: Vec<SimilarView>) -> Vec<SimilarView> {
    let asked = words(typed);
    if asked.is_empty() {
        return Vec::new();
    }
    let titles: Vec<HashSet<String>> = known.iter().map(|issue| words(&issue.title)).collect();
    let mut in_titles: HashMap<&str, usize> = HashMap::new();
    for word in titles.iter().flatten() {
        *in_titles.entry(word).or_default() += 1;
    }
    let weight = |word: &str| {
        let count = in_titles.get(word).copied().unwrap_or_default();
        (1.0 + f64::from(u32::try_from(known.len()).unwrap_or(u32::MAX))).ln()
            - f64::from(u32::try_from(count).unwrap_or(u32::MAX)).ln_1p()
            + 1.0
    };
    // In one order, so that sums of the same words are the same.
    let mut asked: Vec<String> = asked.into_iter().collect();
    asked.sort();
    let whole: f64 = asked.iter().map(|word| weight(word)).sum();
    let score = |title: &HashSet<String>| {
        let shared: Vec<&String> = asked.iter().filter(|word| has(title, word)).collect();
        let share = shared.iter().map(|word| weight(word)).sum::<f64>() / whole;
        // One word in common says little where there are several.
        let is_alike = share >= LEAST && (shared.len() > 1 || asked.len() == 1);
        is_alike.then_some(share)
    };
    let mut found: Vec<(f64, usize)> =
        titles.iter().enumerate().filter_map(|(at, title)| Some((score(title)?, at))).collect();
    found.sort_by(|(one, at), (other, after)| other.total_cmp(one).then(at.cmp(after)));
    let places: Vec<usize> = found.into_iter().take(MOST).map(|(_, at)| at).collect();
    let mut known: Vec<Option<SimilarView>> = known.into_iter().map(Some).collect();
    places.into_iter().filter_map(|at| known[at].take()).collect()
}

/// Whether a title has a word, or one that begins with it: the last one typed may not be whole yet.
fn has(title: &HashSet<String>, word: &str) -> bool {
    title.contains(word)
        || (word.chars().count() >= 4
            && title
                .iter()
                .any(|other| other.starts_with(word) || word.starts_with(other.as_str()) && is_stem(other)))
}

/// What is long enough to be the stem of a longer word.
fn is_stem(word: &str) -> bool {
    word.chars().count() >= 4
}

/// The words of a title that say something, in lower case. Scripts without spaces give each pair of letters.
fn words(title: &str) -> HashSet<String> {
    let lower = title.to_lowercase();
    let mut words = HashSet::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let letters: Vec<char> = word.chars().collect();
        if letters.iter().any(|c| is_dense(*c)) {
            words.extend(letters.windows(2).map(|pair| pair.iter().collect()));
        } else if (letters.len() > 2 || letters.iter().all(char::is_ascii_digit))
            && !SAY_NOTHING.contains(&word)
        {
            words.insert(word.to_owned());
        }
    }
    words
}

/// Letters of scripts that set no spaces.
const fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0e7f}')
}

/// Words that every title may have.
const SAY_NOTHING: &[&str] = &[
    "and", "are", "but", "can", "does", "for", "from", "has", "have", "into", "not", "that", "the", "then",
    "this", "was", "when", "which", "will", "with", "der", "die", "das", "und", "ein", "eine", "ist", "mit",
    "nicht", "wenn",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issue::Receipt;

    fn title(number: u32, title: &str, open: bool) -> Title {
        Title {
            number: number.to_string(),
            title: title.to_owned(),
            url: format!("https://git.example.org/{number}"),
            open,
        }
    }

    fn known() -> Vec<SimilarView> {
        let titles = [
            "CSV export drops the last row when a filter is on",
            "Crash on start with an empty config",
            "Export to PDF has no page numbers",
            "The till does not open",
            "Export dialog: typo",
            "検索が遅い",
            "Export takes long",
            "Export button is grey",
            "Export of orders",
        ];
        let titles = (1..).zip(titles).map(|(number, text)| title(number, text, number != 4));
        together(titles.collect(), Vec::new())
    }

    fn numbers(typed: &str) -> Vec<String> {
        rank(typed, known()).into_iter().filter_map(|issue| issue.number).collect()
    }

    #[test]
    fn the_most_alike_comes_first_and_what_shares_little_does_not_come() {
        assert_eq!(numbers("Last row missing in CSV export")[0], "1");
        assert_eq!(numbers("crash ON start!"), ["2"]);
        assert_eq!(numbers("the till will not open"), ["4"]);
        assert!(numbers("Something else entirely").is_empty());
        assert!(numbers("the row of the till").is_empty(), "one word in common is no likeness");
        for nothing in ["", "  ", "the", "is it", "!"] {
            assert!(numbers(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn a_word_that_is_still_being_typed_counts_and_five_are_enough() {
        assert_eq!(numbers("expor").len(), MOST);
        assert_eq!(numbers("csv exported"), numbers("csv export"));
        assert_eq!(numbers("検索が"), ["6"], "scripts without spaces");
    }

    #[test]
    fn our_own_are_among_them_each_once_and_the_tracker_knows_their_state() {
        let own = |text: &str, state, number: Option<u32>| Own {
            title: text.to_owned(),
            state,
            receipt: number.map(|number| Receipt {
                number: number.to_string(),
                url: format!("https://git.example.org/{number}"),
            }),
        };
        let all = together(
            vec![title(4, "The till does not open", false)],
            vec![
                own("The till does not open", EntryState::Filed, Some(4)),
                own("The till opens by itself", EntryState::Waiting, None),
                own("The till opens twice", EntryState::Filed, Some(9)),
            ],
        );
        let found: Vec<_> = rank("till open", all).into_iter().map(|issue| issue.standing).collect();
        assert_eq!(found, [Standing::Closed, Standing::Waiting, Standing::Filed]);
    }
}
