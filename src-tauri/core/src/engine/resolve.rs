//! A person's word on a doubt: "it is there". Believed after a look at that very issue, since the files that follow would
//! otherwise go to somebody else's.

use std::time::Duration;

use url::Url;

use super::Engine;
use crate::problem::{Code, Problem, Result};
use crate::tracker::{CauseKind, Limits, Reply};
use crate::view::Acted;

/// A person waits for the answer.
const PATIENCE: Duration = Duration::from_secs(20);

impl Engine {
    /// The person says that it is there, at `url`.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` when that is no address of an issue at its destination; `Refused` when there is no doubt, or
    /// the issue there is another one; `Unreachable` or `SignIn` when it cannot be looked at now.
    pub async fn resolve_there(&self, id: i64, url: &str) -> Result<Acted> {
        let (issue, destination) = self.0.outbox.in_question(id, &self.0.clock.now())?;
        let link = Url::parse(url.trim()).map_err(|_| no_address("That is not the address of an issue."))?;
        let token = match destination.tracker.needs_token() {
            true => self.0.secrets.token(&destination.name).await?,
            false => None,
        };
        let limits = Limits { stage_timeout: PATIENCE };
        let recognised = match self.0.trackers.open(&destination, token, self.0.files.dir(), limits) {
            Ok(tracker) => tracker.recognise(&issue, &link).await,
            Err(cause) => Err(Reply::Refused(cause)),
        };
        match recognised {
            Ok(Some(receipt)) => self.0.outbox.resolve_there(id, &receipt, &self.0.clock.now()),
            Ok(None) => Err(Problem::new(
                Code::Refused,
                "The issue there is another one: it does not carry this one’s mark.",
            )
            .hint("Give the address of the issue that this one has become, or send it again.")),
            Err(reply) => Err(untold(reply)),
        }
    }
}

fn no_address(words: &str) -> Problem {
    Problem::new(Code::Invalid, words).hint("Copy it from the browser’s address bar.")
}

/// Why it cannot be told whether that is the issue.
fn untold(reply: Reply) -> Problem {
    let again = "It is looked at before it is believed. Try again when the tracker answers.";
    match reply {
        Reply::Refused(cause) if cause.kind == CauseKind::Setup => no_address(&cause.words),
        Reply::SignIn(cause) => Problem::new(Code::SignIn, cause.words).hint("Sign in first."),
        Reply::NotSent(cause) | Reply::RateLimited { cause, .. } => {
            Problem::new(Code::Unreachable, cause.words).hint(again)
        }
        Reply::Refused(cause) | Reply::Doubt(cause) => Problem::new(Code::Refused, cause.words).hint(again),
        Reply::Done(_) => Problem::new(Code::Internal, "The tracker did not say.").hint(again),
    }
}
