//! Trackers: one file each, the same shape. A tracker does not know why it is called; it sends one stage,
//! or looks, and says plainly what came of it.
//!
//! To add one: a word in `TrackerKind`, its order of stages in `issue::plan`, an adapter that implements [`Tracker`],
//! and a line in [`Known`]. The network is reached through `http.rs` only.

pub mod address;
mod alone;
mod answer;
mod catalogue;
mod chosen;
mod file;
mod folder;
mod gitea;
mod github;
mod gitlab;
mod http;
mod label;
mod listing;
pub mod marker;
mod pace;
pub mod place;
pub mod preview;
mod redmine;
mod template;
mod text;
mod webhook;

pub use catalogue::Read;
pub use folder::keep;

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use crate::issue::{Attachment, Destination, Issue, Key, Project, Receipt, TrackerKind};

/// What is known about who we are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The login, where the token may tell it.
    pub login: Option<String>,
    /// What a test tells the person: "Gitea 1.22, signed in as ada, may file in ada/demo."
    pub words: String,
}

/// Why something did not work: a kind for the program, words for the person, detail for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The kind to branch on.
    pub kind: CauseKind,
    /// One sentence for the person.
    pub words: String,
    /// For the log: never holds a secret, a body or a query.
    pub detail: String,
}

/// The kinds of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseKind {
    /// No connection came about: DNS, refused, TLS, proxy.
    Unreachable,
    /// No answer in time.
    Timeout,
    /// The connection broke, or the answer was cut.
    Cut,
    /// The tracker is in trouble (5xx).
    Trouble,
    /// Something that is not the tracker answered: a login page, a portal, a proxy.
    NotTheTracker,
    /// A redirect, which is not followed.
    Redirect,
    /// The tracker itself refused what was sent.
    Refused,
    /// The token was not taken, or may not do this.
    SignIn,
    /// The tracker asked to wait.
    RateLimit,
    /// The destination cannot be used as it is set up.
    Setup,
    /// A file or disk on this computer.
    Local,
    /// Nobody can look there whether something has arrived.
    CannotLook,
}

/// What one send came to. The kinds decide what the outbox may do next, so an adapter that is unsure
/// says `Doubt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It happened.
    Done(Done),
    /// Surely nothing left this computer.
    NotSent(Cause),
    /// The tracker itself said no, and surely did nothing; only a person can change that.
    Refused(Cause),
    /// The token is not taken (surely nothing done): the lane waits for a person.
    SignIn(Cause),
    /// The tracker asked to wait (surely nothing done).
    RateLimited {
        /// How long, where it said so.
        wait: Option<Duration>,
        /// Why.
        cause: Cause,
    },
    /// It may have happened.
    Doubt(Cause),
}

impl Reply {
    /// Why not; nothing of what happened.
    pub fn into_cause(self) -> Option<Cause> {
        match self {
            Self::Done(_) => None,
            Self::NotSent(cause)
            | Self::Refused(cause)
            | Self::SignIn(cause)
            | Self::RateLimited { cause, .. }
            | Self::Doubt(cause) => Some(cause),
        }
    }
}

/// A stage that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The tracker's own reference for the stage (an asset's uuid, say), kept on the stage's row.
    pub reference: Option<String>,
    /// Of a create: the issue.
    pub receipt: Option<Receipt>,
    /// The account that did it, where the answer says so.
    pub login: Option<String>,
    /// What the person should know of it, such as a label that the project does not have.
    pub told: Option<String>,
}

/// One stage to send, with everything it needs.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Make the issue.
    Create {
        /// Each attachment that went ahead, with the reference its upload left.
        uploaded: &'a [(&'a Attachment, &'a str)],
    },
    /// Send one attachment.
    Upload {
        /// The issue it belongs to; nothing where files go first.
        receipt: Option<&'a Receipt>,
        /// What is sent.
        attachment: &'a Attachment,
    },
    /// Put the uploaded pictures into the body of the issue with this receipt; where files go first, those that came late.
    Embed {
        /// The issue.
        receipt: &'a Receipt,
        /// Each picture with the reference its upload left; where files go first, every file.
        pictures: &'a [(&'a Attachment, &'a str)],
    },
}

/// What a look-up is about.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The marker's key.
    pub key: Key,
    /// The login that sent it, where it is known.
    pub login: Option<&'a str>,
    /// Nothing older than this can be it (wall time of the first intent, minus a generous slack for clocks that differ).
    pub since_ms: i64,
    /// The step in doubt.
    pub step: Step<'a>,
}

/// What a look-up saw: every match, oldest first. Empty means the whole listing was read and it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// Issues that carry the marker (of a create).
    pub issues: Vec<Receipt>,
    /// References of assets that match by name and size (of an upload); for an embed, one empty string when done.
    pub references: Vec<String>,
}

/// A tracker that is ready to be asked: an adapter with its destination and token.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// Asks who we are and whether we may file there.
    ///
    /// # Errors
    /// The reply that says why not; never `Done`.
    async fn account(&self) -> Result<Account, Reply>;

    /// Sends one stage. Dropping the future closes its connection.
    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply;

    /// Whether the issue at `link`, as a person gave it, is this one: it lies in this project and carries the marker.
    ///
    /// # Errors
    /// The reply that says why that cannot be told: `Refused` with kind `Setup` for a link to somewhere else.
    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply>;

    /// Whether what is sent again is recognised by its key, so that a doubt needs no look.
    fn recognises_repeats(&self) -> bool {
        false
    }

    /// Looks whether a stage has happened, through listings only. Where nobody can look, the cause is `CannotLook`.
    ///
    /// # Errors
    /// The reply that says why the look failed; a failed look is no look.
    async fn look(&self, issue: &Issue, look: Look<'_>) -> Result<Seen, Reply>;

    /// Reads what the project offers to choose from, part by part: nothing where a tracker offers nothing.
    async fn catalogue(&self) -> Vec<Read> {
        Vec::new()
    }

    /// The projects there that the token may file in, whichever this one is.
    ///
    /// # Errors
    /// The reply that says why they cannot be told.
    async fn projects(&self) -> Result<Vec<Project>, Reply> {
        Ok(Vec::new())
    }
}

/// Where a destination lies and which project it is, as its adapter needs to know.
fn set_up(destination: &Destination) -> Result<(Url, String), Cause> {
    let typed = destination.url.as_deref().unwrap_or_default();
    let project = destination.project.as_deref().unwrap_or_default();
    let read = place::read(destination.tracker, typed, project);
    let (base, project) = read.map_err(|problem| Cause {
        kind: CauseKind::Setup,
        words: problem.message.clone(),
        detail: problem.chain(),
    })?;
    Ok((base, project.unwrap_or_default()))
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a stage without a body to speak of; an upload gets its size ÷ 20 kB/s on top.
    pub stage_timeout: Duration,
}

/// Who makes the adapter for a destination. There is one for the trackers there are; tests bring their own.
pub trait Trackers: Send + Sync + 'static {
    /// Makes the adapter for a destination; asks nobody. `attachments` is the directory with their files.
    ///
    /// # Errors
    /// When the destination cannot be used as it is set up.
    fn open(
        &self,
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Box<dyn Tracker>, Cause>;
}

/// The trackers there are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known;

impl Trackers for Known {
    fn open(
        &self,
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Box<dyn Tracker>, Cause> {
        match destination.tracker {
            TrackerKind::Folder => Ok(Box::new(folder::Folder::open(destination, attachments)?)),
            TrackerKind::Gitea | TrackerKind::Forgejo => {
                Ok(Box::new(gitea::Gitea::open(destination, token, attachments, limits)?))
            }
            TrackerKind::Redmine => {
                Ok(Box::new(redmine::Redmine::open(destination, token, attachments, limits)?))
            }
            TrackerKind::GitHub => {
                Ok(Box::new(github::GitHub::open(destination, token, attachments, limits)?))
            }
            TrackerKind::GitLab => {
                Ok(Box::new(gitlab::GitLab::open(destination, token, attachments, limits)?))
            }
            TrackerKind::Webhook => {
                Ok(Box::new(webhook::Webhook::open(destination, token, attachments, limits)?))
            }
        }
    }
}
