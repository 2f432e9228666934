//! Where everything lives, and what the engine is made with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clock::{Clock, SystemClock};
use crate::secrets::{Environment, Secrets};
use crate::store::Adoption;
use crate::tracker::{Known, Trackers};

/// What an engine is made with.
#[derive(Clone)]
pub struct Options {
    /// Where everything lives.
    pub home: PathBuf,
    /// The person's documents; the first destination is a folder there.
    pub documents: PathBuf,
    /// Where tokens come from.
    pub secrets: Arc<dyn Secrets>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Who makes the adapters of trackers.
    pub trackers: Arc<dyn Trackers>,
    /// What to do with an outbox of another computer.
    pub adoption: Adoption,
}

impl Options {
    /// The usual places: `OUTTRAY_HOME` or the XDG directories, the environment's tokens, the system's clock.
    /// `OUTTRAY_HOME` moves everything, the first destination's folder too.
    pub fn from_environment() -> Self {
        let user = directory("HOME").unwrap_or_else(|| PathBuf::from("."));
        let (home, documents) = match directory("OUTTRAY_HOME") {
            Some(home) => (home.clone(), home.join("Documents")),
            None => {
                let data = directory("XDG_DATA_HOME").unwrap_or_else(|| user.join(".local/share"));
                (data.join("outtray"), documents(&user))
            }
        };
        Self {
            home,
            documents,
            secrets: Arc::new(Environment),
            clock: Arc::new(SystemClock::new()),
            trackers: Arc::new(Known),
            adoption: Adoption::No,
        }
    }
}

/// An absolute directory from the environment; a relative or empty one does not count.
fn directory(variable: &str) -> Option<PathBuf> {
    let value = PathBuf::from(std::env::var_os(variable)?);
    if variable == "OUTTRAY_HOME" && !value.as_os_str().is_empty() {
        return std::path::absolute(value).ok();
    }
    value.is_absolute().then_some(value)
}

/// The XDG documents directory: as the person named it in `user-dirs.dirs`, or `Documents`.
fn documents(user: &Path) -> PathBuf {
    let config = directory("XDG_CONFIG_HOME").unwrap_or_else(|| user.join(".config"));
    let named = std::fs::read_to_string(config.join("user-dirs.dirs")).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix("XDG_DOCUMENTS_DIR="))?;
        let value = line.trim().trim_matches('"');
        let path = match value.strip_prefix("$HOME/") {
            Some(rest) => user.join(rest),
            None => PathBuf::from(value),
        };
        path.is_absolute().then_some(path)
    });
    named.unwrap_or_else(|| user.join("Documents"))
}
