//! The page of an issue: Markdown that stands on its own.

use super::name;
use crate::issue::{Attachment, Issue};
use crate::tracker::preview::{Preview, named};

/// The text of `issue.md`; `files` are the attachments' names in the directory, in order.
pub(super) fn markdown(issue: &Issue, files: &[String]) -> String {
    let mut parts = vec![format!("# {}", line(&issue.title))];
    if !issue.labels.is_empty() {
        let labels: Vec<String> = issue.labels.iter().map(|label| line(label)).collect();
        parts.push(format!("Labels: {}", labels.join(", ")));
    }
    if let Some(milestone) = &issue.milestone {
        parts.push(format!("Milestone: {}", line(milestone)));
    }
    if !issue.assignees.is_empty() {
        let people: Vec<String> = issue.assignees.iter().map(|login| line(login)).collect();
        parts.push(format!("Assignees: {}", people.join(", ")));
    }
    let body = issue.body.replace('\0', "");
    if !body.trim().is_empty() {
        parts.push(body.trim_end().to_owned());
    }
    parts.extend(issue.attachments.iter().zip(files).map(|(attachment, file)| link(attachment, file)));
    let mut page = parts.join("\n\n");
    page.push('\n');
    page
}

/// What is written, before it is: the page, and the files beside it.
pub(in crate::tracker) fn preview(issue: &Issue) -> Preview {
    let given: Vec<&str> = issue.attachments.iter().map(|attachment| attachment.name.as_str()).collect();
    let names = name::files(&given);
    let files = issue.attachments.iter().zip(&names);
    Preview {
        title: line(&issue.title),
        text: markdown(issue, &names),
        labels: issue.labels.clone(),
        milestone: issue.milestone.clone(),
        assignees: issue.assignees.clone(),
        files: files.map(|(attachment, name)| named(attachment, name.clone())).collect(),
        notes: vec![format!(
            "The text is {}, in a folder of its own: {}.",
            name::PAGE,
            name::directory(issue)
        )],
    }
}

fn link(attachment: &Attachment, file: &str) -> String {
    let embed = if attachment.is_picture() { "!" } else { "" };
    format!("{embed}[{}]({})", text(&attachment.name), relative(file))
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\0', "")
}

/// A name as a link's text.
fn text(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in line(name).chars().filter(|c| !c.is_control()) {
        if matches!(c, '[' | ']' | '\\' | '`' | '<' | '*' | '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A file beside the page as a link's target: letters stay readable, what would end the target is encoded.
fn relative(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    let mut buffer = [0; 4];
    for c in file.chars() {
        if c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '~') {
            out.push(c);
        } else {
            for byte in c.encode_utf8(&mut buffer).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}
