//! What a refusal of GitHub's means. It asks to wait with the same 403 by which it refuses a permission, so the two are
//! told apart by what comes with it.

use std::time::Duration;

use serde::de::DeserializeOwned;

use super::GitHub;
use crate::tracker::answer::Answer;
use crate::tracker::{CauseKind, Reply};

impl GitHub {
    /// Returns what a success says.
    ///
    /// # Errors
    /// Any other answer, sorted.
    pub(super) fn read<T: DeserializeOwned>(&self, answer: &Answer, codes: &[u16]) -> Result<T, Reply> {
        if codes.contains(&answer.head.status) { answer.success(codes) } else { Err(self.sorted(answer)) }
    }

    /// Sorts an answer that is not the success that was asked for.
    pub(super) fn sorted(&self, answer: &Answer) -> Reply {
        let project = self.project();
        let setup = |words: String| Reply::Refused(answer.cause(CauseKind::Setup, words));
        if let Some(reply) = asks_to_wait(answer) {
            return reply;
        }
        match (answer.sorted(), answer.head.status) {
            (Reply::Refused(cause), 404) if cause.kind == CauseKind::Refused => {
                setup(format!("{project} is not there, or this account or token may not see it."))
            }
            (Reply::Refused(_), 410) if answer.is_json() => {
                setup(format!("The issues of {project} are switched off."))
            }
            (Reply::Refused(cause), 403) if cause.words.contains("archived") => {
                setup(format!("{project} is archived and takes no changes."))
            }
            (Reply::SignIn(mut cause), 403) => {
                cause.words.push_str(" It needs the permission “Issues: read and write” there.");
                Reply::SignIn(cause)
            }
            (reply, _) => reply,
        }
    }
}

/// GitHub's ways to ask for patience: a header, a count that is used up, or only words.
fn asks_to_wait(answer: &Answer) -> Option<Reply> {
    let head = &answer.head;
    if !matches!(head.status, 403 | 429) || head.retry_after.is_some() {
        return None;
    }
    if head.calls_left.as_deref().map(str::trim) == Some("0") {
        let anew_at: Option<i64> = head.calls_anew_at.as_deref().and_then(|at| at.trim().parse().ok());
        // By the clock of the answer, and a second more: the count is new only after that moment.
        let left = anew_at.zip(answer.date()).map(|(anew_at, now)| anew_at.saturating_sub(now).max(0) + 1);
        return Some(answer.asks_to_wait(left.map(|left| Duration::from_secs(left.unsigned_abs()))));
    }
    let words = answer.words().unwrap_or_default().to_ascii_lowercase();
    let is_secondary = ["secondary rate limit", "abuse detection", "rate limit exceeded"];
    is_secondary.iter().any(|part| words.contains(part)).then(|| answer.asks_to_wait(None))
}
