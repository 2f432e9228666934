//! A computer with an outbox, as often as a test needs one: the engine whole, a desk on the same store for what only a worker
//! does, and words for what travels between them.

#![allow(dead_code, unreachable_pub, missing_docs)]

#[path = "../desk/mod.rs"]
pub mod desk;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use outtray_core::engine::Options;
use outtray_core::issue::TrackerKind;
use outtray_core::secrets::Secrets;
use outtray_core::store::Adoption;
use outtray_core::tracker::Known;
use outtray_core::view::{DraftEdit, DraftView, NewDestination, NewIssue, Saved};
use outtray_core::{Engine, Problem};
use outtray_support::TOKEN;
use secrecy::SecretString;
use serde_json::Value;

use desk::Desk;

/// One token for every destination.
struct Pocket;

#[async_trait]
impl Secrets for Pocket {
    async fn token(&self, _name: &str) -> Result<Option<SecretString>, Problem> {
        Ok(Some(TOKEN.into()))
    }
    async fn keep(&self, _name: &str, _token: SecretString) -> Result<(), Problem> {
        Ok(())
    }
    async fn forget(&self, _name: &str) -> Result<(), Problem> {
        Ok(())
    }
}

/// A clock that stands still, unless a test moves it.
pub struct Computer {
    pub engine: Engine,
    pub desk: Desk,
}

/// An engine on the computer's own clock, for what goes to a tracker.
pub struct Live {
    pub engine: Engine,
    pub dir: tempfile::TempDir,
}

impl Computer {
    /// With one Gitea destination called `work`.
    pub fn new() -> Self {
        let desk = Desk::new();
        let engine = Engine::open(options(desk.dir.path(), Arc::new(desk.clock.clone()))).unwrap();
        Self { engine, desk }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.desk.dir.path().join(name)
    }

    /// Every entry, as `show --json` tells it.
    pub fn shown(&self) -> Vec<Value> {
        shown(&self.engine)
    }

    /// What lies beside the store.
    pub fn attachments(&self) -> Vec<String> {
        attachments(self.desk.dir.path())
    }

    /// The tables whole, but for who is there.
    pub fn rows(&self) -> Vec<String> {
        let database = self.desk.database();
        let mut rows = Vec::new();
        for table in TABLES {
            let mut statement = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let columns = statement.column_count();
            let mut found = statement.query([]).unwrap();
            while let Some(row) = found.next().unwrap() {
                let values = (0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap()));
                rows.push(format!("{table}: {}", values.collect::<Vec<_>>().join(", ")));
            }
        }
        rows
    }
}

const TABLES: [&str; 13] = [
    "meta",
    "setting",
    "destination",
    "lane",
    "draft",
    "entry",
    "body",
    "attachment",
    "stage",
    "close",
    "attempt",
    "sighting",
    "receipt",
];

impl Live {
    /// With a Gitea destination called `work` at `url`.
    pub async fn new(url: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(outtray_core::clock::SystemClock::new());
        let engine = Engine::open(options(dir.path(), clock)).unwrap();
        for (key, value) in
            [("drain.quiet_ms", "100"), ("drain.backoff_base_ms", "20"), ("drain.stage_timeout_ms", "1500")]
        {
            engine.set_setting(key, value).unwrap();
        }
        engine.add_destination(&gitea("work", url), None).await.unwrap();
        Self { engine, dir }
    }

    /// Files what it may.
    pub async fn drain(&self) {
        self.engine.drain(true, Some(std::time::Duration::from_secs(20))).await.unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

pub fn options(dir: &Path, clock: Arc<dyn outtray_core::clock::Clock>) -> Options {
    Options {
        home: dir.join("outtray"),
        documents: dir.join("Documents"),
        secrets: Arc::new(Pocket),
        clock,
        trackers: Arc::new(Known),
        adoption: Adoption::No,
    }
}

pub fn gitea(name: &str, url: &str) -> NewDestination {
    NewDestination {
        name: name.into(),
        tracker: TrackerKind::Gitea,
        url: Some(url.to_owned()),
        project: Some("ada/demo".into()),
        path: None,
        branch: None,
        honours_key: false,
        ca: None,
    }
}

pub fn shown(engine: &Engine) -> Vec<Value> {
    let mut ids: Vec<i64> = engine.entries(None).unwrap().iter().map(|entry| entry.id).collect();
    ids.sort_unstable();
    ids.iter().map(|id| serde_json::to_value(engine.entry(*id).unwrap()).unwrap()).collect()
}

pub fn attachments(dir: &Path) -> Vec<String> {
    let found = std::fs::read_dir(dir.join("outtray/attachments")).unwrap().flatten();
    let mut names: Vec<String> = found.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Files an issue with these files attached.
pub fn file(engine: &Engine, dir: &Path, title: &str, files: &[(&str, &[u8])]) -> Saved {
    let new = NewIssue {
        destination: "work".to_owned(),
        title: title.to_owned(),
        body: format!("Words of {title}: ü, 天, “quoted”."),
        labels: vec!["bug".to_owned()],
        milestone: Some("2.0".to_owned()),
        assignees: vec!["ada".to_owned(), "grace".to_owned()],
    };
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, bytes)| {
            let path = dir.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    engine.file_new(&new, &paths).unwrap()
}

/// Writes a draft.
pub fn draft(engine: &Engine, title: &str) -> DraftView {
    let draft = engine.new_draft().unwrap();
    engine.attach_bytes(draft.id, "note.txt", b"noted").unwrap();
    let edit = DraftEdit {
        id: draft.id,
        revision: engine.draft(draft.id).unwrap().revision,
        destination: Some("work".into()),
        title: title.into(),
        body: "Not yet whole.".into(),
        labels: vec!["later".into()],
        milestone: Some("3.0".into()),
        assignees: vec!["ada".into()],
    };
    engine.save_draft(&edit).unwrap()
}
