//! Reading a tracker's list of issues to where it cannot hold what is looked for any more.

use jiff::Timestamp;

use super::{Cause, CauseKind, Reply};

/// Issues on a page. Few, because each brings its whole text, and an answer that is too large is no answer.
pub(super) const PAGE: usize = 25;
/// Beyond this many pages since one attempt, the listing is not believed to end.
pub(super) const MOST_PAGES: usize = 400;

/// The time that a look goes back to.
pub(super) fn since(since_ms: i64) -> Timestamp {
    Timestamp::from_millisecond(since_ms.max(0)).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Whether everything from here on is older than `since`: for servers that do not heed it. Newest first, so what follows
/// is older still; a server that sorts otherwise is read to its end.
pub(super) fn is_past<'a>(created: impl Iterator<Item = Option<&'a str>>, since: Timestamp) -> bool {
    let created: Vec<Option<Timestamp>> = created.map(|at| at?.parse().ok()).collect();
    let is_sorted = created.is_sorted_by(|a, b| a >= b);
    !created.is_empty() && is_sorted && created.iter().all(|at| at.is_some_and(|at| at < since))
}

/// The look failed: the list goes on for ever.
pub(super) fn endless(project: &str) -> Reply {
    Reply::Doubt(Cause {
        kind: CauseKind::Trouble,
        words: format!("The list of issues in {project} does not end."),
        detail: format!("stopped looking after {MOST_PAGES} pages"),
    })
}
