//! The trackers, their books, and everything that may happen between them and us.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fastrand::Rng;
use outtray_core::issue::{Destination, Issue, Receipt};
use outtray_core::tracker::{
    Account, Cause, CauseKind, Done, Limits, Look, Reply, Seen, Step, Tracker, Trackers,
};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::oneshot;
use url::Url;

use crate::clock::SimClock;

/// Within this, counted while the machine is awake, everything that a sender left behind has happened and shows.
pub(crate) const QUIET_MS: i64 = 60_000;
/// How long an adapter waits for an answer.
const PATIENCE_MS: i64 = 60_000;

/// The world outside, shared by every process.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<Books>>);

/// What the trackers have on their books, and what is on its way.
pub(crate) struct Books {
    rng: Rng,
    clock: SimClock,
    /// Whether the network can be reached.
    pub(crate) online: bool,
    /// How likely trouble is, in a hundred.
    pub(crate) trouble: u32,
    /// How much longer every answer takes than it would.
    pub(crate) slow_ms: i64,
    /// How much longer looks take.
    pub(crate) slow_looks_ms: i64,
    /// Of the next thing that is sent: when its answer is lost, and when it happens all the same.
    pub(crate) lose_next: Option<(i64, i64)>,
    /// The same for the next time that pictures are put in.
    pub(crate) lose_embed: Option<(i64, i64)>,
    /// So many files more are refused.
    pub(crate) refuse_files: u32,
    /// Questions are answered with trouble.
    pub(crate) looks_fail: bool,
    /// Whether listings show anything.
    pub(crate) lists: bool,
    /// The token that is taken.
    pub(crate) token: String,
    pub(crate) issues: Vec<Filed>,
    /// Keys whose create or files were refused.
    pub(crate) refused: BTreeSet<String>,
    /// Where to tell what happens.
    pub(crate) told: Option<fn(&str)>,
    /// What was sent while the same thing was still being sent by somebody who had not gone.
    pub(crate) beside: Option<String>,
    requests: BTreeMap<u64, Request>,
    /// Bytes in the kernel move while the machine is awake; what has arrived goes on by itself.
    arrivals: BTreeMap<(i64, u64), u64>,
    events: BTreeMap<(i64, u64), (u64, Event)>,
    next: u64,
}

/// An issue at a tracker.
#[derive(Debug, Clone)]
pub(crate) struct Filed {
    pub(crate) number: u32,
    pub(crate) key: String,
    pub(crate) destination: i64,
    pub(crate) assets: Vec<Asset>,
    pub(crate) embedded: Vec<String>,
    request: u64,
    visible_ms: i64,
}

/// A file at an issue.
#[derive(Debug, Clone)]
pub(crate) struct Asset {
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) reference: String,
    request: u64,
    visible_ms: i64,
}

/// One request on its way.
struct Request {
    process: u64,
    destination: i64,
    key: String,
    what: What,
    /// Whether it does anything at the tracker once it has arrived; else how it is answered.
    takes: Result<(), Reply>,
    commits_after_ms: i64,
    shows_after_ms: i64,
    answers_after_ms: Option<i64>,
    answer: Option<oneshot::Sender<Reply>>,
    is_gone: bool,
}

impl What {
    fn word(&self) -> String {
        match self {
            Self::Create => "create".to_owned(),
            Self::Upload { name, number, .. } => format!("upload {name} to {number}"),
            Self::Embed { number, .. } => format!("embed in {number}"),
            Self::Ask => "a question".to_owned(),
        }
    }
}

impl Request {
    /// Whether it is about to make the same thing, and its sender has not gone.
    fn is_same(&self, key: &str, what: &What) -> bool {
        let is_same_thing = match (&self.what, what) {
            (What::Create, What::Create) => true,
            (What::Upload { name, .. }, What::Upload { name: other, .. }) => name == other,
            _ => false,
        };
        !self.is_gone && self.key == key && is_same_thing
    }
}

#[derive(Clone)]
enum What {
    Create,
    Upload {
        number: u32,
        name: String,
        size: u64,
    },
    Embed {
        number: u32,
        references: Vec<String>,
    },
    /// A question: nothing happens at the tracker.
    Ask,
}

#[derive(Debug, Clone)]
enum Event {
    Commit,
    Answer(Reply),
}

impl World {
    pub(crate) fn new(rng: Rng, clock: SimClock) -> Self {
        Self(Arc::new(Mutex::new(Books {
            rng,
            clock,
            online: true,
            trouble: 0,
            slow_ms: 0,
            slow_looks_ms: 0,
            lose_next: None,
            lose_embed: None,
            refuse_files: 0,
            looks_fail: false,
            lists: true,
            token: "token-0".into(),
            issues: Vec::new(),
            refused: BTreeSet::new(),
            told: None,
            beside: None,
            requests: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            events: BTreeMap::new(),
            next: 0,
        })))
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    /// Tells what happens, to whoever replays a history.
    pub(crate) fn tell(&self, what: impl FnOnce() -> String) {
        if let Some(told) = self.told {
            told(&format!("{:>10} {:>10} {}", self.clock.world_ms(), self.clock.awake_total_ms(), what()));
        }
    }

    /// An issue that somebody made whom we know nothing of.
    pub(crate) fn plant(&mut self, key: String, destination: i64) {
        let number = u32::try_from(self.issues.len()).unwrap_or(u32::MAX) + 1;
        let (assets, embedded) = (Vec::new(), Vec::new());
        self.issues.push(Filed { number, key, destination, assets, embedded, request: 0, visible_ms: 0 });
    }

    /// Whether a person who looks sees an issue, or a file of it.
    pub(crate) fn shows(&self, key: &str, file: Option<&str>) -> bool {
        let now = self.clock.world_ms();
        self.issues.iter().filter(|issue| issue.key == key && issue.visible_ms <= now).any(|issue| match file
        {
            Some(name) => issue.assets.iter().any(|asset| asset.name == name && asset.visible_ms <= now),
            None => true,
        })
    }

    /// How long until something happens out there.
    pub(crate) fn next_in(&self) -> Option<i64> {
        let arrival = self.arrivals.first_key_value().map(|((at, _), _)| at - self.clock.awake_total_ms());
        let event = self.events.first_key_value().map(|((at, _), _)| at - self.clock.world_ms());
        arrival.into_iter().chain(event).min().map(|ms| ms.max(0))
    }

    /// Lets everything happen whose time has come.
    pub(crate) fn turn(&mut self) {
        loop {
            let arrival = self.arrivals.first_key_value().map(|(at, id)| (*at, *id));
            if let Some((at, id)) = arrival.filter(|((at, _), _)| *at <= self.clock.awake_total_ms()) {
                self.arrivals.remove(&at);
                self.arrive(id);
                continue;
            }
            let event = self.events.first_key_value().map(|(at, _)| *at);
            match event.filter(|(at, _)| *at <= self.clock.world_ms()) {
                Some(at) => {
                    if let Some((id, event)) = self.events.remove(&at) {
                        self.happen(id, event);
                    }
                }
                None => return,
            }
        }
    }

    /// A process is gone: its connections are closed, and what its kernel holds is not.
    pub(crate) fn process_gone(&mut self, process: u64) {
        let of_it: Vec<u64> = self
            .requests
            .iter()
            .filter(|(_, request)| request.process == process)
            .map(|(id, _)| *id)
            .collect();
        for id in of_it {
            self.gone(id);
        }
    }

    /// The machine lost its power: what its kernel held is gone too.
    pub(crate) fn power_cut(&mut self) {
        let held: Vec<u64> = self.arrivals.values().copied().collect();
        self.arrivals.clear();
        for id in held {
            self.requests.remove(&id);
        }
        let rest: Vec<u64> = self.requests.keys().copied().collect();
        for id in rest {
            self.gone(id);
        }
    }

    /// Rises with every request and everything that comes of it.
    pub(crate) const fn stirred(&self) -> u64 {
        self.next
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn after(&mut self, ms: i64, id: u64, event: Event) {
        let at = (self.clock.world_ms() + ms, self.number());
        self.events.insert(at, (id, event));
    }

    fn chance(&mut self, in_a_hundred: u32) -> bool {
        self.rng.u32(0..100) < in_a_hundred
    }

    /// Mostly soon, sometimes late.
    fn soon(&mut self, late_ms: i64) -> i64 {
        if self.trouble > 0 && self.chance(15) { self.rng.i64(0..late_ms) } else { self.rng.i64(0..300) }
    }

    fn begin(&mut self, process: u64, destination: i64, key: &str, what: What) -> Begun {
        if !self.online || (self.trouble > 0 && self.chance(self.trouble / 4)) {
            return Begun::Not(Reply::NotSent(cause(CauseKind::Unreachable, "It does not answer.")));
        }
        if let Some(other) = self.requests.values().find(|other| other.is_same(key, &what)) {
            self.beside = Some(format!("{key} is sent by {process} while {} still sends it", other.process));
        }
        let (answer, answered) = oneshot::channel();
        let id = self.number();
        let is_question = matches!(what, What::Ask);
        let mut request = Request {
            process,
            destination,
            key: key.to_owned(),
            what,
            takes: Ok(()),
            commits_after_ms: self.soon(15_000),
            shows_after_ms: self.soon(20_000),
            answers_after_ms: Some(
                self.soon(25_000) + if is_question { self.slow_looks_ms } else { self.slow_ms },
            ),
            answer: Some(answer),
            is_gone: false,
        };
        self.tell(|| format!("process {process} sends {id}: {} of {key}", request.what.word()));
        let mut arrives_ms = self.soon(40_000);
        let mut breaks_ms = PATIENCE_MS;
        if matches!(request.what, What::Upload { .. }) && self.refuse_files > 0 {
            self.refuse_files -= 1;
            request.takes = Err(Reply::Refused(cause(CauseKind::Refused, "It is too large.")));
        }
        if is_question && self.looks_fail {
            request.takes = Err(Reply::Doubt(cause(CauseKind::Trouble, "It is in trouble.")));
        }
        let is_embed = matches!(request.what, What::Embed { .. });
        let lost = self.lose_next.take_if(|_| !is_question).or_else(|| self.lose_embed.take_if(|_| is_embed));
        if let Some((breaks, commits)) = lost {
            (breaks_ms, arrives_ms) = (breaks, 0);
            (request.commits_after_ms, request.shows_after_ms) = (commits, 0);
        }
        let trouble = self.trouble;
        if trouble > 0 && self.chance(trouble) {
            match self.rng.u32(0..9) {
                // The answer is lost, before or after anything has happened.
                0 | 1 => breaks_ms = self.rng.i64(0..5_000),
                2 => request.answers_after_ms = None,
                // Trouble at the tracker, after the commit and before it.
                3 => request.answers_after_ms = Some(0),
                4 => request.takes = Err(Reply::Doubt(cause(CauseKind::Trouble, "It is in trouble."))),
                5 => {
                    let refused = Reply::Refused(cause(CauseKind::Refused, "Refused: no."));
                    request.takes = if is_question { Ok(()) } else { Err(refused) };
                }
                6 => {
                    let wait = Some(Duration::from_secs(self.rng.u64(1..90)));
                    let cause = cause(CauseKind::RateLimit, "It asked to wait.");
                    request.takes = Err(Reply::RateLimited { wait, cause });
                }
                7 => arrives_ms = self.rng.i64(0..55_000),
                _ => request.commits_after_ms = self.rng.i64(0..45_000),
            }
        }
        self.requests.insert(id, request);
        let at = (self.clock.awake_total_ms() + arrives_ms, id);
        self.arrivals.insert(at, id);
        self.after(breaks_ms, id, Event::Answer(Reply::Doubt(cause(CauseKind::Cut, "No answer came."))));
        Begun::Yes(id, answered)
    }

    fn arrive(&mut self, id: u64) {
        self.tell(|| format!("{id}: arrives"));
        let Some(request) = self.requests.get(&id) else { return };
        let (takes, commits_after_ms) = (request.takes.clone(), request.commits_after_ms);
        let key = request.key.clone();
        match takes {
            Ok(()) => self.after(commits_after_ms, id, Event::Commit),
            Err(reply) => {
                if matches!(reply, Reply::Refused(_)) {
                    self.refused.insert(key);
                }
                let ms = self.soon(2_000);
                self.after(ms, id, Event::Answer(reply));
            }
        }
    }

    fn happen(&mut self, id: u64, event: Event) {
        self.tell(|| format!("{id}: {event:?}"));
        match event {
            Event::Answer(reply) => {
                let Some(request) = self.requests.get_mut(&id) else { return };
                let answer = request.answer.take();
                // An adapter that has its answer, or gives up, closes the connection.
                self.gone(id);
                if let Some(answer) = answer {
                    let _heard = answer.send(reply);
                }
                if !self.is_pending(id) {
                    self.requests.remove(&id);
                }
            }
            Event::Commit => self.commit(id),
        }
    }

    fn is_pending(&self, id: u64) -> bool {
        self.arrivals.values().any(|held| *held == id)
            || self.events.values().any(|(of, event)| *of == id && matches!(event, Event::Commit))
    }

    fn commit(&mut self, id: u64) {
        let shows_ms = {
            let Some(request) = self.requests.get(&id) else { return };
            self.clock.world_ms() + request.shows_after_ms
        };
        self.tell(|| format!("{id}: shows at {shows_ms}"));
        let Some(request) = self.requests.get(&id) else { return };
        let (key, destination, what) = (request.key.clone(), request.destination, request.what.clone());
        let answers_after_ms = request.answers_after_ms;
        let done = |reference, receipt| Reply::Done(Done { reference, receipt, login: None, told: None });
        let reply = match what {
            What::Create => {
                let number = u32::try_from(self.issues.len()).unwrap_or(u32::MAX) + 1;
                self.issues.push(Filed {
                    number,
                    key,
                    destination,
                    assets: Vec::new(),
                    embedded: Vec::new(),
                    request: id,
                    visible_ms: shows_ms,
                });
                done(None, Some(receipt(number)))
            }
            What::Upload { number, name, size } => {
                let reference = format!("asset-{id}");
                match self.issues.iter_mut().find(|issue| issue.number == number) {
                    Some(issue) => {
                        issue.assets.push(Asset {
                            name,
                            size,
                            reference: reference.clone(),
                            request: id,
                            visible_ms: shows_ms,
                        });
                        done(Some(reference), None)
                    }
                    None => Reply::Refused(cause(CauseKind::Refused, "There is no such issue.")),
                }
            }
            What::Embed { number, references } => {
                if let Some(issue) = self.issues.iter_mut().find(|issue| issue.number == number) {
                    issue.embedded = references;
                }
                done(None, None)
            }
            What::Ask => done(None, None),
        };
        if let Some(ms) = answers_after_ms {
            let is_lost_in_trouble = ms == 0 && self.trouble > 0;
            let reply = if is_lost_in_trouble {
                Reply::Doubt(cause(CauseKind::Trouble, "It is in trouble."))
            } else {
                reply
            };
            self.after(ms, id, Event::Answer(reply));
        }
    }

    /// A connection is gone. Whatever is still to come of it comes, and shows, within the quiet time.
    fn gone(&mut self, id: u64) {
        let Some(request) = self.requests.get_mut(&id) else { return };
        if std::mem::replace(&mut request.is_gone, true) {
            return;
        }
        self.tell(|| format!("{id}: its sender is gone"));
        let held = self.arrivals.iter().find(|(_, held)| **held == id).map(|(at, _)| *at);
        let mut left = QUIET_MS - 1;
        if let Some(at) = held {
            let arrives_ms = (at.0 - self.clock.awake_total_ms()).clamp(0, left);
            self.arrivals.remove(&at);
            self.arrivals.insert((self.clock.awake_total_ms() + arrives_ms, at.1), id);
            left -= arrives_ms;
        }
        let committing = self
            .events
            .iter()
            .find(|(_, (of, event))| *of == id && matches!(event, Event::Commit))
            .map(|(at, _)| *at);
        if let Some(at) = committing {
            let commits_ms = (at.0 - self.clock.world_ms()).clamp(0, left);
            self.events.remove(&at);
            self.events.insert((self.clock.world_ms() + commits_ms, at.1), (id, Event::Commit));
            left -= commits_ms;
        }
        let world_ms = self.clock.world_ms();
        if let Some(request) = self.requests.get_mut(&id) {
            request.commits_after_ms = request.commits_after_ms.min(left);
            request.shows_after_ms =
                request.shows_after_ms.min(left - request.commits_after_ms.min(left)).max(0);
        }
        // What has been committed already shows within the same time.
        let latest = world_ms + QUIET_MS - 1;
        for issue in &mut self.issues {
            if issue.request == id {
                issue.visible_ms = issue.visible_ms.min(latest);
            }
            for asset in issue.assets.iter_mut().filter(|asset| asset.request == id) {
                asset.visible_ms = asset.visible_ms.min(latest);
            }
        }
    }

    fn see(&self, destination: i64, look: &Look<'_>) -> Seen {
        if !self.lists {
            return Seen::default();
        }
        let now = self.clock.world_ms();
        match look.step {
            Step::Create { .. } => Seen {
                issues: self
                    .issues
                    .iter()
                    .filter(|issue| {
                        issue.destination == destination
                            && issue.key == look.key.to_string()
                            && issue.visible_ms <= now
                    })
                    .map(|issue| receipt(issue.number))
                    .collect(),
                references: Vec::new(),
            },
            Step::Upload { receipt, attachment } => {
                let is_it = |issue: &&Filed| {
                    receipt.is_some_and(|receipt| issue.number.to_string() == receipt.number)
                };
                let issue = self.issues.iter().find(is_it);
                let assets = issue.map(|issue| issue.assets.as_slice()).unwrap_or_default();
                let matches = assets.iter().filter(|asset| {
                    asset.name == attachment.name && asset.size == attachment.size && asset.visible_ms <= now
                });
                Seen {
                    issues: Vec::new(),
                    references: matches.map(|asset| asset.reference.clone()).collect(),
                }
            }
            Step::Embed { .. } => Seen::default(),
        }
    }
}

enum Begun {
    Not(Reply),
    Yes(u64, oneshot::Receiver<Reply>),
}

fn receipt(number: u32) -> Receipt {
    Receipt { number: number.to_string(), url: format!("https://tracker.example/{number}") }
}

fn cause(kind: CauseKind, words: &str) -> Cause {
    Cause { kind, words: words.to_owned(), detail: String::new() }
}

/// Opens adapters for one process.
pub(crate) struct Door {
    pub(crate) world: World,
    pub(crate) process: u64,
}

impl Trackers for Door {
    fn open(
        &self,
        destination: &Destination,
        token: Option<SecretString>,
        _attachments: &Path,
        _limits: Limits,
    ) -> Result<Box<dyn Tracker>, Cause> {
        let token = token.map(|token| token.expose_secret().to_owned()).unwrap_or_default();
        Ok(Box::new(Adapter {
            world: self.world.clone(),
            process: self.process,
            destination: destination.id,
            token,
        }))
    }
}

struct Adapter {
    world: World,
    process: u64,
    destination: i64,
    token: String,
}

/// Closes the connection when its future is dropped.
struct Line {
    world: World,
    id: u64,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.world.books().gone(self.id);
    }
}

impl Adapter {
    async fn request(&self, key: &str, what: What) -> Reply {
        let begun = {
            let mut books = self.world.books();
            if books.token != self.token {
                let refused = Reply::SignIn(cause(CauseKind::SignIn, "The sign-in was not accepted."));
                let mut begun = books.begin(self.process, self.destination, key, what);
                if let Begun::Yes(id, _) = &mut begun
                    && let Some(request) = books.requests.get_mut(id)
                {
                    request.takes = Err(refused);
                }
                begun
            } else {
                books.begin(self.process, self.destination, key, what)
            }
        };
        match begun {
            Begun::Not(reply) => reply,
            Begun::Yes(id, answered) => {
                let _line = Line { world: self.world.clone(), id };
                answered.await.unwrap_or_else(|_| Reply::Doubt(cause(CauseKind::Cut, "No answer came.")))
            }
        }
    }
}

#[async_trait]
impl Tracker for Adapter {
    async fn account(&self) -> Result<Account, Reply> {
        match self.request("account", What::Ask).await {
            Reply::Done(_) => Ok(Account { login: Some("ada".into()), words: String::new() }),
            reply => Err(reply),
        }
    }

    async fn send(&self, issue: &Issue, step: Step<'_>) -> Reply {
        let number = |receipt: &Receipt| receipt.number.parse().unwrap_or_default();
        let what = match step {
            Step::Create { .. } => What::Create,
            Step::Upload { receipt, attachment } => What::Upload {
                number: receipt.map_or(0, number),
                name: attachment.name.clone(),
                size: attachment.size,
            },
            Step::Embed { receipt, pictures } => What::Embed {
                number: number(receipt),
                references: pictures.iter().map(|(_, reference)| (*reference).to_owned()).collect(),
            },
        };
        self.request(&issue.key.to_string(), what).await
    }

    async fn recognise(&self, issue: &Issue, link: &Url) -> Result<Option<Receipt>, Reply> {
        let books = self.world.books();
        let found = books.issues.iter().find(|filed| link.path() == format!("/{}", filed.number));
        Ok(found.filter(|filed| filed.key == issue.key.to_string()).map(|filed| receipt(filed.number)))
    }

    async fn look(&self, issue: &Issue, look: Look<'_>) -> Result<Seen, Reply> {
        // The worst listing is the one that was made when it was asked for.
        let seen = self.world.books().see(self.destination, &look);
        match self.request(&issue.key.to_string(), What::Ask).await {
            Reply::Done(_) => Ok(seen),
            reply => Err(reply),
        }
    }
}
