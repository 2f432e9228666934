//! A process of ours. It is stopped, continued and killed by its own id, and goes when its owner goes.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// A process that was started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// How a process ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its exit status; nothing when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it told.
    pub out: String,
    /// What it complained of.
    pub err: String,
}

impl Process {
    /// Starts `command`; what it tells goes to two files in `folder`, so that it never waits for a reader.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(mut command: Command, folder: &Path) -> Self {
        let name = format!("{:016x}", fastrand::u64(..));
        let (out, err) = (folder.join(format!("{name}.out")), folder.join(format!("{name}.err")));
        let file = |path: &Path| std::fs::File::create(path).expect("a folder for what processes tell");
        let child = command
            .stdin(Stdio::null())
            .stdout(file(&out))
            .stderr(file(&err))
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        Self { child, out, err }
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has told so far.
    pub fn told(&self) -> String {
        read(&self.out)
    }

    /// SIGSTOP: it stands still, and everything it has stays its own.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
    }

    /// SIGCONT.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// SIGKILL.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// SIGTERM.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    fn signal(&self, signal: Signal) {
        // Its id is its own until it has been waited for, which only we do.
        if let Some(id) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _sent = kill_process(id, signal);
        }
    }

    /// Whether it has ended, and how.
    pub fn ended(&mut self) -> Option<Ended> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(self.told_by(status))
    }

    /// Waits for its end, at most so long; then it is killed, which shows in how it ended.
    pub async fn end(&mut self, longest: Duration) -> Ended {
        let mut ended = None;
        let in_time = crate::until(longest, || {
            ended = self.ended();
            ended.is_some()
        })
        .await;
        if !in_time {
            self.go_on();
            self.kill();
        }
        ended.unwrap_or_else(|| {
            let status = self.child.wait().expect("it was killed");
            self.told_by(status)
        })
    }

    fn told_by(&self, status: ExitStatus) -> Ended {
        Ended { code: status.code(), signal: status.signal(), out: read(&self.out), err: read(&self.err) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
