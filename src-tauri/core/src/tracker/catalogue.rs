//! What a project offers to choose from, read part by part. One that cannot be read says why and stands in no other's way,
//! unless what stands in the way is the same for all: then nobody is asked again.
//!
//! What comes is somebody else's: lists end, texts are cut, colours are colours.

use super::{Cause, Reply};
use crate::issue::{Assignee, Label, Offer, Part, Template, Title};

/// Labels, milestones and people at most.
pub(super) const MOST: usize = 1_000;
/// Templates at most.
pub(super) const MOST_TEMPLATES: usize = 30;
/// Titles at most: those that changed last.
pub(super) const MOST_TITLES: usize = 100;
/// Projects at most.
pub(super) const MOST_PROJECTS: usize = 500;
/// The longest template, in bytes.
pub(super) const LONGEST_TEMPLATE: usize = 64 * 1024;
/// The longest name or title, in characters.
const LONGEST: usize = 300;

/// What came of reading one part.
pub type Read = (Part, Result<Offer, Cause>);

/// A catalogue in the making.
#[derive(Default)]
pub(super) struct Reading {
    parts: Vec<Read>,
    stopped: Option<Cause>,
}

impl Reading {
    /// Reads one more part, unless something stands in the way of all.
    pub(super) async fn read(&mut self, part: Part, asked: impl Future<Output = Result<Offer, Reply>>) {
        let read = match &self.stopped {
            Some(cause) => Err(cause.clone()),
            None => match asked.await {
                Ok(offer) => Ok(offer),
                Err(reply) => {
                    let is_of_all = stops(&reply);
                    let cause = reply.into_cause();
                    self.stopped = cause.clone().filter(|_| is_of_all);
                    // A question is never done; that it were would be no reason.
                    let Some(cause) = cause else { return };
                    Err(cause)
                }
            },
        };
        self.parts.push((part, read));
    }

    /// What was read.
    pub(super) fn done(self) -> Vec<Read> {
        self.parts
    }
}

/// Whether a reply would be the same for every part: only a refusal, and a 500 of its own, is about what was asked for.
fn stops(reply: &Reply) -> bool {
    match reply {
        Reply::Refused(_) | Reply::Done(_) => false,
        Reply::SignIn(cause) => !is_about_one(cause),
        // A tracker that stumbles over one list goes on with the next.
        Reply::Doubt(cause) => !cause.detail.contains("answered 500, application/json"),
        Reply::NotSent(_) | Reply::RateLimited { .. } => true,
    }
}

/// A token may be good, and not for this.
pub(super) fn is_about_one(cause: &Cause) -> bool {
    cause.detail.contains("answered 403")
}

/// A label as it is kept.
pub(super) fn label(name: &str, color: Option<&str>, description: Option<&str>) -> Option<Label> {
    let name = line(name)?;
    Some(Label { name, color: color.and_then(self::color), description: description.and_then(line) })
}

/// Somebody as they are kept.
pub(super) fn person(login: &str, name: Option<&str>) -> Option<Assignee> {
    let login = line(login)?;
    let name = name.and_then(line).filter(|name| *name != login);
    Some(Assignee { login, name })
}

/// An issue that is there, as it is kept.
pub(super) fn known(title: Option<&str>, receipt: crate::issue::Receipt, open: bool) -> Option<Title> {
    Some(Title { number: receipt.number, title: line(title?)?, url: receipt.url, open })
}

/// A template as it is kept: what is too long is left out whole, since half of it would mislead.
pub(super) fn template(template: Template) -> Option<Template> {
    let name = line(&template.name)?;
    let is_short = template.body.len() <= LONGEST_TEMPLATE;
    let names = |all: Vec<String>| all.iter().filter_map(|name| line(name)).take(50).collect();
    is_short.then(|| Template {
        name,
        about: template.about.as_deref().and_then(line),
        // What follows a prefix follows after a space.
        title: template.title.chars().filter(|c| !c.is_control()).take(LONGEST).collect(),
        labels: names(template.labels),
        assignees: names(template.assignees),
        body: template
            .body
            .replace("\r\n", "\n")
            .replace('\0', "")
            .trim_start_matches('\n')
            .trim_end()
            .to_owned(),
    })
}

/// One line of a bounded length, or nothing.
pub(super) fn line(text: &str) -> Option<String> {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    (!line.is_empty()).then_some(line)
}

/// `#d73a4a`, whether the tracker writes the sign or not.
fn color(text: &str) -> Option<String> {
    let digits = text.trim().trim_start_matches('#').to_ascii_lowercase();
    let is_one = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| format!("#{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracker::CauseKind;

    fn cause(detail: &str) -> Cause {
        Cause { kind: CauseKind::Refused, words: "No.".to_owned(), detail: detail.to_owned() }
    }

    async fn read_two(first: Reply) -> Vec<Read> {
        let mut reading = Reading::default();
        reading.read(Part::Labels, async { Err(first) }).await;
        reading.read(Part::Milestones, async { Ok(Offer::Milestones(Vec::new())) }).await;
        reading.done()
    }

    #[tokio::test]
    async fn what_is_refused_stops_nothing_else_and_what_is_out_of_reach_stops_all() {
        let forbidden = Reply::SignIn(cause("GET / answered 403, application/json"));
        let stumbled = Reply::Doubt(cause("GET / answered 500, application/json"));
        for reply in [Reply::Refused(cause("")), forbidden, stumbled] {
            let read = read_two(reply).await;
            assert!(read[0].1.is_err() && read[1].1.is_ok(), "{read:?}");
        }
        let wait = Reply::RateLimited { wait: None, cause: cause("") };
        for reply in [Reply::NotSent(cause("")), Reply::Doubt(cause("")), Reply::SignIn(cause("")), wait] {
            let read = read_two(reply).await;
            assert!(read.iter().all(|(_, part)| part.is_err()), "{read:?}");
        }
    }

    #[test]
    fn what_comes_is_kept_in_one_line_and_within_bounds() {
        let long = format!("a\n b\u{7}{}", "x".repeat(1_000));
        let kept = label(&long, Some("D73A4A"), Some(" ")).unwrap_or_else(|| unreachable!("a name"));
        assert!(kept.name.starts_with("a bx") && kept.name.chars().count() == LONGEST, "{}", kept.name);
        assert_eq!((kept.color.as_deref(), kept.description), (Some("#d73a4a"), None));
        for no_color in ["red", "#12345", "url(x)", ""] {
            assert_eq!(label("a", Some(no_color), None).and_then(|kept| kept.color), None, "{no_color}");
        }
        assert_eq!(label(" \n", None, None), None);
    }
}
