//! Reads source files the way the rules of the house need them: what is code, what stands between quotes, and what
//! only tests see, told apart. A small reader of Rust's tokens is enough; it never has to understand them.

use std::path::{Path, PathBuf};

/// One file of the house.
pub struct Source {
    /// From the root of the repository, with `/` between the parts.
    pub path: String,
    /// Everything, as it stands in the file.
    pub text: String,
    /// The code alone: comments, quotes and `#[cfg(test)]` blocks are blank, lines stay where they were.
    pub code: String,
    /// What stands between quotes outside of tests, in order.
    pub quotes: Vec<String>,
}

impl Source {
    /// Reads a text. Only Rust is told apart; of anything else, `code` is the whole text.
    pub fn new(path: &str, text: &str) -> Self {
        let (code, quotes) =
            if is_rust(path) { read(&without_tests(text)) } else { (text.to_owned(), Vec::new()) };
        Self { path: path.to_owned(), text: text.to_owned(), code, quotes }
    }

    /// The file's name without its folders and its ending.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }

    /// Whether this is Rust that ships, not a test.
    pub fn ships(&self) -> bool {
        is_rust(&self.path) && self.path.starts_with("src-tauri/") && self.stem() != "tests"
    }

    /// The room of the engine this file is in (`outbox`, `clock`), where it is in one.
    pub fn room(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src-tauri/core/src/")?;
        let room = inside.split(['/', '.']).next()?;
        (room != "lib").then_some(room)
    }

    /// How many modules deep this file's code is below the crate: `outbox/table/claim.rs` is three.
    fn depth(&self) -> usize {
        let inside = self.path.rsplit("/src/").next().unwrap_or_default();
        inside.matches('/').count() + usize::from(!matches!(self.stem(), "mod" | "lib" | "main"))
    }

    /// What this file names below the crate's root, as `room::Item`, by `crate::` or by climbing up with `super::`.
    pub fn names_of_the_crate(&self) -> Vec<String> {
        let to_the_root = "super::".repeat(self.depth());
        let mut names = Vec::new();
        for root in ["crate::", &to_the_root].into_iter().filter(|root| !root.is_empty()) {
            for (at, _) in self.code.match_indices(root) {
                let before = self.code[..at].chars().next_back();
                if !before.is_some_and(|letter| is_word(letter) || letter == ':') {
                    branches(&self.code[at + root.len()..], "", &mut names);
                }
            }
        }
        names
    }

    /// Whether the code has this path or word in it, on its own.
    pub fn says(&self, word: &str) -> bool {
        self.finds(word).next().is_some()
    }

    /// Whether the code reaches into a crate or module from outside: `name::…`, or `use name`.
    pub fn reaches_into(&self, name: &str) -> bool {
        self.finds(name).any(|at| {
            let (before, after) = (&self.code[..at], &self.code[at + name.len()..]);
            !before.ends_with("::") && (after.starts_with("::") || before.ends_with("use "))
        })
    }

    /// The names of the types this file declares.
    pub fn types(&self) -> Vec<&str> {
        let declared =
            ["struct", "enum", "union", "trait", "type", "class", "interface"].into_iter().flat_map(|word| {
                self.finds(word).map(move |at| {
                    let name = self.code[at + word.len()..].trim_start();
                    name.split(|letter| !is_word(letter)).next().unwrap_or_default()
                })
            });
        declared.filter(|name| name.starts_with(char::is_uppercase)).collect()
    }

    fn finds<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.code.match_indices(word).map(|(at, _)| at).filter(|at| {
            let before = self.code[..*at].chars().next_back();
            let after = self.code[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    }
}

/// All files below some folders of the repository, in order.
pub fn walk(root: &Path, folders: &[&str]) -> Vec<Source> {
    let mut paths: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut sources = Vec::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder of ours can be listed");
            paths.extend(
                entries
                    .map(|entry| entry.expect("and so can what is in it").path())
                    .filter(|path| is_ours(path)),
            );
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let path =
                path.strip_prefix(root).expect("we walk below the root").to_string_lossy().replace('\\', "/");
            sources.push(Source::new(&path, &text));
        }
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !matches!(&*name, "target" | "node_modules" | "dist" | "gen" | "shots" | ".git")
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "rs")
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Follows a path with its braces: `a::{b, c::D}` is `a::b` and `a::c::D`. Returns how much of the text it took.
fn branches(text: &str, above: &str, names: &mut Vec<String>) -> usize {
    let join = |name: &str| if above.is_empty() { name.to_owned() } else { format!("{above}::{name}") };
    if text.starts_with('{') {
        let mut at = 1;
        while at < text.len() && !text[at..].starts_with('}') {
            let rest = &text[at..];
            at += match rest.chars().next() {
                Some(letter) if is_word(letter) => branches(rest, above, names),
                Some(letter) => letter.len_utf8(),
                None => break,
            };
        }
        return at + 1;
    }
    let end = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    let name = join(&text[..end]);
    match text[end..].strip_prefix("::") {
        Some(rest) if rest.starts_with(|letter| is_word(letter) || letter == '{') => {
            end + 2 + branches(rest, &name, names)
        }
        _ => {
            if end > 0 {
                names.push(name);
            }
            end
        }
    }
}

/// Blanks out what follows `#[cfg(test)]`: a block, or a line that ends in a semicolon.
fn without_tests(text: &str) -> String {
    let (code, _) = read(text);
    let mut kept = text.as_bytes().to_vec();
    for (at, _) in code.match_indices("#[cfg(test)]") {
        let mut depth = 0_usize;
        let end = code[at..].bytes().position(|byte| match byte {
            b'{' => {
                depth += 1;
                false
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            byte => byte == b';' && depth == 0,
        });
        let end = end.map_or(kept.len(), |end| at + end + 1);
        kept[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(kept).expect("whole letters were blanked")
}

/// Parts Rust into code and quotes. Each byte that is not code becomes a space, so places stay the same.
fn read(text: &str) -> (String, Vec<String>) {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut quotes = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (end, quote) = match &bytes[at..] {
            [b'/', b'/', ..] => (find(text, at, "\n"), None),
            [b'/', b'*', ..] => (find(text, at + 2, "*/") + 2, None),
            [b'r', b'"' | b'#', ..] if !bytes[..at].last().is_some_and(|byte| is_word(char::from(*byte))) => {
                let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
                if bytes.get(at + 1 + hashes) != Some(&b'"') {
                    at += 1;
                    continue;
                }
                let start = at + 2 + hashes;
                let end = find(text, start, &format!("\"{}", "#".repeat(hashes)));
                (end + 1 + hashes, Some(&text[start..end.min(text.len())]))
            }
            [b'"', ..] => {
                let mut end = at + 1;
                while end < bytes.len() && bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                (end + 1, Some(&text[at + 1..end.min(text.len())]))
            }
            [b'\'', b'\\', ..] => (find(text, at + 3, "'") + 1, None),
            [b'\'', ..] => {
                // A letter between two marks; otherwise the mark begins a lifetime.
                let length = text[at + 1..].chars().next().map_or(1, char::len_utf8);
                if bytes.get(at + 1 + length) != Some(&b'\'') {
                    at += 1;
                    continue;
                }
                (at + length + 2, None)
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let end = end.min(bytes.len());
        quotes.extend(quote.map(str::to_owned));
        code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    (String::from_utf8(code).expect("whole letters were blanked"), quotes)
}

fn find(text: &str, from: usize, what: &str) -> usize {
    text.get(from..).and_then(|rest| rest.find(what)).map_or(text.len(), |found| from + found)
}

#[test]
fn code_quotes_and_tests_are_told_apart() {
    let source = Source::new(
        "src-tauri/core/src/outbox/table/claim.rs",
        "//! reqwest\nuse crate::{clock::Clock, issue::{Key, Issue}};\nuse super::super::super::store::Store;\nconst S: &str \
         = r#\"SELECT \"1\" // no comment\"#; /* tokio */ const Q: char = '\"';\nfn a<'a>(x: &'a str) {}\n#[cfg(test)]\nmod \
         tests {\n    use crate::engine::Engine; const T: &str = \"UPDATE\";\n}\nuse crate::view;\n",
    );
    assert_eq!(
        source.names_of_the_crate(),
        ["clock::Clock", "issue::Key", "issue::Issue", "view", "store::Store"],
        "by every way, but not from tests"
    );
    assert_eq!(source.quotes, ["SELECT \"1\" // no comment"]);
    assert!(!source.says("reqwest") && !source.says("tokio"), "a comment names nothing");
    assert!(source.says("Clock") && !source.says("Cloc"));
    assert_eq!(source.code.lines().count(), source.text.lines().count(), "lines stay where they were");
}
