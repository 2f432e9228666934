//! Where everything that is told goes: results to standard output, as text or as one JSON document; what went wrong to
//! standard error, as a sentence and a next step or as `{"error": …}`. A reader that left, such as `head`, is no error.

use std::cell::Cell;
use std::io::{ErrorKind, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use outtray_core::Problem;
use serde::Serialize;

/// The two streams, in one of two languages.
pub(crate) struct Output {
    json: bool,
    lost: Cell<bool>,
}

impl Output {
    pub(crate) const fn new(json: bool) -> Self {
        Self { json, lost: Cell::new(false) }
    }

    /// Tells a result: `value` to programs, `text` to people.
    pub(crate) fn show<T: Serialize + ?Sized>(&self, value: &T, text: impl FnOnce() -> String) {
        if self.json {
            self.json(value);
        } else {
            self.line(&text());
        }
    }

    /// Tells programs a result that people have been told already, piece by piece.
    pub(crate) fn show_programs<T: Serialize + ?Sized>(&self, value: &T) {
        if self.json {
            self.json(value);
        }
    }

    /// Tells people something on the way to a result.
    pub(crate) fn show_people(&self, text: &str) {
        if !self.json {
            self.line(text);
        }
    }

    /// Tells what went wrong.
    pub(crate) fn problem(&self, problem: &Problem) {
        let text = if self.json {
            serde_json::to_string(&serde_json::json!({ "error": problem }))
                .unwrap_or_else(|error| error.to_string())
        } else {
            let hint = problem.hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
            visible(&format!("{}{hint}", problem.message))
        };
        self.complain(&text);
    }

    /// Remarks something to people that is no result and no error; programs are spared.
    pub(crate) fn remark(&self, text: &str) {
        if !self.json {
            self.complain(&visible(text));
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush())
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.lost.set(true);
            self.complain(&format!("The output could not be written: {error}."));
        }
    }

    /// Whether something that was to be told could not be.
    pub(crate) const fn is_lost(&self) -> bool {
        self.lost.get()
    }

    fn json<T: Serialize + ?Sized>(&self, value: &T) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.write(format!("{text}\n").as_bytes()),
            Err(error) => {
                self.lost.set(true);
                self.complain(&error.to_string());
            }
        }
    }

    fn line(&self, text: &str) {
        self.write(format!("{}\n", visible(text.trim_end_matches('\n'))).as_bytes());
    }

    fn complain(&self, text: &str) {
        // When not even this can be told, there is nobody to tell it to.
        let _told = writeln!(std::io::stderr().lock(), "{text}");
    }
}

/// The text without anything that could steer a terminal, or turn the direction of what follows: titles and reasons come
/// from elsewhere.
fn visible(text: &str) -> String {
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|c| (!c.is_control() && !turns(*c)) || matches!(c, '\n' | '\t')).collect()
}

/// A moment as the person's clock shows it.
pub(crate) fn local(moment: &str) -> String {
    moment.parse::<Timestamp>().map_or_else(
        |_| moment.to_owned(),
        |moment| moment.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Rows as columns, two spaces apart; the last column is as long as it likes.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Bytes, for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let (mut tenths, mut unit) = (bytes / 100, 0);
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}
