//! Reading what destinations offer to choose from, beside the work: with the lane's token and under no lease. Nothing waits
//! for it, nothing is held up by it, and what does not work is noted where it is shown and nowhere else.
//!
//! *When*: a window is about to offer it, or an issue has just been filed there. Never by time alone.
//!
//! *Failure*: a part that cannot be read stays as it was. A destination is read by one reading at a time; one that stops
//! with the program, or dies with it, has written nothing.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::issue::{Destination, Offer, Part, Project};
use crate::outbox::{Age, Outbox};
use crate::problem::Result;
use crate::secrets::Secrets;
use crate::tracker::{Cause, Limits, Reply, Tracker, Trackers};

/// How long one question may take.
const LIMITS: Limits = Limits { stage_timeout: Duration::from_secs(20) };

/// Who reads.
#[derive(Clone)]
pub struct Catalogues(Arc<Inner>);

struct Inner {
    outbox: Outbox,
    clock: Arc<dyn Clock>,
    secrets: Arc<dyn Secrets>,
    trackers: Arc<dyn Trackers>,
    attachments: PathBuf,
    readings: Mutex<Readings>,
}

/// What is under way.
#[derive(Default)]
struct Readings {
    destinations: HashSet<i64>,
    tasks: HashMap<i64, JoinHandle<()>>,
    stopped: bool,
}

/// What was read, as it is kept.
type Parts = Vec<(Part, std::result::Result<Offer, String>)>;

impl Catalogues {
    /// A reader over `outbox`.
    pub fn new(
        outbox: Outbox,
        clock: Arc<dyn Clock>,
        secrets: Arc<dyn Secrets>,
        trackers: Arc<dyn Trackers>,
        attachments: PathBuf,
    ) -> Self {
        Self(Arc::new(Inner { outbox, clock, secrets, trackers, attachments, readings: Mutex::default() }))
    }

    /// Whether a destination is being read at this moment, in this process.
    pub fn is_reading(&self, destination: i64) -> bool {
        self.lock().destinations.contains(&destination)
    }

    /// Begins to read a destination anew if what is kept is older than `age` and it may be asked unasked. Returns at once.
    /// Called from within a tokio runtime.
    pub fn refresh_when_old(&self, destination: &Destination, age: Age) {
        let is_to_be_read = self.0.outbox.is_to_be_read(destination, age, &self.0.clock.now());
        if !is_to_be_read.unwrap_or(false) {
            return;
        }
        let mut readings = self.lock();
        if readings.stopped || !readings.destinations.insert(destination.id) {
            return;
        }
        let (reader, destination) = (self.clone(), destination.clone());
        let id = destination.id;
        let task = tokio::spawn(async move {
            let over = Over(&reader, id);
            let read = reader.read(&destination).await;
            if let Err(problem) = reader.0.outbox.keep_catalogue(id, &read, &reader.0.clock.now()) {
                tracing::info!(problem = problem.chain(), "what a tracker offers could not be kept");
            }
            // Said to be over before anybody hears of it: who asks then is not told to wait.
            drop(over);
            reader.0.outbox.store().ring();
        });
        readings.tasks.insert(id, task);
    }

    /// Reads a destination now, because somebody asked for it.
    ///
    /// # Errors
    /// What the store says.
    pub async fn refresh(&self, destination: &Destination) -> Result<()> {
        let read = self.read(destination).await;
        self.0.outbox.keep_catalogue(destination.id, &read, &self.0.clock.now())?;
        self.0.outbox.store().ring();
        Ok(())
    }

    /// The projects that a token may file in, at an address that need not be a destination yet.
    ///
    /// # Errors
    /// The reply that says why they cannot be told.
    pub async fn projects(
        &self,
        place: &Destination,
        token: Option<SecretString>,
    ) -> std::result::Result<Vec<Project>, Reply> {
        self.open(place, token).map_err(Reply::Refused)?.projects().await
    }

    /// Ends what is under way.
    pub async fn stop(&self) {
        let tasks: Vec<JoinHandle<()>> = {
            let mut readings = self.lock();
            readings.stopped = true;
            readings.tasks.drain().map(|(_, task)| task).collect()
        };
        for task in tasks {
            task.abort();
            // Ends cancelled, which is what was asked for.
            let _cancelled = task.await;
        }
    }

    async fn read(&self, destination: &Destination) -> Parts {
        let parts = destination.tracker.parts();
        let none =
            |words: &str| -> Parts { parts.iter().map(|part| (*part, Err(words.to_owned()))).collect() };
        let token = match self.0.secrets.token(&destination.name).await {
            Ok(None) if destination.tracker.needs_token() => {
                return none(&format!("No token for {} is kept on this computer.", destination.name));
            }
            Ok(token) => token,
            Err(problem) => return none(&problem.message),
        };
        let tracker = match self.open(destination, token) {
            Ok(tracker) => tracker,
            Err(cause) => return none(&cause.words),
        };
        let read = tracker.catalogue().await;
        let untold = parts.iter().filter(|part| read.iter().all(|(told, _)| told != *part));
        let untold = untold.map(|part| (*part, Err(format!("{} does not tell.", destination.name))));
        let untold: Parts = untold.collect();
        let told = read.into_iter().map(|(part, read)| {
            let read = read.inspect_err(|cause| {
                tracing::info!(part = part.word(), detail = cause.detail, "a part cannot be read");
            });
            (part, read.map_err(|cause| cause.words))
        });
        told.chain(untold).collect()
    }

    fn open(
        &self,
        place: &Destination,
        token: Option<SecretString>,
    ) -> std::result::Result<Box<dyn Tracker>, Cause> {
        self.0.trackers.open(place, token, &self.0.attachments, LIMITS)
    }

    fn lock(&self) -> MutexGuard<'_, Readings> {
        self.0.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says at its end that a reading is over, however it ended.
struct Over<'a>(&'a Catalogues, i64);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.lock().destinations.remove(&self.1);
    }
}
