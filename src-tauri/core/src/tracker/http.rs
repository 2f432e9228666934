//! The one door to the network, and the only file that names the HTTP client.
//!
//! A send must be countable: one call is one request, or none. So the client follows no redirect and repeats nothing by
//! itself; every request has a connection of its own, which is closed when the answer has been read or the future is
//! dropped (a kept connection that died meanwhile would put an innocent send in doubt); and a body always goes with its
//! length. What went wrong on the way is sorted here into "surely nothing left" and "it may have arrived"; what an
//! *answer* means is decided in `answer.rs`.

use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, CONNECTION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LINK, LOCATION, RETRY_AFTER,
};
use reqwest::multipart::{Form, Part};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::address;
use super::alone::{Lost, alone};
use super::answer::{Answer, Head};
use super::{Cause, CauseKind, Limits, Reply};
use crate::issue::Destination;

/// How long a connection may take to come about, name and TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the kernel may hold bytes that nobody acknowledges. Quiet time counts on it.
const USER_TIMEOUT: Duration = Duration::from_secs(30);
/// The slowest upload that is waited for, in bytes a second.
const SLOWEST_UPLOAD: u64 = 20_000;
/// No answer of a tracker needs more.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// A client for one tracker.
pub(super) struct Http {
    client: reqwest::Client,
    base: Url,
    hides_path: bool,
    stage_timeout: Duration,
}

/// What every request to a tracker carries.
pub(super) struct Access {
    /// Who we are: the header's name and all of its value.
    pub(super) credential: Option<(&'static str, SecretString)>,
    /// A PEM file with certificates that are trusted besides the computer's own.
    pub(super) ca: Option<String>,
    /// What the tracker wants to be told besides.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Whether the path of an address may be what keeps strangers out, so that no log holds it.
    pub(super) hides_path: bool,
}

impl Access {
    /// A token in the header `Authorization`, after the word that says what it is.
    pub(super) fn token(kind: &str, token: Option<SecretString>, destination: &Destination) -> Self {
        let value =
            |token: SecretString| SecretString::from(format!("{kind} {}", token.expose_secret().trim()));
        Self {
            credential: token.map(|token| ("authorization", value(token))),
            ca: destination.ca.clone(),
            headers: &[],
            hides_path: false,
        }
    }
}

/// What is asked.
pub(super) struct Call {
    pub(super) verb: Verb,
    pub(super) url: Url,
    pub(super) body: Body,
    /// The key by which the other side may know it again.
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
    Patch,
    Put,
    Options,
}

impl Verb {
    const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Put => "PUT",
            Self::Options => "OPTIONS",
        }
    }
}

pub(super) enum Body {
    None,
    Json(serde_json::Value),
    /// As they are.
    Bytes {
        media_type: String,
        bytes: Vec<u8>,
    },
    /// One file as a form's part.
    File {
        part: &'static str,
        /// ASCII, without quotes.
        name: String,
        media_type: String,
        bytes: Vec<u8>,
    },
}

impl Call {
    pub(super) fn get(url: Url) -> Self {
        Self { verb: Verb::Get, url, body: Body::None, idempotency_key: None }
    }

    pub(super) fn post(url: Url, body: Body) -> Self {
        Self { verb: Verb::Post, url, body, idempotency_key: None }
    }

    pub(super) fn patch(url: Url, body: Body) -> Self {
        Self { verb: Verb::Patch, url, body, idempotency_key: None }
    }

    /// A question that does nothing, also where a GET would.
    pub(super) fn options(url: Url) -> Self {
        Self { verb: Verb::Options, url, body: Body::None, idempotency_key: None }
    }

    pub(super) fn put(url: Url, body: Body) -> Self {
        Self { verb: Verb::Put, url, body, idempotency_key: None }
    }
}

impl Http {
    /// A client for the tracker at `base`.
    pub(super) fn open(base: Url, access: &Access, limits: Limits) -> Result<Self, Cause> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        for (name, value) in access.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some((name, value)) = &access.credential {
            // The error is left out: it would quote what it could not read.
            let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_unreadable| {
                setup(
                    "The token holds characters that no token has. Copy it again.".to_owned(),
                    "the token is not a header value".to_owned(),
                )
            })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("Outtray/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            // Ends before the whole request does, so that a host that is not there is told from a lost answer.
            .connect_timeout(CONNECT_TIMEOUT.min(limits.stage_timeout.mul_f64(0.8)));
        #[cfg(target_os = "linux")]
        {
            builder = builder.tcp_user_timeout(USER_TIMEOUT);
        }
        if address::is_loopback(&base) {
            // What is on this computer is not reached through a proxy somewhere else.
            builder = builder.no_proxy();
        }
        if base.scheme() == "http" {
            // No TLS, so no look at the computer's certificates: there may be none.
            builder = builder.tls_certs_only([]);
        }
        if base.scheme() == "https"
            && let Some(ca) = &access.ca
        {
            builder = builder.tls_certs_merge(certificates(ca)?);
        }
        let client = builder.build().map_err(|error| {
            setup(
                "No secure connection can be made on this computer: its certificates cannot be read."
                    .to_owned(),
                chain(error),
            )
        })?;
        Ok(Self { client, base, hides_path: access.hides_path, stage_timeout: limits.stage_timeout })
    }

    /// The address of something below the tracker's base.
    pub(super) fn url(&self, segments: &[&str]) -> Url {
        address::join(&self.base, segments)
    }

    /// The tracker's base address.
    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    /// Whether a link lies on the configured origin.
    pub(super) fn is_here(&self, link: &str) -> bool {
        address::is_on(link, &self.base)
    }

    /// Asks a question.
    ///
    /// # Errors
    /// As [`Http::ask`].
    pub(super) async fn get(&self, url: Url) -> Result<Answer, Reply> {
        self.ask(Call::get(url)).await
    }

    /// Asks once, and returns the answer whatever its code says. Dropping the future closes the connection.
    ///
    /// # Errors
    /// `NotSent` when surely nothing left this computer, `Doubt` when it may have arrived.
    pub(super) async fn ask(&self, call: Call) -> Result<Answer, Reply> {
        let (host, asked, base) = (address::host(&call.url), call.url.clone(), self.base.clone());
        let path = if self.hides_path { "…" } else { call.url.path() };
        let what = format!("{} {path}", call.verb.word());
        let timeout = self.stage_timeout + upload_time(&call.body);
        let request = self.request(call).timeout(timeout);
        let local =
            |words: &str, detail: String| Cause { kind: CauseKind::Local, words: words.to_owned(), detail };
        match alone(exchange(request)).await {
            Ok(Ok((head, body, is_whole))) => {
                tracing::debug!(call = what, status = head.status, bytes = body.len(), "answered");
                Ok(Answer { head, body, is_whole, asked, host, what, base })
            }
            Ok(Err(error)) => Err(lost(error, &host, &what, timeout)),
            Err(Lost::NotBegun(error)) => Err(Reply::NotSent(local(
                "This computer has no room for another connection.",
                error.to_string(),
            ))),
            Err(Lost::Broken) => {
                Err(Reply::Doubt(local("Sending was broken off.", format!("{what}: panicked"))))
            }
        }
    }

    fn request(&self, call: Call) -> reqwest::RequestBuilder {
        let method = match call.verb {
            Verb::Get => reqwest::Method::GET,
            Verb::Post => reqwest::Method::POST,
            Verb::Patch => reqwest::Method::PATCH,
            Verb::Put => reqwest::Method::PUT,
            Verb::Options => reqwest::Method::OPTIONS,
        };
        let mut request = self.client.request(method, call.url);
        if let Some(key) = call.idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        match call.body {
            Body::None => request,
            Body::Json(value) => request.header(CONTENT_TYPE, "application/json").body(value.to_string()),
            Body::Bytes { media_type, bytes } => request.header(CONTENT_TYPE, media_type).body(bytes),
            Body::File { part, name, media_type, bytes } => {
                let typed =
                    |media_type: &str, bytes| Part::bytes(bytes).file_name(name.clone()).mime_str(media_type);
                let is_type = Part::bytes(Vec::new()).mime_str(&media_type).is_ok();
                let kind = if is_type { media_type.as_str() } else { "application/octet-stream" };
                match typed(kind, bytes) {
                    Ok(file) => request.multipart(Form::new().part(part, file)),
                    // Not reached: the type was tried before. An empty form would be refused, and nothing be lost.
                    Err(_) => request.multipart(Form::new()),
                }
            }
        }
    }
}

fn setup(words: String, detail: String) -> Cause {
    Cause { kind: CauseKind::Setup, words, detail }
}

/// The certificates in a PEM file.
fn certificates(file: &str) -> Result<Vec<reqwest::Certificate>, Cause> {
    let pem = std::fs::read(file).map_err(|error| {
        let words = match error.kind() {
            std::io::ErrorKind::NotFound => format!("The certificate file {file} is not there."),
            _ => format!("The certificate file {file} cannot be read."),
        };
        setup(
            format!("{words} Put it back, or change the destination's certificate file."),
            error.to_string(),
        )
    })?;
    let found = reqwest::Certificate::from_pem_bundle(&pem).map_err(chain);
    match found {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        found => Err(setup(
            format!("{file} holds no certificate in PEM. Change the destination's certificate file."),
            found.err().unwrap_or_else(|| "no certificate in it".to_owned()),
        )),
    }
}

/// Sends, and reads the answer to its end or to the cap.
async fn exchange(request: reqwest::RequestBuilder) -> reqwest::Result<(Head, Vec<u8>, bool)> {
    let mut response = request.send().await?;
    let head = head(response.status().as_u16(), response.headers());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Ok((head, body, false));
        }
        body.extend_from_slice(&chunk);
    }
    Ok((head, body, true))
}

fn upload_time(body: &Body) -> Duration {
    match body {
        Body::File { bytes, .. } | Body::Bytes { bytes, .. } => {
            Duration::from_secs(bytes.len() as u64 / SLOWEST_UPLOAD)
        }
        Body::None | Body::Json(_) => Duration::ZERO,
    }
}

fn head(status: u16, headers: &HeaderMap) -> Head {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Head {
        status,
        content_type: text(CONTENT_TYPE),
        retry_after: text(RETRY_AFTER),
        date: text(DATE),
        location: text(LOCATION),
        link: text(LINK),
        total: text(HeaderName::from_static("x-total-count")).and_then(|total| total.trim().parse().ok()),
        calls_left: text(HeaderName::from_static("x-ratelimit-remaining")),
        calls_anew_at: text(HeaderName::from_static("x-ratelimit-reset")),
        scopes: text(HeaderName::from_static("x-oauth-scopes")),
    }
}

/// Sorts an error on the way: did anything leave?
fn lost(error: reqwest::Error, host: &str, what: &str, timeout: Duration) -> Reply {
    let (is_connect, is_dns, is_timeout) = (error.is_connect(), error.is_dns(), error.is_timeout());
    let is_unmade = error.is_builder();
    let chain = chain(error);
    let cause = |kind, words| Cause { kind, words, detail: format!("{what}: {chain}") };
    if is_unmade {
        return Reply::NotSent(cause(CauseKind::Setup, format!("No request can be made to {host}.")));
    }
    if is_connect || is_dns {
        return Reply::NotSent(cause(CauseKind::Unreachable, unreachable(host, &chain, is_dns)));
    }
    if is_timeout {
        let waited = if timeout < Duration::from_secs(1) {
            "time".to_owned()
        } else {
            format!("{} s", timeout.as_secs())
        };
        return Reply::Doubt(cause(CauseKind::Timeout, format!("{host} did not answer within {waited}.")));
    }
    Reply::Doubt(cause(
        CauseKind::Cut,
        format!("The connection to {host} broke before the answer was there."),
    ))
}

/// Says why no connection came about. The causes have no types that could be asked, only texts.
fn unreachable(host: &str, chain: &str, is_dns: bool) -> String {
    let chain = chain.to_ascii_lowercase();
    let has = |part: &str| chain.contains(part);
    if has("proxy auth") {
        format!("The proxy on the way to {host} wants a sign-in.")
    } else if has("tunnel") {
        format!("The proxy on the way to {host} does not let Outtray through.")
    } else if is_dns && host.parse::<IpAddr>().is_err() {
        let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
        format!("The name {name} is not known here.")
    } else if has("expired") && has("certificate") {
        format!("The certificate of {host} has expired, or this computer's clock is wrong.")
    } else if has("not valid for name") || has("notvalidforname") {
        format!("The certificate of {host} belongs to another name.")
    } else if has("certificate") {
        format!("The certificate of {host} is not trusted on this computer.")
    } else if has("invalidcontenttype") || has("corrupt message") {
        format!("{host} does not speak https there.")
    } else if has("network is unreachable") || has("no route to host") {
        format!("There is no way to {host} from this network.")
    } else {
        format!("{host} does not answer.")
    }
}

/// The chain of causes without addresses, which may hold what must not be in a log.
fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !line.ends_with(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        next = cause.source();
    }
    line
}
