//! HTTP/1.1 by hand: one request a connection, read in two steps, answered as bytes.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// More is nobody's request.
const LONGEST_HEAD: usize = 64 * 1024;
const LONGEST_BODY: usize = 256 * 1024 * 1024;

/// A request's head.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub(crate) fn query(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        url::form_urlencoded::parse(query.as_bytes())
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.into_owned())
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        let headers = vec![("Content-Type", "application/json;charset=utf-8".to_owned())];
        Self { status, headers, body: value.to_string().into_bytes() }
    }

    pub(crate) fn html(status: u16, page: &str) -> Self {
        let headers = vec![
            ("Content-Type", "text/html; charset=utf-8".to_owned()),
            (
                "Content-Security-Policy",
                "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'".to_owned(),
            ),
        ];
        Self { status, headers, body: page.as_bytes().to_vec() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let date = jiff::fmt::rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&jiff::Timestamp::now())
            .unwrap_or_default();
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nDate: {date}\r\nConnection: close\r\n",
            self.status,
            reason(self.status)
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        [head.as_bytes(), &self.body].concat()
    }
}

/// A connection with what has been read beyond the head.
pub(crate) struct Wire {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, rest: Vec::new() }
    }

    /// Reads to the end of the head; nothing when the client went before.
    pub(crate) async fn head(&mut self) -> io::Result<Option<Head>> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut request = httparse::Request::new(&mut headers);
            if let httparse::Status::Complete(end) = request.parse(&self.rest).map_err(io::Error::other)? {
                let head = Head {
                    method: request.method.unwrap_or_default().to_owned(),
                    target: request.path.unwrap_or_default().to_owned(),
                    headers: request
                        .headers
                        .iter()
                        .map(|header| {
                            (
                                header.name.to_ascii_lowercase(),
                                String::from_utf8_lossy(header.value).into_owned(),
                            )
                        })
                        .collect(),
                };
                self.rest.drain(..end);
                return Ok(Some(head));
            }
            if self.rest.len() > LONGEST_HEAD {
                return Err(io::Error::other("the head does not end"));
            }
            if self.read().await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Reads the body that the head announces; nothing when it was cut.
    pub(crate) async fn body(&mut self, head: &Head) -> io::Result<Option<Vec<u8>>> {
        if head.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let length: usize =
            head.header("content-length").and_then(|value| value.trim().parse().ok()).unwrap_or(0);
        if length > LONGEST_BODY {
            return Err(io::Error::other("the body is too large"));
        }
        while self.rest.len() < length {
            // A reset is a cut, too.
            if self.read().await.unwrap_or(0) == 0 {
                return Ok(None);
            }
        }
        Ok(Some(self.rest.drain(..length).collect()))
    }

    /// How much has been read that is not part of anything yet.
    pub(crate) fn unread(&self) -> usize {
        self.rest.len()
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Ends our half in order, so that the client has every byte.
    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        self.stream.shutdown().await
    }

    /// Ends the connection by a reset.
    pub(crate) fn reset(self) -> io::Result<()> {
        self.stream.set_zero_linger()
    }

    /// Waits, reading nothing, until the client has gone.
    pub(crate) async fn until_gone(&mut self) {
        let mut byte = [0];
        // An unread byte would hide the end behind it, so what comes is thrown away.
        while matches!(self.stream.read(&mut byte).await, Ok(1)) {}
    }

    /// Waits until the client has reset the connection, leaving what it sent unread.
    pub(crate) async fn until_gone_unread(&mut self) {
        loop {
            match self.stream.ready(tokio::io::Interest::ERROR | tokio::io::Interest::READABLE).await {
                Ok(ready) if !ready.is_error() && !ready.is_read_closed() => {
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
                _ => return,
            }
        }
    }

    async fn read(&mut self) -> io::Result<usize> {
        self.stream.read_buf(&mut self.rest).await
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        300..=399 => "Moved",
        400..=499 => "Refused",
        _ => "Trouble",
    }
}
