//! An issue saved as files for a person, in the shape that the folder's issues have. What is not on this computer any more
//! does not hold up the rest.

use std::path::Path;

use super::{name, write};
use crate::issue::Issue;
use crate::tracker::{Cause, Reply, file};

/// What came of saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The directory's name.
    pub name: String,
    /// Whether it was written now; a directory of this issue that was there already stays as it is.
    pub is_new: bool,
    /// How many files lie beside the page.
    pub files: usize,
    /// Attachments that are not on this computer any more, or not as they were.
    pub missing: Vec<String>,
}

/// Writes `issue.md` and the files into a directory below `folder`, in one rename.
///
/// # Errors
/// Why it cannot be written there.
pub fn save(folder: &Path, attachments: &Path, issue: &Issue) -> Result<Saved, Cause> {
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    for attachment in &issue.attachments {
        match file::read(attachments, attachment) {
            Ok(_) => here.push(attachment.clone()),
            Err(Reply::Refused(_)) => missing.push(attachment.name.clone()),
            Err(reply) => return Err(cause(reply)),
        }
    }
    let issue = Issue { body: told(&issue.body, &missing), attachments: here, ..issue.clone() };
    let is_new = write::save(folder, attachments, &issue).map_err(cause)?;
    let there = write::find(folder, issue.key).map_err(cause)?.into_iter().next();
    let name = there.map_or_else(|| name::directory(&issue), |receipt| receipt.number);
    Ok(Saved { name, is_new, files: issue.attachments.len(), missing })
}

/// The text, with a line for what does not come along.
fn told(body: &str, missing: &[String]) -> String {
    if missing.is_empty() {
        return body.to_owned();
    }
    let names = missing.join(", ");
    format!("{}\n\nNot on this computer any more: {names}", body.trim_end()).trim_start().to_owned()
}

fn cause(reply: Reply) -> Cause {
    match reply {
        Reply::NotSent(cause)
        | Reply::Refused(cause)
        | Reply::SignIn(cause)
        | Reply::Doubt(cause)
        | Reply::RateLimited { cause, .. } => cause,
        // Nothing here answers so.
        Reply::Done(_) => Cause {
            kind: crate::tracker::CauseKind::Local,
            words: "The issue could not be saved.".to_owned(),
            detail: "an answer that no folder gives".to_owned(),
        },
    }
}
