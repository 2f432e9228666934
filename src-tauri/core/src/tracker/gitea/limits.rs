//! What the server takes as an attachment, asked before one is sent. Its `max_files` bounds a form on its own pages and not
//! what is sent here.

use super::{Gitea, shapes};
use crate::issue::Attachment;
use crate::tracker::{CauseKind, Reply};

const MB: u64 = 1024 * 1024;
/// What a file is whose kind is not known here.
const UNKNOWN: &str = "application/octet-stream";

impl Gitea {
    /// Refuses in words what the server would not take. A server that does not say what it takes is sent everything.
    pub(super) async fn check_limits(&self, attachment: &Attachment) -> Result<(), Reply> {
        let answer = match self.get(self.api(&["settings", "attachment"])).await {
            Ok(answer) => answer,
            Err(Reply::Doubt(cause)) => return Err(Reply::NotSent(cause)),
            Err(reply) => return Err(reply),
        };
        let Ok(limits) = answer.success::<shapes::Limits>(&[200]) else { return Ok(()) };
        match not_taken(&limits, attachment, &answer.host) {
            Some(words) => Err(Reply::Refused(answer.cause(CauseKind::Refused, words))),
            None => Ok(()),
        }
    }
}

/// Why a file is not taken, in a sentence.
fn not_taken(limits: &shapes::Limits, attachment: &Attachment, host: &str) -> Option<String> {
    let name = &attachment.name;
    if !limits.enabled {
        return Some(format!("Attachments are switched off at {host}, so {name} was not sent."));
    }
    if let Some(most) = limits.max_size
        && attachment.size > most.saturating_mul(MB)
    {
        return Some(format!("{name} is larger than the {most} MB that {host} takes."));
    }
    let allowed: Vec<&str> =
        limits.allowed_types.split([',', '|']).map(str::trim).filter(|kind| !kind.is_empty()).collect();
    let is_taken = allowed.is_empty() || allowed.iter().any(|kind| fits(kind, attachment));
    (!is_taken).then(|| format!("{host} does not take {name}. It takes {}.", allowed.join(", ")))
}

/// Whether a file is of a kind that the server takes: an ending (`.png`), a type, or all of a family (`image/*`). The
/// server looks at the bytes; what is not known here is for it to say.
fn fits(kind: &str, attachment: &Attachment) -> bool {
    if kind.starts_with('.') {
        return attachment.name.to_lowercase().ends_with(&kind.to_lowercase());
    }
    let media_type = attachment.media_type.split(';').next().unwrap_or_default().trim();
    kind == "*/*"
        || media_type == UNKNOWN
        || media_type.eq_ignore_ascii_case(kind)
        || kind.strip_suffix('*').is_some_and(|family| media_type.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, media_type: &str, size: u64) -> Attachment {
        Attachment {
            id: 1,
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size,
            sha256: String::new(),
            file: String::new(),
            picture: None,
        }
    }

    #[test]
    fn only_what_the_server_says_it_does_not_take_is_held_back() {
        let limits = |enabled, allowed: &str| shapes::Limits {
            enabled,
            allowed_types: allowed.to_owned(),
            max_size: Some(4),
        };
        let log = file("app.LOG", "text/plain", 10);
        for (allowed, is_taken) in [
            ("", true),
            ("*/*", true),
            (".png,.log", true),
            (".png|.log", true),
            ("image/*, text/plain", true),
            ("text/*", true),
            (".png,image/*", false),
            (".png", false),
        ] {
            let words = not_taken(&limits(true, allowed), &log, "git.example.org");
            assert_eq!(words.is_none(), is_taken, "{allowed}: {words:?}");
        }
        let strange = file("dump", UNKNOWN, 10);
        assert_eq!(
            not_taken(&limits(true, "text/plain"), &strange, "h"),
            None,
            "the server looks at the bytes"
        );
        assert!(not_taken(&limits(true, ".png"), &strange, "h").is_some());
        let words = not_taken(&limits(true, ".png,image/jpeg"), &log, "git.example.org");
        assert_eq!(
            words.as_deref(),
            Some("git.example.org does not take app.LOG. It takes .png, image/jpeg.")
        );
        let words = not_taken(&limits(false, ""), &log, "git.example.org");
        assert_eq!(
            words.as_deref(),
            Some("Attachments are switched off at git.example.org, so app.LOG was not sent.")
        );
        let film = file("film.mp4", "video/mp4", 5 * MB);
        assert!(
            not_taken(&limits(true, ""), &film, "h")
                .is_some_and(|words| words.contains("larger than the 4 MB"))
        );
    }
}
