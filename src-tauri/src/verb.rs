//! What a start of the app asks for: one verb of a short list. Nothing else that was typed is looked at, kept or
//! handed to a running instance.

use std::ffi::OsString;

/// What a start asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Show what is most useful.
    Show,
    /// Write an issue.
    New,
    /// Capture the screen into a new issue.
    Capture,
    /// Show the outbox.
    Outbox,
    /// Stay in the tray.
    Hidden,
}

/// Nobody types more before the verb.
const MOST_ARGUMENTS: usize = 16;

impl Verb {
    /// Reads the first known verb of a command line, its program name left out.
    pub(crate) fn of(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let known = |argument: OsString| Self::named(argument.to_str()?.strip_prefix("--")?);
        arguments.into_iter().take(MOST_ARGUMENTS).find_map(known).unwrap_or(Self::Show)
    }

    /// Returns the verb called `name`, or nothing.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Show, Self::New, Self::Capture, Self::Outbox, Self::Hidden]
            .into_iter()
            .find(|verb| verb.name() == name)
    }

    /// Its name, as it is typed after two dashes and as it travels to a running instance.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Show => "show",
            Self::New => "new",
            Self::Capture => "capture",
            Self::Outbox => "outbox",
            Self::Hidden => "hidden",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Verb {
        Verb::of(arguments.iter().map(OsString::from))
    }

    #[test]
    fn a_verb_is_found_among_other_words() {
        assert_eq!(of(&[]), Verb::Show);
        assert_eq!(of(&["--new"]), Verb::New);
        assert_eq!(of(&["/tmp/report.txt", "--capture", "--new"]), Verb::Capture);
        assert_eq!(of(&["--hidden"]), Verb::Hidden);
    }

    #[test]
    fn hostile_words_ask_for_nothing_but_the_usual() {
        let long = "x".repeat(1 << 20);
        for words in [["new", "--"], ["--NEW", "--new=1"], ["--new\0", "https://evil.example"], [&long, "-n"]]
        {
            assert_eq!(of(&words), Verb::Show, "{words:?}");
        }
        let mut far = vec!["x"; 1000];
        far.push("--capture");
        assert_eq!(of(&far), Verb::Show, "a verb behind a thousand words is not looked for");
    }

    #[test]
    #[cfg(unix)]
    fn bytes_that_are_no_text_are_passed_over() {
        use std::os::unix::ffi::OsStringExt as _;
        assert_eq!(Verb::of([OsString::from_vec(vec![0xff, 0xfe]), "--outbox".into()]), Verb::Outbox);
    }

    #[test]
    fn every_name_names_its_verb() {
        for verb in [Verb::Show, Verb::New, Verb::Capture, Verb::Outbox, Verb::Hidden] {
            assert_eq!(Verb::named(verb.name()), Some(verb));
        }
    }
}
