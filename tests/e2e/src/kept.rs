//! A process we started: it ends with us, by its number, and leaves what it said in a file.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long a process may take to end when asked.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) struct Kept {
    name: String,
    child: Child,
}

impl Kept {
    /// Starts a program that ends with the thread that started it, even when that dies; `said` takes what it says.
    pub(crate) fn start(name: &str, said: &Path, prepare: impl FnOnce(&mut Command)) -> Self {
        let said =
            File::options().create(true).append(true).open(said).expect("a journey's folder takes files");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "TERM", "--", name]).env_clear().stdin(Stdio::null());
        command.stdout(said.try_clone().expect("a file has two ends")).stderr(said);
        prepare(&mut command);
        let child =
            command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}; try ./dev e2e"));
        Self { name: name.to_owned(), child }
    }

    /// The first line a program says on its standard output, which has to be piped.
    pub(crate) fn first_line(&mut self) -> String {
        let stdout: ChildStdout = self.child.stdout.take().expect("the output was piped");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("the output can be read");
        assert!(!line.is_empty(), "{} ended before it said anything; its folder has the log", self.name);
        line.trim().to_owned()
    }

    pub(crate) fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().expect("the input was piped")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        signal(self.child.id(), Signal::TERM);
        let start = Instant::now();
        while self.is_running() && start.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.is_running() {
            signal(self.child.id(), Signal::KILL);
        }
        // It is gone now, or about to be.
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process; one that is gone already is no news.
pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Whether there is such a process, and it is not just waiting to be buried.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// The processes that this one started and that run still.
pub(crate) fn children_of(pid: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc").expect("there is /proc").filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.parse::<u32>().ok()
    });
    let is_child = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let parent =
            stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        parent == Some(pid)
    };
    numbers.filter(is_child).filter(|number| is_alive(*number)).collect()
}
