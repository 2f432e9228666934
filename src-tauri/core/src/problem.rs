//! What goes wrong, told to three readers: the program (`code`), the person (`message` and `hint`) and
//! the log (the chain of causes).

use std::error::Error;

use serde::Serialize;
use ts_rs::TS;

/// The kind of a problem: what a caller may branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "problem.ts")]
pub enum Code {
    /// No such draft, entry, destination, attachment or setting.
    NotFound,
    /// What was typed cannot be taken as it is.
    Invalid,
    /// The act is not possible in the state the thing is in.
    Refused,
    /// The draft was filed meanwhile in another revision.
    AlreadyFiled,
    /// The draft was saved meanwhile by another window.
    Stale,
    /// The outbox is at one of its bounds.
    OutboxFull,
    /// The database is held by somebody else for too long.
    Busy,
    /// The data directory or the database cannot be written.
    ReadOnly,
    /// The disk is full.
    DiskFull,
    /// The database was made by a newer Outtray.
    TooNew,
    /// The outbox belongs to another computer; it can be used here once the person says so.
    OtherMachine,
    /// The tracker does not take the credential.
    SignIn,
    /// The tracker cannot be reached.
    Unreachable,
    /// The keyring is locked, missing or silent.
    Keyring,
    /// The screen cannot be captured.
    Capture,
    /// Anything else.
    Internal,
}

/// One problem: a sentence for the person, one next step, a kind, and the causes for the log.
#[derive(Debug, thiserror::Error, Serialize, TS)]
#[error("{message}")]
#[ts(export_to = "problem.ts")]
pub struct Problem {
    /// The kind to branch on.
    pub code: Code,
    /// One sentence in the person's words.
    pub message: String,
    /// One next step, or nothing.
    pub hint: Option<String>,
    #[source]
    #[serde(skip)]
    #[ts(skip)]
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl Problem {
    /// A problem of `code`, told in `message`.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, cause: None }
    }

    /// The same once more, for another who has it too; the causes stay with the first.
    pub fn again(&self) -> Self {
        Self { code: self.code, message: self.message.clone(), hint: self.hint.clone(), cause: None }
    }

    /// Adds the one next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the cause, for the log.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The whole chain in one line, for the log.
    pub fn chain(&self) -> String {
        let mut line = self.message.clone();
        let mut next = self.source();
        while let Some(cause) = next {
            line.truncate(line.trim_end_matches('.').len());
            line.push_str(": ");
            line.push_str(&cause.to_string());
            next = cause.source();
        }
        line
    }
}

/// What most verbs of the engine return.
pub type Result<T, E = Problem> = std::result::Result<T, E>;
