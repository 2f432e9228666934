//! Other processes: the engine as a program of its own, to be rung at, traced and killed.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use outtray_core::Engine;
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::issue::TrackerKind;
use outtray_core::store::Adoption;
use outtray_core::tracker::Trackers;
use outtray_core::view::{NewDestination, NewIssue, Saved};

use crate::Result;
use crate::tracker::{Answers, Pocket, Scripted};

/// The word that makes the program one of these.
pub const WORD: &str = "child";
/// The destination that `file` files to.
pub const LANE: &str = "work";
/// How large a picture is, in bytes.
pub const PICTURE: usize = 200_000;

/// A process that is ended with its value.
pub struct Process(Child);

impl Process {
    /// Starts an engine over `home` that delivers until its input ends. `program` is the bench itself.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn serve(program: &Path, home: &Path, answers: Answers) -> Result<Self> {
        let word = if answers == Answers::Never { "serve-never" } else { "serve" };
        Ok(Self(Command::new(program).args([WORD, word]).arg(home).stdin(Stdio::piped()).spawn()?))
    }

    /// Ends it from one moment to the next, and waits until it has ended.
    ///
    /// # Errors
    /// When it had ended before.
    pub fn kill(&mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }

    /// Asks it to quit, and waits until it has.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn quit(mut self) -> Result<()> {
        drop(self.0.stdin.take());
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _waited = self.0.wait();
    }
}

/// What a process that was started with [`WORD`] does.
///
/// # Errors
/// What the engine says.
pub fn act(words: &[String]) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match words {
            [verb, home] if verb.starts_with("serve") => {
                let never = verb == "serve-never";
                let answers = if never { Answers::Never } else { Answers::After(Duration::ZERO) };
                let engine = open(Path::new(home), Arc::new(Scripted(answers)))?;
                engine.start();
                tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
                engine.stop(Duration::from_millis(200)).await;
                Ok(())
            }
            [verb, home, entries, bytes] if verb == "file" => {
                let engine = open(Path::new(home), Arc::new(Scripted(Answers::After(Duration::ZERO))))?;
                add_lane(&engine, "http://127.0.0.1:1/").await?;
                let picture = match bytes.parse()? {
                    0 => None,
                    bytes => Some(picture_file(&Path::new(home).with_file_name("screenshot.png"), bytes)?),
                };
                for number in 0..entries.parse::<u64>()? {
                    file(&engine, number, picture.as_deref())?;
                }
                let report = engine.drain(true, Some(Duration::from_secs(60))).await?;
                engine.stop(Duration::ZERO).await;
                if report.left_waiting + report.attention > 0 {
                    return Err("not everything was filed".into());
                }
                Ok(())
            }
            _ => Err("serve HOME | serve-never HOME | file HOME ENTRIES BYTES".into()),
        }
    })
}

/// Opens an engine over `home`.
///
/// # Errors
/// What the engine says.
pub fn open(home: &Path, trackers: Arc<dyn Trackers>) -> Result<Engine> {
    Ok(Engine::open(Options {
        home: home.to_owned(),
        documents: PathBuf::from("/nowhere"),
        secrets: Arc::new(Pocket),
        clock: Arc::new(SystemClock::new()),
        trackers,
        adoption: Adoption::No,
    })?)
}

/// Adds [`LANE`], a Gitea at `url`.
///
/// # Errors
/// What the engine says.
pub async fn add_lane(engine: &Engine, url: &str) -> Result<()> {
    let new = NewDestination {
        name: LANE.to_owned(),
        tracker: TrackerKind::Gitea,
        url: Some(url.to_owned()),
        project: Some("ada/demo".to_owned()),
        path: None,
        branch: None,
        honours_key: false,
        ca: None,
    };
    engine.add_destination(&new, None).await?;
    Ok(())
}

/// Files one issue as `outtrayctl file` does, perhaps with a picture.
///
/// # Errors
/// What the engine says.
pub fn file(engine: &Engine, number: u64, picture: Option<&Path>) -> Result<Saved> {
    let new = NewIssue {
        destination: LANE.to_owned(),
        title: format!("Issue {number}"),
        body: "x".repeat(1024),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    Ok(engine.file_new(&new, picture.as_slice())?)
}

/// Writes a picture of so many bytes to `path`.
///
/// # Errors
/// What the disk says.
pub fn picture_file(path: &Path, bytes: usize) -> Result<PathBuf> {
    std::fs::write(path, picture(1, bytes))?;
    Ok(path.to_owned())
}

/// A picture of so many bytes, as the head of a PNG tells; what follows is noise.
pub fn picture(seed: u64, bytes: usize) -> Vec<u8> {
    let mut picture = vec![
        0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0,
        0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0x9c,
        0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x56, 0xc7, 0x2f, 0x0d, 0, 0, 0, 0, b'I', b'E',
        b'N', b'D', 0xae, 0x42, 0x60, 0x82,
    ];
    let mut chance = fastrand::Rng::with_seed(seed);
    picture.extend(std::iter::repeat_with(|| chance.u8(..)).take(bytes.saturating_sub(picture.len())));
    picture
}
