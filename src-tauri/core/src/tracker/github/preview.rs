//! What leaves, before it does.

use super::create::{fit, whole_text};
use super::pictures::{MOST_BYTES, ONLY_PICTURES, TOO_LARGE, ending_in, on_branch, taken};
use crate::issue::{Attachment, Issue};
use crate::tracker::preview::{LATER, Preview, named, whole};
use crate::tracker::text::{self, markdown};

/// The issue as it is made, when everything is taken that GitHub takes.
pub(in crate::tracker) fn preview(issue: &Issue, branch: Option<&str>) -> Preview {
    let (mut files, mut added, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for attachment in &issue.attachments {
        match place(attachment, branch) {
            Ok(name) => {
                files.push(named(attachment, name));
                added.push(markdown(attachment, LATER));
            }
            Err(why) => notes.push(format!("{} is left out: {why}.", attachment.name)),
        }
    }
    if branch.is_none() && !files.is_empty() {
        notes.push("What this account may not upload there is left out, and you are told.".to_owned());
    }
    let (title, text) = text::title(&issue.title, &issue.body);
    let mut fitted = fit(issue, &text, &added);
    if !fitted.is_whole {
        notes.push("The text is longer than GitHub takes, so it is cut.".to_owned());
        if branch.is_some() {
            added.insert(0, whole_text(LATER));
            fitted = fit(issue, &text, &added);
        } else {
            notes.push("The whole of it stays here: it can be saved as files.".to_owned());
        }
    }
    let mut preview = whole((title, fitted.body), issue);
    preview.files = files;
    preview.notes.extend(notes);
    preview
}

/// The name under which a file is taken; or why it is not.
fn place(attachment: &Attachment, branch: Option<&str>) -> Result<String, &'static str> {
    let to_its_own_place = match taken(attachment) {
        Some(_) if attachment.size > MOST_BYTES => Err(TOO_LARGE),
        Some((_, ending)) => Ok(ending_in(&attachment.name, ending)),
        None => Err(ONLY_PICTURES),
    };
    to_its_own_place.or_else(|why| branch.map(|_| on_branch(attachment)).ok_or(why))
}
