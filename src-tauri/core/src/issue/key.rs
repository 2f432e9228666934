//! The idempotency key: born with the draft, and never another one.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

/// A UUID v7 that names one issue for ever, here and inside the tracker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(transparent)]
#[ts(export_to = "issue.ts", type = "string")]
pub struct Key(Uuid);

impl Key {
    /// A new key, for a new draft.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    /// Reads a key back.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}
