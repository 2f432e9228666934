//! An attachment's bytes, from the copy that was taken when it was added.

use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{Cause, CauseKind, Reply};
use crate::issue::Attachment;

/// Reads the bytes that were added, and no others, on a thread that may wait for a disk.
///
/// # Errors
/// `Refused` when they are gone or changed, which no later try can mend; `NotSent` when reading does not work.
pub(super) async fn bytes(directory: &Path, attachment: &Attachment) -> Result<Vec<u8>, Reply> {
    let (directory, attachment) = (directory.to_owned(), attachment.clone());
    tokio::task::spawn_blocking(move || read(&directory, &attachment)).await.unwrap_or_else(|error| {
        let words = "Outtray's copy of an attachment cannot be read.".to_owned();
        Err(Reply::NotSent(Cause { kind: CauseKind::Local, words, detail: error.to_string() }))
    })
}

/// As [`bytes`], and blocks.
pub(super) fn read(directory: &Path, attachment: &Attachment) -> Result<Vec<u8>, Reply> {
    let name = &attachment.name;
    let cause = |words: String, detail: String| Cause { kind: CauseKind::Local, words, detail };
    let bytes = std::fs::read(directory.join(&attachment.file)).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            Reply::Refused(cause(
                format!("Outtray's copy of {name} is gone from this computer."),
                error.to_string(),
            ))
        } else {
            Reply::NotSent(cause(format!("Outtray's copy of {name} cannot be read."), error.to_string()))
        }
    })?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if digest != attachment.sha256.to_ascii_lowercase() {
        let words =
            format!("Outtray's copy of {name} has been changed on this computer, so it was not sent.");
        return Err(Reply::Refused(cause(words, "the digest differs".to_owned())));
    }
    Ok(bytes)
}
