//! The server: listens on this computer only, takes one request a connection, and applies the script of faults.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::fault::{self, Fault, Route, What};
use crate::gitea;
use crate::state::{Issue, Logged, Project, State};
use crate::wire::{Answer, Head, Wire};

/// A Gitea-shaped server with one project, `ada/demo`, and a script of faults.
///
/// Its issues outlive [`PracticeTracker::stop`], so that it can be switched off and on like a network.
#[derive(Debug)]
pub struct PracticeTracker {
    shared: Arc<Shared>,
    port: u16,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

impl Shared {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PracticeTracker {
    /// Starts on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> io::Result<Self> {
        let (port, listener) = free().await?;
        let shared = Arc::default();
        let listening = Some(tokio::spawn(listen(listener, Arc::clone(&shared))));
        Ok(Self { shared, port, listening })
    }

    /// Starts on this port.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start_on(port: u16) -> io::Result<Self> {
        let mut tracker = Self { shared: Arc::default(), port, listening: None };
        tracker.wake().await?;
        Ok(tracker)
    }

    /// Picks a port and does not listen there yet: a tracker that is offline from the start.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn asleep() -> io::Result<Self> {
        let (port, _listener) = free().await?;
        Ok(Self { shared: Arc::default(), port, listening: None })
    }

    /// Goes online, with everything that was there before.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn wake(&mut self) -> io::Result<()> {
        if self.listening.is_none() {
            let listener = bound(self.port).await?;
            self.listening = Some(tokio::spawn(listen(listener, Arc::clone(&self.shared))));
        }
        Ok(())
    }

    /// Goes offline: the port refuses, open connections are cut.
    pub async fn stop(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
            // Ends cancelled, which is what was asked for.
            let _ = listening.await;
        }
    }

    /// The base address, sub-path included.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.shared.state().project.sub_path)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The token that is taken.
    pub fn token(&self) -> String {
        self.shared.state().project.token.clone()
    }

    /// Sets the project up otherwise.
    pub fn change(&self, change: impl FnOnce(&mut Project)) {
        change(&mut self.shared.state().project);
    }

    /// Scripts a fault for the next request of this kind.
    pub fn fault(&self, on: Route, what: What) {
        self.faults(on, what, 1);
    }

    /// Scripts a fault for the next `times` requests of this kind.
    pub fn faults(&self, on: Route, what: What, times: u32) {
        self.shared.state().faults.push(Fault { on, what, times });
    }

    /// Forgets the faults that have not happened yet.
    pub fn clear_faults(&self) {
        self.shared.state().faults.clear();
    }

    /// The faults that have not happened yet.
    pub fn faults_left(&self) -> Vec<Fault> {
        self.shared.state().faults.clone()
    }

    /// All issues, oldest first, with their attachments.
    pub fn issues(&self) -> Vec<Issue> {
        self.shared.state().issues.clone()
    }

    /// Adds an issue as somebody else would.
    pub fn add_issue(&self, title: &str, body: &str) -> u64 {
        self.shared.state().add_issue(title, body, Vec::new(), Duration::ZERO).number
    }

    /// Changes an issue as somebody on the web page would.
    pub fn edit_issue(&self, number: u64, edit: impl FnOnce(&mut Issue)) {
        if let Some(issue) = self.shared.state().issue_mut(number) {
            edit(issue);
        }
    }

    /// Every request so far, the control interface's excepted.
    pub fn requests(&self) -> Vec<Logged> {
        self.shared.state().log.clone()
    }

    /// Waits until `is_so` holds of the requests so far; asked again after every change.
    pub async fn until(&self, is_so: impl Fn(&[Logged]) -> bool) {
        loop {
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            // Asked with the lock given back: it may want to look at the issues, too.
            let log = self.requests();
            if is_so(&log) {
                return;
            }
            changed.await;
        }
    }
}

impl Drop for PracticeTracker {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

/// Listens on a port that nobody else has, below the range from which the kernel gives ports to others, or it could be
/// gone while we are offline.
async fn free() -> io::Result<(u16, TcpListener)> {
    for _ in 0..100 {
        let port = fastrand::u16(20_000..32_000);
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)).await {
            return Ok((port, listener));
        }
    }
    Err(io::Error::other("no free port"))
}

/// Listens on this port, which a neighbour that looks for a free one may hold for an instant.
async fn bound(port: u16) -> io::Result<TcpListener> {
    for _ in 0..50 {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Err(taken) if taken.kind() == io::ErrorKind::AddrInUse => sleep(Duration::from_millis(20)).await,
            bound => return bound,
        }
    }
    TcpListener::bind(("127.0.0.1", port)).await
}

async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    // Dropped with this task, and every connection with it.
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // A client that went is no news here: the log says how far it came.
            let _ = serve(stream, &shared).await;
        });
    }
}

async fn serve(stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    {
        let mut state = shared.state();
        if state.faults.first().is_some_and(|fault| fault.on == Route::Any && fault.what == What::Drop) {
            fault::take(&mut state.faults, Route::Any);
            return Ok(());
        }
    }
    let mut wire = Wire::new(stream);
    let Some(head) = wire.head().await? else { return Ok(()) };
    if head.path().starts_with("/_practice/") {
        let body = wire.body(&head).await?.unwrap_or_default();
        let answer = crate::control::answer(&mut shared.state(), &head, &body);
        shared.changed.notify_waiters();
        wire.write(&answer.bytes()).await?;
        return wire.finish().await;
    }
    let (fault, at) = {
        let mut state = shared.state();
        let route = gitea::route(&state.project, &head);
        let fault = fault::take(&mut state.faults, route);
        let is_signed_in = gitea::is_signed_in(&state.project, &head);
        let headers = head.headers.iter().filter(|(name, _)| name != "authorization").cloned().collect();
        state.log.push(Logged {
            method: head.method.clone(),
            target: head.target.clone(),
            headers,
            is_signed_in,
            body_bytes: 0,
            status: None,
            client_went: false,
        });
        (fault, state.log.len() - 1)
    };
    shared.changed.notify_waiters();
    let note = |note: &dyn Fn(&mut Logged)| {
        // The log may have been cleared meanwhile.
        if let Some(logged) = shared.state().log.get_mut(at) {
            note(logged);
        }
        shared.changed.notify_waiters();
    };
    match fault {
        Some(What::Drop | What::CutAfterHead) => return Ok(()),
        Some(What::StallUnread) => {
            wire.until_gone_unread().await;
            note(&|logged| logged.client_went = true);
            return Ok(());
        }
        Some(What::ReadLate { ms }) => sleep(Duration::from_millis(ms)).await,
        _ => {}
    }
    let Some(body) = wire.body(&head).await? else {
        note(&|logged| {
            logged.body_bytes = wire.unread();
            logged.client_went = true;
        });
        return Ok(());
    };
    note(&|logged| logged.body_bytes = body.len());
    let act = |lag: u64| gitea::act(&mut shared.state(), &head, &body, Duration::from_millis(lag));
    let mut pace = None;
    let mut most = usize::MAX;
    let answer = match fault {
        None | Some(What::Drop | What::CutAfterHead | What::StallUnread | What::ReadLate { .. }) => act(0),
        Some(What::CutAfterBody) => {
            act(0);
            shared.changed.notify_waiters();
            return Ok(());
        }
        Some(What::CutAfterAnswer { bytes }) => {
            most = bytes;
            act(0)
        }
        Some(What::TroubleBefore { status }) => trouble(status),
        Some(What::TroubleAfter { status }) => {
            act(0);
            trouble(status)
        }
        Some(What::Html { status }) => proxy(status),
        Some(What::HtmlAfter { status }) => {
            act(0);
            proxy(status)
        }
        Some(What::LoginPage) => Answer::html(200, "<html><form>Sign in to the guest network</form></html>"),
        Some(What::NoId) => Answer::json(201, &serde_json::json!({ "ok": true })),
        Some(What::ForeignLink) => foreign(act(0), &head),
        Some(What::Unauthorized) => gitea::told(401, "invalid username, password or token"),
        Some(What::Forbidden { message }) => gitea::told(403, &message),
        Some(What::Invalid { message }) => gitea::told(422, &message),
        Some(What::RateLimit { retry_after }) => {
            let answer = gitea::told(429, "too many requests");
            retry_after.into_iter().fold(answer, |answer, wait| answer.with("Retry-After", wait))
        }
        Some(What::Redirect { code, to }) => Answer::html(code, "<html>Moved</html>").with("Location", to),
        Some(What::Raw { answer }) => {
            wire.write(answer.as_bytes()).await?;
            return wire.finish().await;
        }
        Some(What::DelayBefore { ms }) => {
            sleep(Duration::from_millis(ms)).await;
            act(0)
        }
        Some(What::DelayAfter { ms }) => {
            let answer = act(0);
            shared.changed.notify_waiters();
            sleep(Duration::from_millis(ms)).await;
            answer
        }
        Some(What::Stall) => {
            wire.until_gone().await;
            note(&|logged| logged.client_went = true);
            return Ok(());
        }
        Some(What::Trickle { ms }) => {
            pace = Some(Duration::from_millis(ms));
            act(0)
        }
        Some(What::CommitLate { ms }) => {
            commit_late(Arc::clone(shared), head, body, Duration::from_millis(ms));
            return Ok(());
        }
        Some(What::ListLag { ms }) => act(ms),
    };
    let bytes = answer.bytes();
    let bytes = bytes.get(..most).unwrap_or(&bytes);
    match pace {
        Some(pace) => {
            for byte in bytes {
                if wire.write(&[*byte]).await.is_err() {
                    note(&|logged| logged.client_went = true);
                    return Ok(());
                }
                sleep(pace).await;
            }
        }
        None => wire.write(bytes).await?,
    }
    note(&|logged| logged.status = Some(answer.status));
    wire.finish().await
}

/// The client is gone, this server may even be stopped: what it has taken in happens all the same.
fn commit_late(shared: Arc<Shared>, head: Head, body: Vec<u8>, after: Duration) {
    tokio::spawn(async move {
        sleep(after).await;
        gitea::act(&mut shared.state(), &head, &body, Duration::ZERO);
        shared.changed.notify_waiters();
    });
}

fn proxy(status: u16) -> Answer {
    Answer::html(status, "<html><body><h1>nginx</h1></body></html>")
}

fn trouble(status: u16) -> Answer {
    gitea::told(status, "")
}

/// The same answer from a server that takes itself for another one.
fn foreign(mut answer: Answer, head: &Head) -> Answer {
    let host = head.header("host").unwrap_or_default();
    let body = String::from_utf8_lossy(&answer.body).replace(host, "elsewhere.example.org");
    answer.body = body.into_bytes();
    answer
}
