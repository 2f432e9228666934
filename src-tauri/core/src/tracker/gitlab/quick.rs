//! Quick actions: lines of a text that GitLab would carry out, such as `/close`, and take out of the text.

/// Returns `text` with every line that reads as a quick action made plain text. The backslash does not show. Longer
/// paths, as in a pasted log, are no quick actions and stay as they are.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // GitLab takes carriage returns out before it looks.
        let (before, rest) = line.split_at(line.len() - line.trim_start_matches([' ', '\t', '\r']).len());
        out.push_str(before);
        if is_action(rest) {
            out.push('\\');
        }
        out.push_str(rest);
    }
    out
}

/// Whether it is a slash, a word, and then nothing or an argument.
fn is_action(line: &str) -> bool {
    let Some(rest) = line.replace('\r', "").strip_prefix('/').map(str::to_owned) else { return false };
    let word_ends = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
    let after = rest[word_ends..].chars().next();
    word_ends > 0 && after.is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_would_be_carried_out_is_text() {
        for (text, escaped) in [
            ("/close", "\\/close"),
            ("a\n/close\nb", "a\n\\/close\nb"),
            ("a\r\n/assign @ada\r\nb", "a\r\n\\/assign @ada\r\nb"),
            ("a\n\r/clo\rse\n", "a\n\r\\/clo\rse\n"),
            ("  /label ~bug", "  \\/label ~bug"),
            ("/CLOSE \t", "\\/CLOSE \t"),
            ("```\n/close\n", "```\n\\/close\n"),
        ] {
            assert_eq!(escape(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_action_stays_as_it_is() {
        for text in
            ["", "a /close", "/usr/lib/libc.so", "/ close", "//comment", "https://x/close", "/é.png\n"]
        {
            assert_eq!(escape(text), text);
        }
    }
}
