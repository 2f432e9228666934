//! How an entry of an archive stands where it arrives. A pure decision.
//!
//! | in the archive | a copy | a move |
//! |---|---|---|
//! | filed | filed | filed |
//! | taken back | taken back | taken back |
//! | waiting | held, until somebody releases it | goes on |
//! | needs the person | held | needs the person; a silent sender is no longer waited for, a missing file tried again |
//!
//! Whatever is not filed is in doubt besides: it is looked for before anything is sent.

use crate::archive::{Entry, Kind};
use crate::fault::mistake;
use crate::view::EntryState;

/// Why a copy is held.
pub const COPY: &str = "copy";
const COPY_WORDS: &str = "This came as a copy. File it here, or withdraw it if the other computer does.";

/// How it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Its state.
    pub state: EntryState,
    /// Why it needs the person, or was taken back.
    pub reason: Option<String>,
    /// The same in words, or what came of its last try.
    pub words: Option<String>,
}

/// Decides.
pub fn arrival(kind: Kind, entry: &Entry) -> Arrival {
    let as_it_was =
        || Arrival { state: entry.state, reason: entry.reason.clone(), words: entry.words.clone() };
    match (entry.state, kind) {
        (EntryState::Filed | EntryState::Withdrawn, _) => as_it_was(),
        (EntryState::Waiting | EntryState::Attention, Kind::Copy) if !mistake("send_copies") => Arrival {
            state: EntryState::Attention,
            reason: Some(COPY.to_owned()),
            words: Some(COPY_WORDS.to_owned()),
        },
        (EntryState::Attention, _) if !matches!(entry.reason.as_deref(), Some("silent" | "incomplete")) => {
            as_it_was()
        }
        (EntryState::Waiting | EntryState::Attention, _) => {
            Arrival { state: EntryState::Waiting, reason: None, words: entry.words.clone() }
        }
    }
}
