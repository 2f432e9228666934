//! The marker: an issue's key inside the filed issue, by which it can be found again.
//!
//! It is an HTML comment that ends the body. Text that a person pastes may carry the marker of another issue; taken
//! along as it is, it would make a look-up for that other issue find this one, so it is written visibly instead.

use crate::issue::Key;

const OPENS: &str = "<!--";
const NAME: &str = "outtray:";

/// The comment for `key`.
pub fn of(key: Key) -> String {
    format!("{OPENS} {NAME}{key} -->")
}

/// Returns `body` as it is sent: without NUL, foreign markers defused, the marker at its end.
pub fn write(body: &str, key: Key) -> String {
    let body = defuse(body);
    let text = body.trim_end();
    if text.is_empty() { of(key) } else { format!("{text}\n\n{}", of(key)) }
}

/// Whether `body` carries the marker of exactly this key.
pub fn is_in(body: &str, key: Key) -> bool {
    body.contains(&of(key))
}

/// Returns `body` with `addition` before the marker, or at the end where somebody has taken the marker out.
pub fn insert_before(body: &str, key: Key, addition: &str) -> String {
    let marker = of(key);
    let (before, after) = body.rfind(&marker).map_or((body, ""), |at| body.split_at(at));
    let before = before.trim_end();
    let gap = if before.is_empty() { "" } else { "\n\n" };
    let end = if after.is_empty() { String::new() } else { format!("\n\n{after}") };
    format!("{before}{gap}{addition}{end}")
}

/// Makes every marker in a person's text plain to see, and no comment any more.
pub fn defuse(text: &str) -> String {
    // Databases end a text at a NUL, or refuse it. It goes first, or its going could put a marker together.
    let text = text.replace('\0', "");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(OPENS) {
        let (before, comment) = rest.split_at(at);
        let inside = &comment[OPENS.len()..];
        let is_marker =
            inside.trim_start().get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        out.push_str(before);
        out.push_str(if is_marker { "&lt;!--" } else { OPENS });
        rest = inside;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> (Key, Key) {
        (Key::fresh(), Key::fresh())
    }

    #[test]
    fn the_marker_ends_the_body_and_is_found_there() {
        let (key, other) = keys();
        let body = write("It crashed.\r\nTwice.\n\n", key);
        assert!(body.starts_with("It crashed.\r\nTwice.\n\n<!-- outtray:"));
        assert!(body.ends_with(" -->"));
        assert!(is_in(&body, key));
        assert!(!is_in(&body, other));
        assert_eq!(write("", key), of(key), "an empty body is the marker alone");
    }

    #[test]
    fn a_pasted_marker_of_another_issue_is_no_marker_any_more() {
        let (key, other) = keys();
        for pasted in [of(other), format!("<!--outtray:{other}-->"), format!("<!--\n OUTTRAY:{other} -->")] {
            let body = write(&format!("See\n{pasted}\nabove"), key);
            assert!(!is_in(&body, other), "{body}");
            assert!(body.contains("&lt;!--"), "it stays to be seen: {body}");
            assert!(is_in(&body, key));
        }
        assert!(write("<!-- a template's hint -->", key).contains("<!-- a template's hint -->"));
    }

    #[test]
    fn a_marker_hidden_by_a_nul_is_no_marker_either() {
        let (key, other) = keys();
        let body = write(&of(other).replace("out", "o\0ut"), key);
        assert!(!is_in(&body, other), "taking the NUL out must not make a marker: {body}");
    }

    #[test]
    fn pictures_go_before_the_marker_and_survive_its_loss() {
        let (key, _) = keys();
        let body = write("Text", key);
        assert_eq!(insert_before(&body, key, "![a](b)"), format!("Text\n\n![a](b)\n\n{}", of(key)));
        assert_eq!(insert_before("Edited", key, "![a](b)"), "Edited\n\n![a](b)");
        assert_eq!(insert_before("", key, "![a](b)"), "![a](b)");
        let answered = format!("{body}\nPS: also on Fridays");
        assert!(insert_before(&answered, key, "![a](b)").ends_with("-->\nPS: also on Fridays"));
    }
}
