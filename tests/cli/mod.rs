//! The real outtrayctl in a home of its own: no desktop, no bus, nothing of the person who runs the tests.
#![allow(dead_code, reason = "each test file takes what it needs")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A home, and the environment that commands run in.
pub struct Home {
    dir: TempDir,
    env: Vec<(String, String)>,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    /// Its exit status.
    pub code: i32,
    /// What it told.
    pub out: String,
    /// What it complained of.
    pub err: String,
}

impl Home {
    pub fn new() -> Self {
        let dir = TempDir::new().unwrap();
        for below in ["user", "run", "cwd"] {
            std::fs::create_dir(dir.path().join(below)).unwrap();
        }
        Self { dir, env: Vec::new() }
    }

    /// The same home with one more variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Where Outtray keeps everything.
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The directory that commands run in.
    pub fn cwd(&self) -> PathBuf {
        self.dir.path().join("cwd")
    }

    /// Writes a file there.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.cwd().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// What lies in the directory of attachments.
    pub fn attachments(&self) -> usize {
        std::fs::read_dir(self.data().join("attachments")).map_or(0, Iterator::count)
    }

    /// A command that has not been started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outtrayctl"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("HOME", self.dir.path().join("user"))
            .env("XDG_RUNTIME_DIR", self.dir.path().join("run"))
            .env("OUTTRAY_HOME", self.data())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.cwd())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.start(arguments))
    }

    /// Runs a command that reads `input`.
    pub fn run_with(&self, input: &[u8], arguments: &[&str]) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A command that refuses before it has read everything is fine.
        let _written = child.stdin.take().unwrap().write_all(input);
        Ran::of(child)
    }

    /// Runs a command that is to succeed, and returns its JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran.json()
    }

    /// Runs a command that is to be refused, and returns the code, the message and the hint.
    pub fn refused(&self, arguments: &[&str]) -> [String; 3] {
        self.run(&[arguments, &["--json"]].concat()).refused()
    }
}

impl Ran {
    pub fn of(child: Child) -> Self {
        let ran = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).expect("everything told is UTF-8");
        Self { code: ran.status.code().unwrap_or(-1), out: text(ran.stdout), err: text(ran.stderr) }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Code, message and hint of a refusal with `--json`.
    pub fn refused(&self) -> [String; 3] {
        assert_eq!((self.code, self.out.as_str()), (1, ""), "{self:?}");
        let told: Value = serde_json::from_str(&self.err).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        let word = |name: &str| told["error"][name].as_str().unwrap_or_default().to_owned();
        [word("code"), word("message"), word("hint")]
    }
}

/// An address where nobody listens.
pub fn nowhere() -> String {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}")
}

/// The files below a directory, by their paths in it.
pub fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut to_see = vec![dir.to_owned()];
    while let Some(dir) = to_see.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let list = if entry.file_type().unwrap().is_dir() { &mut to_see } else { &mut found };
            list.push(entry.path());
        }
    }
    found.sort();
    found
}
