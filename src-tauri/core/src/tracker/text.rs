//! Words as trackers take them: one-line titles, bodies of a bounded length, names in links and queries.

use std::borrow::Cow;

use crate::issue::{Attachment, Issue, Key};
use crate::tracker::marker;

/// As much of a title as every tracker takes, in characters.
const LONGEST_TITLE: usize = 255;
/// What stands for what was left out.
const CUT: char = '…';

/// The title in one line, cut at a character, and the text. What was cut of the title stands whole above the text.
pub(super) fn title<'a>(title: &str, text: &'a str) -> (String, Cow<'a, str>) {
    let line = one_line(title);
    if line.chars().count() <= LONGEST_TITLE {
        return (line, Cow::Borrowed(text));
    }
    let cut: String = line.chars().take(LONGEST_TITLE - 1).chain([CUT]).collect();
    (cut, Cow::Owned(format!("{line}\n\n{text}")))
}

/// Whether a title is cut.
pub(super) fn is_too_long(title: &str) -> bool {
    one_line(title).chars().count() > LONGEST_TITLE
}

fn one_line(title: &str) -> String {
    let line = title.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ").replace('\0', "");
    line.trim().to_owned()
}

/// Title and body for a tracker that takes a text of any length.
pub(super) fn plain(issue: &Issue) -> (String, String) {
    let (title, text) = title(&issue.title, &issue.body);
    (title, marker::write(&text, issue.key))
}

/// A body as it is sent, and whether all of the text is in it.
pub(super) struct Fitted {
    pub(super) body: String,
    pub(super) is_whole: bool,
}

/// Puts text, what is `added` below it and the marker together, within `most` characters: the text is cut for that, at
/// a character, and what follows it never. There is always room left for `room` characters below it, so that the same
/// text is cut at the same place before and after the links below it are known.
pub(super) fn fit(text: &str, added: &str, room: usize, key: Key, most: usize) -> Fitted {
    let body = |text: &str| {
        let body = marker::write(text, key);
        if added.is_empty() { body } else { marker::insert_before(&body, key, added) }
    };
    let whole = body(text);
    let length = whole.chars().count() + room.saturating_sub(added.chars().count());
    if length <= most {
        return Fitted { body: whole, is_whole: true };
    }
    // Making a foreign marker harmless makes the text longer, so it is cut as it is then.
    let harmless = marker::defuse(text);
    let kept = harmless.trim_end().chars().count().saturating_sub(length - most + 1);
    let cut: String = harmless.chars().take(kept).chain([CUT]).collect();
    Fitted { body: body(&cut), is_whole: false }
}

/// As much room as the link to a file may take, in characters: its name as text and in an address, and the address.
pub(super) fn room(attachment: &Attachment) -> usize {
    300 + alt(&attachment.name).chars().count() + 3 * attachment.name.len()
}

/// Every byte that is not plainly harmless in a query, percent-encoded; a space too, which a form would make a plus.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The name's shape in ASCII: no quotes, no spaces, the extension kept.
pub(super) fn ascii(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '_' })
        .collect()
}

/// A name as the text of a link or picture.
pub(super) fn alt(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !c.is_control()) {
        if matches!(c, '[' | ']' | '\\' | '`' | '<' | '*' | '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A file as Markdown: shown where it is a picture, else linked.
pub(super) fn markdown(attachment: &Attachment, url: &str) -> String {
    let shown = if attachment.is_picture() { "!" } else { "" };
    format!("{shown}[{}]({url})", alt(&attachment.name))
}

/// A body with the files that it does not name yet; nothing when it names all of them. It is the body as it is now, not as
/// it was sent: somebody may have edited it meanwhile.
pub(super) fn with_late(body: &str, key: Key, files: &[(&Attachment, &str)]) -> Option<String> {
    let is_late = |(_, url): &&(&Attachment, &str)| !body.contains(*url);
    let late: Vec<String> =
        files.iter().filter(is_late).map(|(attachment, url)| markdown(attachment, url)).collect();
    (!late.is_empty()).then(|| marker::insert_before(body, key, &late.join("\n\n")))
}

/// A name as a person would list several: "a", "a and b", "a, b and c".
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_at_a_character_and_nothing_else_is() {
        let key = Key::fresh();
        for text in
            ["x".repeat(1_000), "🦀".repeat(1_000), format!("{}\n<!-- outtray:x -->", "é".repeat(990))]
        {
            let fitted = fit(&text, "![shot](url)", 12, key, 300);
            assert_eq!(fitted.body.chars().count(), 300, "{}", fitted.body);
            assert!(!fitted.is_whole);
            assert!(
                fitted.body.ends_with(&format!("…\n\n![shot](url)\n\n{}", marker::of(key))),
                "{}",
                fitted.body
            );
        }
        let short = fit("short", "", 0, key, 300);
        assert!(short.is_whole);
        assert_eq!(short.body, marker::write("short", key));
    }

    #[test]
    fn a_text_is_cut_at_the_same_place_whatever_the_links_below_it_are() {
        let key = Key::fresh();
        let words = |link: &str, length: usize| {
            let fitted = fit(&"x".repeat(length), link, 100, key, 300);
            (fitted.body.matches('x').count(), fitted.is_whole)
        };
        for length in [90, 120, 140, 1_000] {
            let known = "l".repeat(80);
            assert_eq!(words("l", length), words(&known, length), "{length}");
        }
        assert!(words("l", 90).1 && !words("l", 1_000).1);
    }

    #[test]
    fn names_are_listed_as_people_do() {
        let names =
            |count: usize| ["a", "b", "c"][..count].iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!((list(&names(0)), list(&names(1))), (String::new(), "a".to_owned()));
        assert_eq!((list(&names(2)), list(&names(3))), ("a and b".to_owned(), "a, b and c".to_owned()));
    }
}
