//! A home that processes share: one store, one tracker, settings small enough for a test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use outtray_core::engine::Options;
use outtray_core::issue::TrackerKind;
use outtray_core::problem::Result;
use outtray_core::view::{DraftEdit, NewDestination};
use outtray_core::{Code, Engine};
use outtray_support::{PracticeTracker, TOKEN};
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{Ended, Process};

/// A one-pixel PNG.
pub const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0,
    1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8,
    0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x56, 0xc7, 0x2f, 0x0d, 0, 0, 0, 0, b'I', b'E', b'N', b'D',
    0xae, 0x42, 0x60, 0x82,
];

/// Settings with which a test is over soon.
pub const QUICK: &[(&str, &str)] = &[
    ("drain.lease_ms", "300"),
    ("drain.quiet_ms", "300"),
    ("drain.backoff_base_ms", "20"),
    ("drain.backoff_cap_ms", "100"),
    ("drain.stage_timeout_ms", "3000"),
];

/// What is to be at the tracker in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The key of the entry.
    pub key: String,
    /// Its title.
    pub title: String,
    /// How many pictures it has.
    pub pictures: usize,
}

/// A home, and the program that runs in it.
#[derive(Debug)]
pub struct Home {
    dir: TempDir,
    program: PathBuf,
}

impl Home {
    /// A home with one destination, `work`, at `tracker`. `program` is an outtrayctl.
    ///
    /// # Panics
    /// When the store cannot be made.
    pub async fn new(
        program: impl Into<PathBuf>,
        tracker: &PracticeTracker,
        settings: &[(&str, &str)],
    ) -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        for below in ["user", "run", "told"] {
            std::fs::create_dir(dir.path().join(below)).expect("a temporary directory takes folders");
        }
        let home = Self { dir, program: program.into() };
        let engine = home.open();
        for (key, value) in settings {
            engine.set_setting(key, value).expect("a setting that exists");
        }
        let new = NewDestination {
            name: "work".into(),
            tracker: TrackerKind::Gitea,
            url: Some(tracker.url()),
            project: Some("ada/demo".into()),
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        };
        engine.add_destination(&new, None).await.expect("a new destination");
        engine.stop(Duration::ZERO).await;
        home
    }

    /// Where Outtray keeps everything.
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Where processes leave what they tell.
    pub fn told(&self) -> PathBuf {
        self.dir.path().join("told")
    }

    /// Saves issues: titles, and how many pictures each has.
    ///
    /// # Panics
    /// When they cannot be saved.
    pub async fn save(&self, issues: impl IntoIterator<Item = (String, usize)>) -> Vec<Wanted> {
        let engine = self.open();
        let mut wanted = Vec::new();
        for (title, pictures) in issues {
            let draft = insist(|| engine.new_draft());
            for n in 0..pictures {
                insist(|| engine.attach_bytes(draft.id, &format!("picture {n}.png"), PICTURE));
            }
            let edit = DraftEdit {
                id: draft.id,
                revision: insist(|| engine.draft(draft.id)).revision,
                destination: Some("work".into()),
                title: title.clone(),
                body: "It went wrong.".into(),
                labels: Vec::new(),
                milestone: None,
                assignees: Vec::new(),
            };
            let draft = insist(|| engine.save_draft(&edit));
            let saved = insist(|| engine.file_draft(draft.id, draft.revision));
            wanted.push(Wanted { key: saved.key.to_string(), title, pictures });
        }
        engine.stop(Duration::ZERO).await;
        wanted
    }

    /// Saves one issue with so many pictures.
    pub async fn save_one(&self, pictures: usize) -> Vec<Wanted> {
        self.save([("One".to_owned(), pictures)]).await
    }

    fn open(&self) -> Engine {
        let options = Options {
            home: self.data(),
            documents: self.dir.path().join("user/Documents"),
            secrets: Arc::new(outtray_core::secrets::Environment),
            ..Options::from_environment()
        };
        insist(|| Engine::open(options.clone()))
    }

    /// Another program in this home's environment.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("HOME", self.dir.path().join("user"))
            .env("XDG_RUNTIME_DIR", self.dir.path().join("run"))
            .env("OUTTRAY_HOME", self.data())
            .env("OUTTRAY_TOKEN_WORK", TOKEN)
            .env("OUTTRAY_LOG", "outtray_core=info")
            .env("NO_COLOR", "1")
            .current_dir(self.dir.path());
        if let Ok(mistake) = std::env::var("OUTTRAY_MISTAKE") {
            command.env("OUTTRAY_MISTAKE", mistake);
        }
        command
    }

    /// The program with `arguments`, and with these faults.
    pub fn outtrayctl(&self, arguments: &[&str], faults: &str) -> Command {
        let mut command = self.command(&self.program);
        command.args(arguments).env("OUTTRAY_FAULTS", faults);
        command
    }

    /// Starts the program.
    pub fn start(&self, arguments: &[&str], faults: &str) -> Process {
        Process::start(self.outtrayctl(arguments, faults), &self.told())
    }

    /// Starts a drain that goes on for `deadline` seconds as long as anything waits.
    pub fn drain(&self, deadline: u32, faults: &str) -> Process {
        self.start(&["drain", "--until-idle", "--deadline", &deadline.to_string()], faults)
    }

    /// Runs the program to its end.
    pub async fn run(&self, arguments: &[&str], faults: &str) -> Ended {
        self.start(arguments, faults).end(Duration::from_secs(60)).await
    }

    /// Runs a command that tells something in JSON.
    ///
    /// # Errors
    /// What it told instead.
    pub async fn json(&self, arguments: &[&str]) -> std::result::Result<Value, String> {
        let ended = self.run(&[arguments, &["--json"]].concat(), "").await;
        serde_json::from_str(&ended.out).map_err(|_| format!("{arguments:?}: {ended:?}"))
    }
}

/// Does what a person does when the outbox is busy, as when a process stands still in the middle of a write: tries again.
fn insist<T>(act: impl Fn() -> Result<T>) -> T {
    for _ in 0..20 {
        match act() {
            Err(problem) if problem.code == Code::Busy => {}
            done => return done.unwrap_or_else(|problem| panic!("{}", problem.chain())),
        }
    }
    panic!("the outbox stays busy");
}
