//! A folder on this computer: one directory an issue, Markdown and pictures inside.
//!
//! A directory appears under its final name in one rename, with everything in it and everything synced, so there is no
//! half an issue to be seen. Its name ends in the issue's key: that is the marker, and what makes filing idempotent.

pub mod keep;
mod name;
mod page;
mod write;

pub(super) use page::preview;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use url::Url;

use super::{Account, Cause, CauseKind, Done, Look, Reply, Seen, Step, Tracker};
use crate::issue::{Destination, Issue, Receipt};

/// A folder that takes issues.
pub(super) struct Folder {
    path: PathBuf,
    /// Where the attachments' files are.
    attachments: PathBuf,
}

impl Folder {
    pub(super) fn open(destination: &Destination, attachments: &Path) -> Result<Self, Cause> {
        let path = tidy(destination.path.as_deref().unwrap_or_default())?;
        Ok(Self { path, attachments: attachments.to_owned() })
    }
}

/// Returns the whole path that was meant.
fn tidy(typed: &str) -> Result<PathBuf, Cause> {
    let setup = |words: &str| Cause {
        kind: CauseKind::Setup,
        words: words.to_owned(),
        detail: "folder path".to_owned(),
    };
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(setup("The folder is missing. It looks like ~/Documents/Outtray."));
    }
    let path = match typed.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let home = std::env::home_dir().ok_or_else(|| setup("Your home folder is not known here."))?;
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(typed),
    };
    if !path.is_absolute() {
        return Err(setup("The folder needs its whole path, such as ~/Documents/Outtray."));
    }
    Ok(path)
}

#[async_trait]
impl Tracker for Folder {
    async fn account(&self) -> Result<Account, Reply> {
        let path = self.path.clone();
        let words = format!("Files into {}.", path.display());
        blocking(move |_| write::probe(&path)).await?;
        Ok(Account { login: None, words })
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        match step {
            Step::Create { .. } => {
                let (path, attachments, issue) = (self.path.clone(), self.attachments.clone(), issue.clone());
                let written =
                    blocking(move |cancelled| write::issue(&path, &attachments, &issue, cancelled)).await;
                written.map_or_else(
                    |reply| reply,
                    |receipt| {
                        Reply::Done(Done { reference: None, receipt: Some(receipt), login: None, told: None })
                    },
                )
            }
            // Everything travels with the create.
            Step::Upload { .. } | Step::Embed { .. } => {
                Reply::Done(Done { reference: Some(String::new()), receipt: None, login: None, told: None })
            }
        }
    }

    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        let (path, key) = (self.path.clone(), issue.key);
        let inside = link.to_file_path().is_ok_and(|place| place.starts_with(&path) && place != path);
        if !inside {
            let words = format!("That is not the address of an issue in {}.", path.display());
            let detail = "a link to somewhere else".to_owned();
            return Err(Reply::Refused(Cause { kind: CauseKind::Setup, words, detail }));
        }
        let found = blocking(move |_| write::find(&path, key)).await?;
        Ok(found
            .into_iter()
            .find(|receipt| receipt.url.trim_end_matches('/') == link.as_str().trim_end_matches('/')))
    }

    async fn look(&self, _issue: &Issue, look: Look<'_>) -> Result<Seen, Reply> {
        match look.step {
            Step::Create { .. } => {
                let (path, key) = (self.path.clone(), look.key);
                let issues = blocking(move |_| write::find(&path, key)).await?;
                Ok(Seen { issues, references: Vec::new() })
            }
            Step::Upload { .. } | Step::Embed { .. } => {
                Ok(Seen { issues: Vec::new(), references: vec![String::new()] })
            }
        }
    }
}

/// Does file work on a thread that may wait for a disk. When the future is dropped the work is told, and stops before
/// its next file and before the rename.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> Result<T, Reply> + Send + 'static,
) -> Result<T, Reply> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let _guard = Cancel(Arc::clone(&cancelled));
    tokio::task::spawn_blocking(move || work(&cancelled)).await.unwrap_or_else(|error| {
        let words = "Writing the issue was broken off.".to_owned();
        Err(Reply::Doubt(Cause { kind: CauseKind::Local, words, detail: error.to_string() }))
    })
}

struct Cancel(Arc<AtomicBool>);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
