//! A destination, an issue and its attachments on disk: what the trackers' tests begin with. Taken in by `#[path]`,
//! because it speaks of the engine's types and the practice tracker does not.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use outtray_core::issue::{Attachment, Destination, Issue, Key, Receipt, StageKind, TrackerKind, plan};
use outtray_core::tracker::{Cause, Done, Known, Limits, Look, Reply, Seen, Step, Tracker, Trackers as _};
use outtray_support::TOKEN;
use secrecy::SecretString;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A directory of attachments, and an issue that grows.
pub struct Case {
    pub attachments: TempDir,
    pub issue: Issue,
    pub timeout: Duration,
    /// As the destination says.
    pub branch: Option<String>,
    pub honours_key: bool,
    pub ca: Option<String>,
}

impl Case {
    pub fn new() -> Self {
        let issue = Issue {
            key: Key::fresh(),
            title: "Crash on save".into(),
            body: "It crashed.\r\nTwice. 🦀".into(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
            attachments: Vec::new(),
        };
        Self {
            attachments: TempDir::new().unwrap(),
            issue,
            timeout: Duration::from_secs(20),
            branch: None,
            honours_key: false,
            ca: None,
        }
    }

    /// Adds an attachment with its bytes on disk.
    pub fn attach(&mut self, name: &str, media_type: &str, bytes: &[u8]) -> &mut Self {
        let id = i64::try_from(self.issue.attachments.len()).unwrap() + 1;
        let file = format!("file-{id}");
        std::fs::write(self.attachments.path().join(&file), bytes).unwrap();
        self.issue.attachments.push(Attachment {
            id,
            name: name.into(),
            media_type: media_type.into(),
            size: bytes.len() as u64,
            sha256: Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            file,
            picture: media_type.starts_with("image/").then_some((2, 2)),
        });
        self
    }

    pub fn gitea(&self, url: &str) -> Box<dyn Tracker> {
        self.gitea_with(url, Some(TOKEN)).unwrap()
    }

    pub fn gitea_with(&self, url: &str, token: Option<&str>) -> Result<Box<dyn Tracker>, Cause> {
        self.open(TrackerKind::Gitea, url, "ada/demo", token)
    }

    /// The practice project at any tracker.
    pub fn at(&self, tracker: TrackerKind, url: &str) -> Box<dyn Tracker> {
        let project = if tracker == TrackerKind::Redmine { "demo" } else { "ada/demo" };
        self.open(tracker, url, project, Some(TOKEN)).unwrap()
    }

    pub fn open(
        &self,
        tracker: TrackerKind,
        url: &str,
        project: &str,
        token: Option<&str>,
    ) -> Result<Box<dyn Tracker>, Cause> {
        let destination = self.destination(tracker, url, project);
        let limits = Limits { stage_timeout: self.timeout };
        Known.open(&destination, token.map(SecretString::from), self.attachments.path(), limits)
    }

    pub fn destination(&self, tracker: TrackerKind, url: &str, project: &str) -> Destination {
        Destination {
            id: 1,
            name: "work".into(),
            tracker,
            url: Some(url.into()),
            project: (tracker != TrackerKind::Webhook).then(|| project.into()),
            path: None,
            branch: self.branch.clone(),
            honours_key: self.honours_key,
            ca: self.ca.clone(),
        }
    }

    /// Files the issue, stage by stage, as a worker does.
    pub async fn deliver(&self, kind: TrackerKind, tracker: &dyn Tracker) -> Result<Done, Reply> {
        let (mut created, mut references) = (None::<Done>, Vec::new());
        let attachment = |id: i64| self.issue.attachments.iter().find(|one| one.id == id).unwrap();
        for (stage, id) in plan(kind, &self.issue.attachments) {
            let receipt = created.as_ref().and_then(|done| done.receipt.as_ref());
            let uploaded: Vec<(&Attachment, &str)> = references
                .iter()
                .map(|(id, reference): &(i64, String)| (attachment(*id), reference.as_str()))
                .filter(|(attachment, _)| stage == StageKind::Create || attachment.is_picture())
                .collect();
            let step = match (stage, receipt) {
                (StageKind::Create, _) => Step::Create { uploaded: &uploaded },
                (StageKind::Upload, receipt) => Step::Upload { receipt, attachment: attachment(id.unwrap()) },
                (StageKind::Embed, receipt) => Step::Embed { receipt: receipt.unwrap(), pictures: &uploaded },
            };
            match tracker.send(&self.issue, step).await {
                Reply::Done(done) if stage == StageKind::Create => created = Some(done),
                Reply::Done(done) => {
                    references.extend(id.map(|id| (id, done.reference.expect("an upload has a reference"))));
                }
                reply => return Err(reply),
            }
        }
        Ok(created.expect("a create"))
    }

    pub fn folder(&self, path: &str) -> Result<Box<dyn Tracker>, Cause> {
        let destination = Destination {
            id: 1,
            name: "folder".into(),
            tracker: TrackerKind::Folder,
            url: None,
            project: None,
            path: Some(path.into()),
            branch: None,
            honours_key: false,
            ca: None,
        };
        Known.open(&destination, None, self.attachments.path(), Limits { stage_timeout: self.timeout })
    }

    pub fn look<'a>(&self, step: Step<'a>) -> Look<'a> {
        Look { key: self.issue.key, login: Some("ada"), since_ms: hour_ago_ms(), step }
    }

    pub async fn create(&self, tracker: &dyn Tracker) -> Reply {
        tracker.send(&self.issue, Step::Create { uploaded: &[] }).await
    }

    pub async fn created(&self, tracker: &dyn Tracker) -> Receipt {
        done(self.create(tracker).await).receipt.expect("a create has a receipt")
    }

    /// Uploads attachment `at` and returns its reference.
    pub async fn uploaded(&self, tracker: &dyn Tracker, receipt: &Receipt, at: usize) -> String {
        let step = Step::Upload { receipt: Some(receipt), attachment: &self.issue.attachments[at] };
        done(tracker.send(&self.issue, step).await).reference.expect("an upload has a reference")
    }

    pub async fn find(&self, tracker: &dyn Tracker) -> Result<Seen, Reply> {
        tracker.look(&self.issue, self.look(Step::Create { uploaded: &[] })).await
    }
}

pub fn hour_ago_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond() - 3_600_000
}

pub fn done(reply: Reply) -> Done {
    match reply {
        Reply::Done(done) => done,
        other => panic!("not done: {other:?}"),
    }
}

/// The cause of a reply that is not `Done`.
pub fn cause(reply: &Reply) -> &Cause {
    match reply {
        Reply::NotSent(cause)
        | Reply::Refused(cause)
        | Reply::SignIn(cause)
        | Reply::Doubt(cause)
        | Reply::RateLimited { cause, .. } => cause,
        Reply::Done(done) => panic!("done: {done:?}"),
    }
}

/// The name of a reply's kind.
pub fn kind(reply: &Reply) -> &'static str {
    match reply {
        Reply::Done(_) => "done",
        Reply::NotSent(_) => "not sent",
        Reply::Refused(_) => "refused",
        Reply::SignIn(_) => "sign-in",
        Reply::RateLimited { .. } => "rate limited",
        Reply::Doubt(_) => "doubt",
    }
}
