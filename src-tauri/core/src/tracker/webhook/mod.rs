//! A webhook: one POST with everything in it, for whoever takes one.
//!
//! The issue's key goes along on every try as `Idempotency-Key`, with the same bytes. Nobody can be asked there whether
//! something has arrived. So a lost answer is the person's to judge, unless the destination says that the receiver
//! recognises a key it has seen: then the same is sent again, when the time for late arrivals has passed.
//!
//! Done is a 200, 201 or 202 with JSON that reports no error, or a 201, 202 or 204 without a body. A page is never
//! success: that is how portals and sign-ins answer.

mod form;

pub(super) use form::preview;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use super::answer::Answer;
use super::http::{Access, Call, Http};
use super::{Account, Cause, CauseKind, Done, Limits, Look, Reply, Seen, Step, Tracker, address, set_up};
use crate::issue::{Destination, Issue, Receipt};

/// A receiver of issues.
pub(super) struct Webhook {
    http: Http,
    honours_key: bool,
    /// Where the attachments' files are.
    attachments: PathBuf,
}

impl Webhook {
    pub(super) fn open(
        destination: &Destination,
        token: Option<SecretString>,
        attachments: &Path,
        limits: Limits,
    ) -> Result<Self, Cause> {
        let (url, _) = set_up(destination)?;
        let access = Access { hides_path: true, ..Access::token("Bearer", token, destination) };
        Ok(Self {
            http: Http::open(url, &access, limits)?,
            honours_key: destination.honours_key,
            attachments: attachments.to_owned(),
        })
    }

    async fn post(&self, issue: &Issue) -> Result<Done, Reply> {
        let body = form::body(issue, &self.attachments).await?;
        let call = Call {
            idempotency_key: Some(issue.key.to_string()),
            ..Call::post(self.http.base().clone(), body)
        };
        let answer = self.http.ask(call).await?;
        let status = answer.head.status;
        // What it has seen already it says so; agreed only where the destination says it does.
        let is_there = status == 409 && self.honours_key && answer.is_json();
        if is_there || is_done(&answer) {
            let receipt = self.receipt(issue, &answer);
            return Ok(Done { reference: None, receipt: Some(receipt), login: None, told: None });
        }
        if !matches!(status, 200..=299) {
            return Err(answer.sorted());
        }
        let words = format!("{} answered, but not that it has taken the issue.", answer.host);
        Err(Reply::Doubt(answer.cause(CauseKind::NotTheTracker, words)))
    }

    /// Number and link as far as the receiver gives any; else the key, and the receiver's own origin.
    fn receipt(&self, issue: &Issue, answer: &Answer) -> Receipt {
        let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let text = |names: &[&str]| {
            let value = names.iter().find_map(|name| json.get(name))?;
            value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()))
        };
        let is_short =
            |number: &String| (1..=60).contains(&number.len()) && !number.contains(char::is_control);
        let url = text(&["url", "html_url", "web_url", "link"]).filter(|url| self.http.is_here(url));
        Receipt {
            number: text(&["number", "iid", "id", "key"]).filter(is_short).unwrap_or_else(|| short(issue)),
            url: url.unwrap_or_else(|| origin(self.http.base())),
        }
    }
}

/// Whether the receiver says that it has taken it.
fn is_done(answer: &Answer) -> bool {
    let is_empty = answer.is_whole && answer.body.iter().all(u8::is_ascii_whitespace);
    match answer.head.status {
        201 | 202 | 204 if is_empty => true,
        200..=202 if answer.is_json() && answer.is_whole => {
            let json: Result<Value, _> = serde_json::from_slice(&answer.body);
            json.is_ok_and(|json| !reports_an_error(&json))
        }
        _ => false,
    }
}

/// Whether JSON that came with a success says otherwise, as some APIs do.
fn reports_an_error(json: &Value) -> bool {
    let is_something = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Object(_) => true,
    };
    let is_no = |name: &str| json.get(name) == Some(&Value::Bool(false));
    json.get("errors").is_some_and(is_something)
        || json.get("error").is_some_and(is_something)
        || is_no("ok")
        || is_no("success")
}

/// The end of the key, which differs from issue to issue.
fn short(issue: &Issue) -> String {
    let key = issue.key.to_string();
    key[key.len().saturating_sub(8)..].to_owned()
}

/// The address without its path, which may be what keeps strangers out.
fn origin(url: &Url) -> String {
    let mut url = url.clone();
    url.set_path("");
    url.to_string()
}

fn cannot_look() -> Reply {
    let words = "Sent, but no answer came, and a webhook cannot be asked whether it arrived.".to_owned();
    Reply::Refused(Cause { kind: CauseKind::CannotLook, words, detail: "a webhook has no list".to_owned() })
}

#[async_trait]
impl Tracker for Webhook {
    /// Asks whether somebody is there; what they take is seen only when something is sent.
    async fn account(&self) -> Result<Account, Reply> {
        let answer = self.http.ask(Call::options(self.http.base().clone())).await?;
        let host = address::host(self.http.base());
        match answer.head.status {
            401 | 403 => Err(Reply::SignIn(
                answer.cause(CauseKind::SignIn, format!("{host} did not accept the sign-in.")),
            )),
            300..=399 => Err(answer.sorted()),
            500..=599 => Err(answer.sorted()),
            // Most receivers take nothing but a POST, and say so with any of these.
            _ => {
                let again = if self.honours_key {
                    "What gets no answer is sent again under its key."
                } else {
                    "What gets no answer is yours to judge."
                };
                Ok(Account { login: None, words: format!("{host} answers. {again}") })
            }
        }
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        let sent = match step {
            Step::Create { .. } => self.post(issue).await,
            // Everything travels with the create.
            Step::Upload { .. } | Step::Embed { .. } => {
                Ok(Done { reference: Some(String::new()), receipt: None, login: None, told: None })
            }
        };
        sent.map_or_else(|reply| reply, Reply::Done)
    }

    /// The person knows where it has become what; nobody can be asked.
    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        if !matches!(link.scheme(), "http" | "https") {
            let words = "That is not an address that a browser opens.".to_owned();
            return Err(Reply::Refused(Cause {
                kind: CauseKind::Setup,
                words,
                detail: "another scheme".to_owned(),
            }));
        }
        let last = link.path_segments().and_then(|mut parts| parts.next_back().map(str::to_owned));
        let number = last.filter(|last| (1..=60).contains(&last.len())).unwrap_or_else(|| short(issue));
        Ok(Some(Receipt { number, url: link.to_string() }))
    }

    fn recognises_repeats(&self) -> bool {
        self.honours_key
    }

    async fn look(&self, _issue: &Issue, _look: Look<'_>) -> Result<Seen, Reply> {
        Err(cannot_look())
    }
}
