//! A proxy that breaks off: it stands before a real server, passes requests on, and loses answers exactly where it is told.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::wire::{Answer, Head, Wire};

/// Where an exchange ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// After the request's head; the server hears nothing.
    AfterHead,
    /// After the request's body; the server has it whole, and nobody hears what it says.
    AfterBody,
    /// After so many bytes of the answer.
    AfterAnswer(usize),
    /// As `AfterBody`, by a reset.
    Reset,
    /// As `AfterBody`, and the connection stays open until the client goes.
    Stall,
    /// As `AfterBody`, and a proxy's page comes instead.
    Page(u16),
}

/// A request that is broken off: its verb, the end of its path, where, and how often.
#[derive(Debug, Clone)]
struct Rule {
    method: String,
    end: String,
    at: Break,
    times: u32,
}

/// The proxy. It listens on this computer only.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    listening: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    /// Where the server is: a port on this computer.
    to: Mutex<u16>,
    /// What goes from the front of each path, and what comes instead.
    path: (String, String),
    rules: Mutex<Vec<Rule>>,
    asked: Mutex<Vec<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    /// Starts before the server on port `to`. A path that begins with `from` is passed on as one that begins with
    /// `instead`.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(to: u16, from: &str, instead: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            to: Mutex::new(to),
            path: (from.to_owned(), instead.to_owned()),
            rules: Mutex::default(),
            asked: Mutex::default(),
        });
        let listening = tokio::spawn(listen(listener, Arc::clone(&shared)));
        Ok(Self { port, shared, listening })
    }

    /// The address of the proxy.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Passes on to another port from now on.
    pub fn turn_to(&self, port: u16) {
        *lock(&self.shared.to) = port;
    }

    /// Breaks off the next `times` requests with this verb whose path ends so.
    pub fn break_off(&self, method: &str, end: &str, at: Break, times: u32) {
        lock(&self.shared.rules).push(Rule { method: method.to_owned(), end: end.to_owned(), at, times });
    }

    /// Every request so far: verb and path.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.shared.asked).clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // Whoever went is no news here.
            let _ = serve(stream, &shared).await;
        });
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut wire = Wire::new(stream);
    let Some(head) = wire.head().await? else { return Ok(()) };
    lock(&shared.asked).push(format!("{} {}", head.method, head.path()));
    let at = rule(shared, &head);
    if at == Some(Break::AfterHead) {
        return Ok(());
    }
    let Some(body) = wire.body(&head).await? else { return Ok(()) };
    let to = *lock(&shared.to);
    let answer = ask(to, &written(shared, &head, &body)).await?;
    match at {
        None | Some(Break::AfterHead) => wire.write(&answer).await?,
        Some(Break::AfterAnswer(bytes)) => wire.write(answer.get(..bytes).unwrap_or(&answer)).await?,
        Some(Break::Page(status)) => {
            wire.write(&Answer::html(status, "<html><h1>proxy</h1></html>").bytes()).await?;
        }
        Some(Break::AfterBody) => return Ok(()),
        Some(Break::Reset) => return wire.reset(),
        Some(Break::Stall) => {
            wire.until_gone().await;
            return Ok(());
        }
    }
    wire.finish().await
}

fn rule(shared: &Shared, head: &Head) -> Option<Break> {
    let mut rules = lock(&shared.rules);
    let fits = |rule: &Rule| rule.method == head.method && head.path().ends_with(&rule.end);
    let at = rules.iter().position(fits)?;
    rules[at].times = rules[at].times.saturating_sub(1);
    let found = rules[at].at;
    if rules[at].times == 0 {
        rules.remove(at);
    }
    Some(found)
}

fn written(shared: &Shared, head: &Head, body: &[u8]) -> Vec<u8> {
    let (from, instead) = &shared.path;
    let target = match head.target.strip_prefix(from.as_str()) {
        Some(below) => format!("{instead}{below}"),
        None => head.target.clone(),
    };
    let target = if target.starts_with('/') { target } else { format!("/{target}") };
    let mut out = format!("{} {target} HTTP/1.1\r\n", head.method).into_bytes();
    for (name, value) in &head.headers {
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
    out
}

/// The whole answer: the request asks for the connection to end with it.
async fn ask(port: u16, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}
