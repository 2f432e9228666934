//! Names in the folder: of an issue's directory, and of the files in it.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use uuid::Uuid;

use crate::clock::{Clock, SystemClock};
use crate::issue::{Issue, Key};

/// As much of a title as goes into a name.
const LONGEST_SLUG: usize = 48;
/// What file systems take, in bytes.
const LONGEST_NAME: usize = 255;
/// The page with the text.
pub(super) const PAGE: &str = "issue.md";

/// `2026-11-30-crash-on-save-KEY`, where the day is the local one on which the issue was begun: the key tells it, so
/// that every attempt, also one after midnight, comes to the same name.
pub(super) fn directory(issue: &Issue) -> String {
    let day = begun(issue.key).to_zoned_datetime(TimeZone::system()).date();
    format!("{day}-{}{}", slug(&issue.title), end(issue.key))
}

/// How the names of an issue's directories end.
pub(super) fn end(key: Key) -> String {
    format!("-{key}")
}

/// The files' names in order: harmless as paths, and each its own also where case does not count.
pub(super) fn files(names: &[&str]) -> Vec<String> {
    let mut taken = HashSet::from([PAGE.to_owned()]);
    names
        .iter()
        .map(|name| {
            let name = harmless(name);
            let free = (1..).map(|n| numbered(&name, n)).find(|name| taken.insert(name.to_lowercase()));
            free.unwrap_or(name)
        })
        .collect()
}

fn begun(key: Key) -> Timestamp {
    let stamped = Uuid::try_parse(&key.to_string()).ok().and_then(|uuid| uuid.get_timestamp());
    stamped
        .and_then(|stamp| {
            let (seconds, nanoseconds) = stamp.to_unix();
            Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanoseconds).ok()?).ok()
        })
        // A key from elsewhere need not tell.
        .or_else(|| Timestamp::from_millisecond(SystemClock::new().now().wall_ms).ok())
        .unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The title in small ASCII letters, digits and dashes.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars() {
        let folded = fold(c);
        if folded.is_empty() {
            if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        } else if slug.len() + folded.len() <= LONGEST_SLUG {
            slug.push_str(&folded);
        } else {
            // Whole words, where there is more than one.
            if let Some((words, _cut)) = slug.rsplit_once('-') {
                slug.truncate(words.len());
            }
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "issue".to_owned() } else { slug.to_owned() }
}

/// What a character becomes in a slug; nothing for what has no ASCII likeness.
fn fold(c: char) -> String {
    let alike = match c {
        'a'..='z' | '0'..='9' => return c.to_string(),
        'A'..='Z' => return c.to_ascii_lowercase().to_string(),
        'ä' | 'Ä' | 'æ' | 'Æ' => "ae",
        'ö' | 'Ö' | 'ø' | 'Ø' | 'œ' | 'Œ' => "oe",
        'ü' | 'Ü' => "ue",
        'ß' | 'ẞ' => "ss",
        'þ' | 'Þ' => "th",
        'à'..='ã' | 'å' | 'À'..='Ã' | 'Å' | 'Ā'..='ą' => "a",
        'ç' | 'Ç' | 'Ć'..='č' => "c",
        'ð' | 'Ð' | 'Ď'..='đ' => "d",
        'è'..='ë' | 'È'..='Ë' | 'Ē'..='ě' => "e",
        'Ĝ'..='ģ' => "g",
        'Ĥ'..='ħ' => "h",
        'ì'..='ï' | 'Ì'..='Ï' | 'Ĩ'..='ı' => "i",
        'Ĵ' | 'ĵ' => "j",
        'Ķ'..='ĸ' => "k",
        'Ĺ'..='ł' => "l",
        'ñ' | 'Ñ' | 'Ń'..='ŋ' => "n",
        'ò'..='õ' | 'Ò'..='Õ' | 'Ō'..='ő' => "o",
        'Ŕ'..='ř' => "r",
        'Ś'..='š' | 'Ș' | 'ș' => "s",
        'Ţ'..='ŧ' | 'Ț' | 'ț' => "t",
        'ù'..='û' | 'Ù'..='Û' | 'Ũ'..='ų' => "u",
        'Ŵ' | 'ŵ' => "w",
        'ý' | 'ÿ' | 'Ý' | 'Ŷ'..='Ÿ' => "y",
        'Ź'..='ž' => "z",
        _ => "",
    };
    alike.to_owned()
}

/// A name that is one visible file in its directory, whatever came in.
fn harmless(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '/' | '\\') { '_' } else { c }).collect();
    let name = name.trim().trim_start_matches('.');
    let name = if name.is_empty() { "attachment" } else { name };
    // Room for a number.
    shorten(name, LONGEST_NAME - 8)
}

/// `shot.png`, `shot-2.png`, `shot-3.png`, …
fn numbered(name: &str, n: u32) -> String {
    if n == 1 {
        return name.to_owned();
    }
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("{stem}-{n}.{extension}"),
        _ => format!("{name}-{n}"),
    }
}

/// Cuts the stem at a character, and keeps a short extension.
fn shorten(name: &str, most: usize) -> String {
    if name.len() <= most {
        return name.to_owned();
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() <= 16 => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let mut at = (most - extension.len()).min(stem.len());
    while !stem.is_char_boundary(at) {
        at -= 1;
    }
    format!("{}{extension}", &stem[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_ascii_and_short_whatever_the_title() {
        for (title, expected) in [
            ("Crash on save", "crash-on-save"),
            ("  Größe: Straße (Ærø) façade ", "groesse-strasse-aeroe-facade"),
            ("line\none\r\n../../etc/passwd", "line-one-etc-passwd"),
            ("🦀🦀", "issue"),
            ("\u{202e}gnp.exe", "gnp-exe"),
            ("مشكلة", "issue"),
            ("", "issue"),
        ] {
            assert_eq!(slug(title), expected, "{title:?}");
        }
        let long = slug(&"word ".repeat(100));
        assert!(long.len() <= LONGEST_SLUG && long.ends_with("word"), "{long}");
    }

    #[test]
    fn files_have_names_of_their_own_and_stay_in_their_directory() {
        assert_eq!(
            files(&["shot.png", "SHOT.png", "issue.md", "../up", ".hidden", "a\nb.txt", "", "Issue.MD"]),
            ["shot.png", "SHOT-2.png", "issue-2.md", "_up", "hidden", "a_b.txt", "attachment", "Issue-3.MD"]
        );
        let long = format!("{}.png", "ä".repeat(300));
        let name = &files(&[&long])[0];
        assert!(name.len() <= LONGEST_NAME && name.ends_with(".png"), "{name}");
    }
}
