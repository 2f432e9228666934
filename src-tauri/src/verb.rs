//! What a start of the app asks for: one verb of a short list. Nothing else that was typed is kept or handed to a
//! running instance; whoever typed it is told.

use std::ffi::{OsStr, OsString};

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

/// How a start goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Start {
    /// With this verb.
    With(Verb),
    /// With words for whoever typed it, and nothing else.
    Say(String),
    /// It was not understood; why, and what would be.
    Refuse(String),
}

const USAGE: &str = "\
Usage: outtray [--new | --capture | --outbox | --hidden]

  --new       write an issue
  --capture   capture the screen into a new issue
  --outbox    show the outbox
  --hidden    stay in the tray
  --show      show what is most useful, as without any word
  --help      these words
  --version   the version

A running Outtray does it. Without a desktop there is outtrayctl.
";

/// What is repeated of a word that is not known.
const MOST_CHARACTERS: usize = 40;

impl Start {
    /// Reads a command line, its program name left out: one word at most.
    pub(crate) fn of(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut words = arguments.into_iter();
        let Some(word) = words.next() else { return Self::With(Verb::Show) };
        match (word.to_str(), words.next()) {
            (Some("--help" | "-h"), _) => Self::Say(USAGE.to_owned()),
            (Some("--version" | "-V"), _) => Self::Say(format!("outtray {}\n", env!("CARGO_PKG_VERSION"))),
            (known, None) => match known.and_then(|word| word.strip_prefix("--")).and_then(Verb::named) {
                Some(verb) => Self::With(verb),
                None => Self::Refuse(format!("outtray does not know “{}”.\n\n{USAGE}", harmless(&word))),
            },
            (_, Some(_)) => Self::Refuse(format!("outtray takes one word at a time.\n\n{USAGE}")),
        }
    }
}

/// A word as it can be shown on a terminal.
fn harmless(word: &OsStr) -> String {
    let shown = word.to_string_lossy();
    let mut characters = shown.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut short: String = characters.by_ref().take(MOST_CHARACTERS).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

impl Verb {
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
#[allow(clippy::panic)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Start {
        Start::of(arguments.iter().map(OsString::from))
    }

    #[test]
    fn one_word_asks_for_one_thing() {
        assert_eq!(of(&[]), Start::With(Verb::Show));
        assert_eq!(of(&["--new"]), Start::With(Verb::New));
        assert_eq!(of(&["--hidden"]), Start::With(Verb::Hidden));
    }

    #[test]
    fn help_and_version_are_told() {
        assert_eq!(of(&["--help"]), Start::Say(USAGE.to_owned()));
        assert_eq!(of(&["-h", "--new"]), Start::Say(USAGE.to_owned()));
        assert_eq!(
            of(&["--version"]),
            Start::Say(concat!("outtray ", env!("CARGO_PKG_VERSION"), "\n").to_owned())
        );
        for verb in [Verb::Show, Verb::New, Verb::Capture, Verb::Outbox, Verb::Hidden] {
            assert!(USAGE.contains(&format!("--{}", verb.name())), "{verb:?} is not in the usage");
        }
    }

    #[test]
    fn what_is_not_known_is_refused_and_starts_nothing() {
        let long = "x".repeat(1 << 20);
        for word in ["new", "--", "--NEW", "--new=1", "https://evil.example", "", &long, "-n"] {
            let Start::Refuse(words) = of(&[word]) else {
                panic!("{} is understood", harmless(OsStr::new(word)))
            };
            assert!(words.ends_with(USAGE), "it says what would be understood");
            assert!(words.len() < USAGE.len() + 300, "and does not repeat a novel");
        }
        assert!(matches!(of(&["--new", "--capture"]), Start::Refuse(_)));
        let Start::Refuse(words) = of(&["\u{1b}[2J"]) else { panic!("it is understood") };
        assert!(!words.contains('\u{1b}'), "no word drives the terminal");
    }

    #[test]
    #[cfg(unix)]
    fn bytes_that_are_no_text_are_refused() {
        use std::os::unix::ffi::OsStringExt as _;
        assert!(matches!(Start::of([OsString::from_vec(vec![0xff, 0xfe])]), Start::Refuse(_)));
    }

    #[test]
    fn every_name_names_its_verb() {
        for verb in [Verb::Show, Verb::New, Verb::Capture, Verb::Outbox, Verb::Hidden] {
            assert_eq!(Verb::named(verb.name()), Some(verb));
        }
    }
}
