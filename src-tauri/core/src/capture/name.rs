//! Names of attachments: one line that every tracker, header and disk takes, and still the name the person knows.

/// The longest name, in characters.
const LONGEST: usize = 120;
/// The same in bytes: a disk takes 255, and a folder may add a little of its own.
const LONGEST_BYTES: usize = 200;
/// What a name is when nothing of it can be kept.
const NAMELESS: &str = "attachment";

/// Returns `name` as one line without path separators, quotes, control or direction characters; never empty, and at
/// most 120 characters with its extension kept.
pub fn clean_name(name: &str) -> String {
    let mut clean = String::with_capacity(name.len());
    for c in name.chars() {
        match replacement(c) {
            Some(' ') if clean.is_empty() || clean.ends_with(' ') => {}
            Some(c) => clean.push(c),
            None => {}
        }
    }
    // A leading dot hides a file and two of them climb; trailing ones are lost on some disks.
    let clean = clean.trim_matches(['.', ' ']);
    let (stem, extension) = parts(clean);
    fitted(stem, "", extension)
}

/// Returns `name`, or the next free one like it ("shot 2.png"). Names that differ only in case count as one, because
/// to some disks they are.
pub fn unique_name(taken: &[String], name: &str) -> String {
    let taken: Vec<String> = taken.iter().map(|name| name.to_lowercase()).collect();
    let is_free = |name: &String| !taken.contains(&name.to_lowercase());
    let name = clean_name(name);
    if is_free(&name) {
        return name;
    }
    let (stem, extension) = parts(&name);
    // One more number than there are names, so that one of them is free.
    (2..=taken.len() + 2)
        .map(|number| fitted(stem, &format!(" {number}"), extension))
        .find(is_free)
        .unwrap_or_else(|| name.clone())
}

/// The extension of a clean name, in lower case; empty where there is none.
pub(super) fn extension(name: &str) -> String {
    parts(name).1.to_ascii_lowercase()
}

/// What stands for `c` in a name; nothing where it goes without a trace.
fn replacement(c: char) -> Option<char> {
    match c {
        c if c.is_whitespace() => Some(' '),
        c if c.is_control() => None,
        // Characters that turn the direction of what follows, or cannot be seen.
        '\u{061c}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' => None,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => None,
        '"' => Some('”'),
        '\'' | '`' => Some('’'),
        '/' | '\\' | ':' | '*' | '?' | '<' | '>' | '|' => Some('-'),
        c => Some(c),
    }
}

/// Stem and extension; an extension is short and plain, or it is part of the stem.
fn parts(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && (1..=10).contains(&extension.len())
                && extension.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            (stem, extension)
        }
        _ => (name, ""),
    }
}

/// Puts a name together, with the stem cut so that the whole fits.
fn fitted(stem: &str, number: &str, extension: &str) -> String {
    let tail = if extension.is_empty() { number.to_owned() } else { format!("{number}.{extension}") };
    let mut cut = String::new();
    for c in stem.chars().take(LONGEST - tail.len()) {
        if cut.len() + c.len_utf8() + tail.len() > LONGEST_BYTES {
            break;
        }
        cut.push(c);
    }
    // A joiner or a space at the cut belongs to what was cut away.
    let cut = cut.trim_end_matches([' ', '.', '\u{200d}']);
    if cut.is_empty() { format!("{NAMELESS}{tail}") } else { format!("{cut}{tail}") }
}
