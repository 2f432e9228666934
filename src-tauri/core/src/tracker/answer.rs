//! What a tracker's answer means. Decisions only: values in, values out.
//!
//! Success is the right code *and* JSON *and* what the tracker's shape asks for. Everything else is sorted by one
//! question: can the request have done its work all the same? "Surely not" is said only of what rejects before it
//! acts: the tracker's own 4xx, and those codes that a proxy gives without asking the tracker. A filter that looks at
//! *answers* can turn a 201 into its own 403 page, so such a page is doubt.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::address::bare;
use super::{Cause, CauseKind, Reply};

/// Nobody is asked to wait for longer; what says more is wrong, or will say it again.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// As much of a tracker's words as is shown.
const MOST_WORDS: usize = 300;

/// The lines of an answer that matter.
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) date: Option<String>,
    pub(super) location: Option<String>,
    pub(super) link: Option<String>,
    pub(super) total: Option<u64>,
    /// GitHub's count of what may still be asked before `calls_anew_at`, in seconds since 1970.
    pub(super) calls_left: Option<String>,
    pub(super) calls_anew_at: Option<String>,
    /// What a classic token of GitHub's may do; other tokens do not tell.
    pub(super) scopes: Option<String>,
}

/// An answer, read to its end or to the cap.
pub(super) struct Answer {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
    /// False when the body was larger than anything a tracker says.
    pub(super) is_whole: bool,
    pub(super) asked: Url,
    /// For sentences.
    pub(super) host: String,
    /// For the log.
    pub(super) what: String,
    pub(super) base: Url,
}

impl Answer {
    /// Returns what a success says.
    ///
    /// # Errors
    /// Any other answer, sorted.
    pub(super) fn success<T: DeserializeOwned>(&self, codes: &[u16]) -> Result<T, Reply> {
        if !codes.contains(&self.head.status) {
            return Err(self.sorted());
        }
        if !self.is_whole || !self.is_json() {
            return Err(Reply::Doubt(self.stranger()));
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            let mut cause = self.stranger();
            // Position only: the message of serde can quote the body.
            cause.detail = format!("{}, unreadable at {}:{}", cause.detail, error.line(), error.column());
            Reply::Doubt(cause)
        })
    }

    /// Sorts an answer that is not the success that was asked for.
    pub(super) fn sorted(&self) -> Reply {
        let status = self.head.status;
        match status {
            300..=399 => Reply::Refused(self.redirect()),
            401 => Reply::SignIn(self.sign_in()),
            403 if self.head.retry_after.is_some() => self.rate_limited(),
            403 if self.is_json() && self.speaks_of_the_token() => Reply::SignIn(self.sign_in()),
            407 => Reply::NotSent(self.cause(
                CauseKind::Unreachable,
                format!("The proxy on the way to {} wants a sign-in.", self.host),
            )),
            429 => self.rate_limited(),
            408 => Reply::Doubt(self.cause(CauseKind::Timeout, format!("{} took too long.", self.host))),
            400..=499 if self.is_json() => Reply::Refused(self.refusal()),
            404 => Reply::Refused(self.cause(
                CauseKind::Setup,
                format!("There is no tracker at {}. Check the destination's address.", bare(&self.base)),
            )),
            413 => Reply::Refused(self.cause(
                CauseKind::Refused,
                format!("{}, or a proxy before it, does not take anything that large.", self.host),
            )),
            // Said before anything is passed on.
            400 | 405 | 410 | 411 | 414..=417 | 421 | 426 | 428 | 431 | 451 => Reply::Refused(self.cause(
                CauseKind::NotTheTracker,
                format!("Something between here and {} refused to pass it on ({status}).", self.host),
            )),
            // A portal says it of itself (RFC 6585): the tracker was not asked.
            511 => Reply::NotSent(self.cause(
                CauseKind::NotTheTracker,
                "This network wants a sign-in in the browser first.".to_owned(),
            )),
            500..=599 => Reply::Doubt(
                self.cause(CauseKind::Trouble, format!("{} is in trouble ({status}).", self.host)),
            ),
            _ => Reply::Doubt(self.stranger()),
        }
    }

    /// Where a redirect leads, when that is on the origin that was asked.
    pub(super) fn moved_here(&self) -> Option<Url> {
        let to = self.asked.join(self.head.location.as_deref()?).ok()?;
        let is_redirect = (300..400).contains(&self.head.status);
        (is_redirect && to.origin() == self.asked.origin() && to.username().is_empty()).then_some(to)
    }

    /// The `Date` of the answer, in seconds since 1970: ours may be wrong.
    pub(super) fn date(&self) -> Option<i64> {
        seconds(self.head.date.as_deref()?)
    }

    /// Whether a listing ends with this page of `shown` entries, of which `read` have been read in all. A page may be
    /// short because the server gives less than was asked for, so a short page alone proves nothing.
    pub(super) fn ends(&self, shown: usize, asked_for: usize, read: usize) -> bool {
        let all_read = self.head.total.is_some_and(|total| read as u64 >= total);
        match self.head.link.as_deref() {
            Some(link) => !link.contains("rel=\"next\"") && !link.contains("rel=next"),
            None => shown == 0 || (all_read && shown < asked_for),
        }
    }

    /// A cause of `kind` in `words`, with what the log needs.
    pub(super) fn cause(&self, kind: CauseKind, words: String) -> Cause {
        let media = self.head.content_type.as_deref().unwrap_or("no type");
        Cause { kind, words, detail: format!("{} answered {}, {media}", self.what, self.head.status) }
    }

    /// The tracker's own words, in one line.
    pub(super) fn words(&self) -> Option<String> {
        let json: Value = serde_json::from_slice(&self.body).ok()?;
        let words = said(&json)?;
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(line.chars().filter(|c| !c.is_control()).take(MOST_WORDS).collect())
    }

    pub(super) fn is_json(&self) -> bool {
        self.head.content_type.as_deref().is_some_and(|media| {
            let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            media == "application/json" || media.ends_with("+json")
        })
    }

    fn speaks_of_the_token(&self) -> bool {
        let words = self.words().unwrap_or_default().to_ascii_lowercase();
        ["token", "scope", "sign", "password", "otp"].iter().any(|word| words.contains(word))
    }

    fn sign_in(&self) -> Cause {
        let words = match self.words() {
            Some(words) if self.is_json() => {
                format!("{} did not accept the sign-in: \u{201c}{words}\u{201d}.", self.host)
            }
            _ => format!("{} did not accept the sign-in.", self.host),
        };
        self.cause(CauseKind::SignIn, words)
    }

    fn refusal(&self) -> Cause {
        let words = self.words().map_or_else(
            || format!("{} refused it ({}).", self.host, self.head.status),
            |words| format!("{} refused it: \u{201c}{words}\u{201d}.", self.host),
        );
        self.cause(CauseKind::Refused, words)
    }

    fn stranger(&self) -> Cause {
        let words =
            format!("Something other than the tracker answered for {}: a sign-in page, perhaps.", self.host);
        self.cause(CauseKind::NotTheTracker, words)
    }

    fn redirect(&self) -> Cause {
        let from = bare(&self.asked);
        let to = self.head.location.as_deref().and_then(|to| self.asked.join(to).ok());
        let words = match to.as_ref().map(bare) {
            Some(to) => format!(
                "{from} answers that it is now {to}. If that is right, change the destination's address or project."
            ),
            None => format!("{from} answers that it has moved, but not where to."),
        };
        self.cause(CauseKind::Redirect, words)
    }

    fn rate_limited(&self) -> Reply {
        self.asks_to_wait(wait(self.head.retry_after.as_deref(), self.head.date.as_deref()))
    }

    /// The tracker asks to wait for so long, or does not say how long.
    pub(super) fn asks_to_wait(&self, wait: Option<Duration>) -> Reply {
        let cause =
            self.cause(CauseKind::RateLimit, format!("{} asks to wait before sending more.", self.host));
        Reply::RateLimited { wait: wait.map(|wait| wait.min(LONGEST_WAIT)), cause }
    }
}

/// What a refusal says in its JSON: one text, a list of texts, or texts by field.
fn said(json: &Value) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => {
            let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            (!all.is_empty()).then(|| all.join(", "))
        }
        Value::Object(fields) => fields.iter().find_map(|(field, why)| {
            let why = why.as_array().and_then(|all| all.first()).unwrap_or(why);
            Some(format!("{field} {}", why.as_str()?))
        }),
        _ => None,
    };
    let main = ["message", "error"].iter().find_map(|name| json.get(name)).and_then(text);
    let listed = json.get("errors").and_then(|errors| {
        // GitHub tells in the list what its summary leaves out: in a sentence, or by field and code.
        let detail = errors.as_array().and_then(|all| all.first());
        let word = |name: &str| detail.and_then(|detail| detail.get(name)).and_then(Value::as_str);
        let by_field = || Some(format!("{} is {}", word("field")?, word("code")?.replace('_', " ")));
        word("message").map(str::to_owned).or_else(by_field).or_else(|| text(errors))
    });
    match (main.filter(|text| !text.trim().is_empty()), listed) {
        (Some(main), Some(listed)) => Some(format!("{main}: {listed}")),
        (main, listed) => main.or(listed),
    }
}

fn seconds(date: &str) -> Option<i64> {
    DateTimeParser::new().parse_timestamp(date.trim()).ok().map(jiff::Timestamp::as_second)
}

/// Reads `Retry-After`: seconds, or a date by the clock of the answer itself, since ours may be wrong.
fn wait(retry_after: Option<&str>, date: Option<&str>) -> Option<Duration> {
    let text = retry_after?.trim();
    let seconds = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number has are a long wait, too.
        text.parse::<u64>().unwrap_or(u64::MAX)
    } else {
        u64::try_from(seconds(text)?.saturating_sub(seconds(date?)?)).unwrap_or(0)
    };
    Some(Duration::from_secs(seconds.max(1)).min(LONGEST_WAIT))
}
