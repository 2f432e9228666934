//! `outtrayctl`, in a process of its own, on the same store.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::desk::Desk;
use crate::tracker::Tracker;

/// The command line of a desk.
pub struct Ctl<'desk>(pub &'desk Desk);

impl Ctl<'_> {
    /// Runs a command, and returns its exit code and what it printed.
    pub fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command(arguments).output().expect("outtrayctl can be started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().unwrap_or(-1), said)
    }

    /// Runs a command that has to succeed, and reads what it printed.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--json"]].concat();
        let (code, said) = self.run(&arguments);
        assert_eq!(code, 0, "outtrayctl {arguments:?}: {said}");
        serde_json::from_str(&said)
            .unwrap_or_else(|error| panic!("outtrayctl {arguments:?}: {error}: {said}"))
    }

    /// What `status` says: `calm`, `waiting`, `needs_you`…
    pub fn level(&self) -> String {
        self.json(&["status"])["level"].as_str().unwrap_or_default().to_owned()
    }

    /// Adds the tracker as a destination; its token goes into the keyring.
    pub fn add(&self, name: &str, tracker: &Tracker) {
        let url = tracker.url();
        let arguments = [
            "destination",
            "add",
            name,
            "--tracker",
            "gitea",
            "--url",
            &url,
            "--project",
            "ada/demo",
            "--token-stdin",
        ];
        let mut command = self.command(&arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("outtrayctl can be started");
        let mut stdin = child.stdin.take().expect("the input was piped");
        stdin.write_all(tracker.token().as_bytes()).expect("outtrayctl reads its input");
        drop(stdin);
        let output = child.wait_with_output().expect("outtrayctl ends");
        assert!(output.status.success(), "destination add: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(Desk::program("outtrayctl"));
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}
