//! Settings: their names, units, defaults and bounds. Values only; where they are stored is the outbox's business.

use crate::problem::{Code, Problem, Result};
use crate::view::SettingView;

/// One setting, as the table below states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Such as `drain.workers`.
    pub key: &'static str,
    /// `ms`, `days`, `bytes`, `entries`, `workers`.
    pub unit: &'static str,
    /// The value when nothing is set; nothing where "unset" has a meaning.
    pub default: Option<u64>,
    /// The smallest value.
    pub least: u64,
    /// The largest value.
    pub most: u64,
    /// What it does, in one sentence.
    pub words: &'static str,
}

/// The word that takes a value away.
pub const UNSET: &str = "unset";

const DAY_MS: u64 = 86_400_000;

/// Every setting there is, in the order it is shown.
pub const TABLE: [Setting; 11] = [
    Setting {
        key: "drain.lease_ms",
        unit: "ms",
        default: Some(30_000),
        least: 200,
        most: 600_000,
        words: "How long a worker owns an entry before it has to renew.",
    },
    Setting {
        key: "drain.stage_timeout_ms",
        unit: "ms",
        default: Some(60_000),
        least: 100,
        most: 600_000,
        words: "How long one stage may take; uploads get more by their size.",
    },
    Setting {
        key: "drain.workers",
        unit: "workers",
        default: Some(3),
        least: 1,
        most: 16,
        words: "How many entries one process works on at once.",
    },
    Setting {
        key: "drain.admission",
        unit: "entries",
        default: Some(70),
        least: 1,
        most: 10_000,
        words: "How many entries one drain takes on.",
    },
    Setting {
        key: "drain.quiet_ms",
        unit: "ms",
        default: None,
        least: 0,
        most: 600_000,
        words: "How long after a sender is gone a late commit is still possible; unset takes the tracker's own.",
    },
    Setting {
        key: "drain.backoff_base_ms",
        unit: "ms",
        default: Some(5_000),
        least: 10,
        most: 60_000,
        words: "How long the first wait after a try is, at most.",
    },
    Setting {
        key: "drain.backoff_cap_ms",
        unit: "ms",
        default: Some(900_000),
        least: 10,
        most: DAY_MS,
        words: "How long the wait after many tries is, at most.",
    },
    Setting {
        key: "outbox.max_entries",
        unit: "entries",
        default: Some(10_000),
        least: 1,
        most: 1_000_000,
        words: "How many entries may wait before saving is refused.",
    },
    Setting {
        key: "outbox.max_bytes",
        unit: "bytes",
        default: Some(2_147_483_648),
        least: 1,
        most: 1_099_511_627_776,
        words: "How much the attachments of waiting entries may take before saving is refused.",
    },
    Setting {
        key: "keep.filed_text_days",
        unit: "days",
        default: Some(30),
        least: 0,
        most: 3_650,
        words: "How long the words of a filed issue stay on this computer.",
    },
    Setting {
        key: "keep.filed_pictures_days",
        unit: "days",
        default: Some(0),
        least: 0,
        most: 3_650,
        words: "How long the attachments of a filed issue stay on this computer.",
    },
];

/// Reads what a person typed for the setting called `key`. No value stands for `unset`: back to the default.
///
/// # Errors
/// `NotFound` for a name that is none, `Invalid` for a value that it does not take.
pub fn parse(key: &str, text: &str) -> Result<(&'static str, Option<u64>)> {
    let setting = find(key)?;
    let text = text.trim();
    if text == UNSET {
        return Ok((setting.key, None));
    }
    let Setting { key, unit, least, most, .. } = *setting;
    let takes = format!("{key} takes {least} to {most} {unit}");
    let hint = match setting.default {
        Some(default) => format!("The default is {default}; “{UNSET}” goes back to it."),
        None => format!("“{UNSET}” goes back to the default."),
    };
    // Time is long, all else is many.
    let (too_low, too_high) =
        if matches!(unit, "ms" | "days") { ("too short", "too long") } else { ("too few", "too many") };
    let refuse =
        |why: String| Err(Problem::new(Code::Invalid, format!("{takes}; {why}.")).hint(hint.clone()));
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse(format!("“{}” is not a whole number", shortened(text)));
    }
    match digits.parse::<u64>() {
        Ok(value) if is_negative && value > 0 => refuse(format!("-{value} is {too_low}")),
        Ok(value) if value < least => refuse(format!("{value} is {too_low}")),
        Ok(value) if value <= most => Ok((key, Some(value))),
        // More digits than a number of ours can have.
        Ok(_) | Err(_) => refuse(format!("{} is {too_high}", shortened(text))),
    }
}

/// The setting called `key`.
///
/// # Errors
/// `NotFound`, with the nearest name there is.
pub fn find(key: &str) -> Result<&'static Setting> {
    let key = key.trim();
    TABLE.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let problem = Problem::new(Code::NotFound, format!("There is no setting called {}.", shortened(key)));
        match nearest(key) {
            Some(nearest) => problem.hint(format!("Did you mean {nearest}?")),
            None => problem.hint("“outtrayctl settings get” lists them all."),
        }
    })
}

/// The settings in force. Times and counts that meet signed clocks are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `drain.lease_ms`
    pub lease_ms: i64,
    /// `drain.stage_timeout_ms`
    pub stage_timeout_ms: i64,
    /// `drain.workers`
    pub workers: u64,
    /// `drain.admission`
    pub admission: u64,
    /// `drain.quiet_ms`; nothing = the tracker's own.
    pub quiet_ms: Option<i64>,
    /// `drain.backoff_base_ms`
    pub backoff_base_ms: i64,
    /// `drain.backoff_cap_ms`
    pub backoff_cap_ms: i64,
    /// `outbox.max_entries`
    pub max_entries: u64,
    /// `outbox.max_bytes`
    pub max_bytes: u64,
    /// `keep.filed_text_days`
    pub keep_filed_text_days: u64,
    /// `keep.filed_pictures_days`
    pub keep_filed_pictures_days: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self::from_rows(std::iter::empty::<(&str, &str)>())
    }
}

impl Settings {
    /// Reads stored rows. A row that cannot be read, or is of another version, leaves the default in force; a number
    /// beyond a bound is taken as the bound: the engine always has settings to run by.
    pub fn from_rows<K: AsRef<str>, V: AsRef<str>>(rows: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut values = TABLE.map(|setting| setting.default);
        for (key, value) in rows {
            if let Some(at) = TABLE.iter().position(|setting| setting.key == key.as_ref())
                && let Ok(value) = value.as_ref().trim().parse::<u64>()
            {
                values[at] = Some(value.clamp(TABLE[at].least, TABLE[at].most));
            }
        }
        let [
            lease_ms,
            stage_timeout_ms,
            workers,
            admission,
            quiet_ms,
            backoff_base_ms,
            backoff_cap_ms,
            max_entries,
            max_bytes,
            keep_filed_text_days,
            keep_filed_pictures_days,
        ] = values;
        Self {
            lease_ms: ms(lease_ms),
            stage_timeout_ms: ms(stage_timeout_ms),
            workers: workers.unwrap_or_default(),
            admission: admission.unwrap_or_default(),
            quiet_ms: quiet_ms.map(|value| ms(Some(value))),
            backoff_base_ms: ms(backoff_base_ms),
            backoff_cap_ms: ms(backoff_cap_ms),
            max_entries: max_entries.unwrap_or_default(),
            max_bytes: max_bytes.unwrap_or_default(),
            keep_filed_text_days: keep_filed_text_days.unwrap_or_default(),
            keep_filed_pictures_days: keep_filed_pictures_days.unwrap_or_default(),
        }
    }

    /// Every setting with the value in force, to be shown.
    pub fn views(&self) -> Vec<SettingView> {
        let values = [
            Some(self.lease_ms.unsigned_abs()),
            Some(self.stage_timeout_ms.unsigned_abs()),
            Some(self.workers),
            Some(self.admission),
            self.quiet_ms.map(i64::unsigned_abs),
            Some(self.backoff_base_ms.unsigned_abs()),
            Some(self.backoff_cap_ms.unsigned_abs()),
            Some(self.max_entries),
            Some(self.max_bytes),
            Some(self.keep_filed_text_days),
            Some(self.keep_filed_pictures_days),
        ];
        let view = |(setting, value): (&Setting, Option<u64>)| SettingView {
            key: setting.key.to_owned(),
            value,
            default: setting.default,
            least: setting.least,
            most: setting.most,
            unit: setting.unit.to_owned(),
            words: setting.words.to_owned(),
        };
        TABLE.iter().zip(values).map(view).collect()
    }
}

fn ms(value: Option<u64>) -> i64 {
    value.and_then(|value| i64::try_from(value).ok()).unwrap_or_default()
}

/// The name a person may have meant: a few letters away, or one whose last word was typed alone.
fn nearest(key: &str) -> Option<&'static str> {
    let key = key.to_lowercase().replace('-', "_");
    let named = TABLE.iter().map(|setting| setting.key);
    let by_last_word = named.clone().find(|known| known.split_once('.').is_some_and(|(_, word)| word == key));
    by_last_word.or_else(|| {
        let closest = named.map(|known| (distance(known, &key), known)).min()?;
        (closest.0 <= 1 + key.chars().count() / 3).then_some(closest.1)
    })
}

/// How many letters to add, drop or change to make one of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(80).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, a) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], above + 1);
        for (at, b) in other.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[at + 1];
            row[at + 1] = change.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// What was typed, short enough to be said again in one line.
fn shortened(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= 40 { text } else { text.chars().take(39).chain(['…']).collect() }
}
