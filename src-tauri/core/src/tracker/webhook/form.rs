//! What travels: JSON, or with files a form that begins with it. Always the same bytes for the same issue, so that a
//! receiver may compare them.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::issue::Issue;
use crate::tracker::http::Body;
use crate::tracker::preview::{Preview, whole};
use crate::tracker::text::{ascii, plain};
use crate::tracker::{Reply, file};

/// What leaves, before it does.
pub(in crate::tracker) fn preview(issue: &Issue) -> Preview {
    whole(plain(issue), issue)
}

/// The body of the one request.
pub(super) async fn body(issue: &Issue, attachments: &Path) -> Result<Body, Reply> {
    let json = written(issue);
    if issue.attachments.is_empty() {
        return Ok(Body::Json(json));
    }
    let boundary = boundary(issue);
    let mut bytes = Vec::new();
    part(&mut bytes, &boundary, "name=\"issue\"", "application/json", json.to_string().as_bytes());
    for (at, attachment) in issue.attachments.iter().enumerate() {
        let file = file::bytes(attachments, attachment).await?;
        let disposition = format!("name=\"{}\"; filename=\"{}\"", part_name(at), ascii(&attachment.name));
        part(&mut bytes, &boundary, &disposition, &media_type(&attachment.media_type), &file);
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(Body::Bytes { media_type: format!("multipart/form-data; boundary={boundary}"), bytes })
}

/// A line that no file can hold, because it is made of what all of them are.
fn boundary(issue: &Issue) -> String {
    let digests = issue.attachments.iter().map(|attachment| attachment.sha256.as_str());
    let digest =
        digests.fold(Sha256::new_with_prefix(issue.key.to_string()), Sha256::chain_update).finalize();
    digest.iter().take(16).fold("outtray-".to_owned(), |line, byte| format!("{line}{byte:02x}"))
}

/// The issue, and which part of the form is which file, under its proper name.
fn written(issue: &Issue) -> Value {
    let (title, text) = plain(issue);
    let attachments: Vec<Value> = issue
        .attachments
        .iter()
        .enumerate()
        .map(|(at, attachment)| {
            json!({
                "part": part_name(at),
                "name": attachment.name,
                "media_type": attachment.media_type,
                "size": attachment.size,
                "sha256": attachment.sha256,
            })
        })
        .collect();
    json!({
        "key": issue.key.to_string(),
        "title": title,
        "body": text,
        "labels": issue.labels,
        "milestone": issue.milestone,
        "assignees": issue.assignees,
        "attachments": attachments,
    })
}

fn part_name(at: usize) -> String {
    format!("attachment-{}", at + 1)
}

fn part(out: &mut Vec<u8>, boundary: &str, disposition: &str, media_type: &str, bytes: &[u8]) {
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: {media_type}\r\n\r\n"
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

/// A type that cannot end its line.
fn media_type(given: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/+-.;= ".contains(c);
    if given.contains('/') && given.chars().all(is_plain) {
        given.to_owned()
    } else {
        "application/octet-stream".to_owned()
    }
}
