//! The engine: opens the store, starts the drainer, publishes attention. No decision is taken here.

mod archive;
mod catalogue;
mod destinations;
mod drafts;
mod leaving;
mod missing;
mod options;
mod resolve;
mod typed;
mod verbs;

pub use archive::{Added, Exported, Imported};
pub use options::Options;
pub use verbs::DrainReport;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::attention::{Attention, fold};
use crate::capture::Files;
use crate::clock::Clock;
use crate::drainer::{Catalogues, Drainer, Stop, Until};
use crate::issue::{Destination, TrackerKind};
use crate::outbox::Outbox;
use crate::problem::Result;
use crate::secrets::Secrets;
use crate::store::Store;
use crate::tracker::Trackers;

/// An engine over one store. Clones share it.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    outbox: Outbox,
    files: Files,
    clock: Arc<dyn Clock>,
    secrets: Arc<dyn Secrets>,
    trackers: Arc<dyn Trackers>,
    drainer: Drainer,
    catalogues: Catalogues,
    stop: watch::Sender<Stop>,
    attention: watch::Sender<Attention>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    draining: Mutex<Option<JoinHandle<()>>>,
    /// The folder that every outbox begins with.
    first_folder: String,
    /// Whether the store lets a program of this version write.
    may_write: bool,
}

impl Engine {
    /// Opens the store, with a Folder destination ready in a new one, and registers this process beside it. Nothing is
    /// delivered until [`Engine::start`] or [`Engine::drain`]. Called from within a tokio runtime.
    ///
    /// # Errors
    /// `ReadOnly`, `DiskFull`, `TooNew` or `Internal`, in words.
    pub fn open(options: Options) -> Result<Self> {
        let now = options.clock.now();
        let store = Arc::new(Store::open(&options.home, options.adoption, &now)?);
        options.secrets.belong_to(store.id());
        let files = Files::open(&options.home)?;
        let outbox = Outbox::new(store);
        let may_write = !outbox.store().is_too_new()?;
        if may_write {
            outbox.bury(&now)?;
            outbox.add_first_destination(&first_destination(&options), &now)?;
        }
        let first_folder = first_destination(&options).path.unwrap_or_default();
        let (stop, stopping) = watch::channel(Stop::Not);
        let catalogues = Catalogues::new(
            outbox.clone(),
            Arc::clone(&options.clock),
            Arc::clone(&options.secrets),
            Arc::clone(&options.trackers),
            files.dir().to_owned(),
        );
        let drainer = Drainer::new(
            outbox.clone(),
            Arc::clone(&options.clock),
            Arc::clone(&options.secrets),
            Arc::clone(&options.trackers),
            files.dir().to_owned(),
            stopping,
        )
        .reading(catalogues.clone());
        let attention = watch::Sender::new(fold(&outbox.facts(&now)?, 0));
        let engine = Self(Arc::new(Inner {
            outbox,
            files,
            clock: options.clock,
            secrets: options.secrets,
            trackers: options.trackers,
            drainer,
            catalogues,
            stop,
            attention,
            tasks: Mutex::default(),
            draining: Mutex::default(),
            first_folder,
            may_write,
        }));
        if may_write {
            engine.sweep();
        }
        let listening = engine.clone();
        let publishing = engine.clone();
        *lock(&engine.0.tasks) = vec![
            tokio::spawn(async move { listening.0.outbox.store().listen().await }),
            tokio::spawn(async move { publishing.publish().await }),
        ];
        Ok(engine)
    }

    /// Starts the drainer; a second call changes nothing. A store that demands a newer program is only looked at.
    pub fn start(&self) {
        if !self.0.may_write {
            return;
        }
        let mut draining = lock(&self.0.draining);
        if draining.is_none() {
            let drainer = self.0.drainer.clone();
            let clock = Arc::clone(&self.0.clock);
            let stop = self.0.stop.subscribe();
            *draining = Some(tokio::spawn(async move {
                // What ends a run before it is told to stop is trouble with the store: wait, then begin anew.
                while let Err(problem) = drainer.run(Until::Stopped).await {
                    tracing::error!(problem = problem.chain(), "the drainer paused");
                    clock.sleep_until(clock.now().boot_ms + 5_000).await;
                    if matches!(*stop.borrow(), Stop::By(_)) {
                        break;
                    }
                }
            }));
        }
    }

    /// Claims nothing more, lets stages in flight finish until the deadline, gives the other leases back, and ends every
    /// task. May be called twice.
    pub async fn stop(&self, deadline: Duration) {
        let deadline_ms = i64::try_from(deadline.as_millis()).unwrap_or(i64::MAX);
        self.0.stop.send_replace(Stop::By(self.0.clock.now().boot_ms.saturating_add(deadline_ms)));
        let draining = lock(&self.0.draining).take();
        let has_drained = draining.is_some();
        if let Some(draining) = draining
            && let Err(error) = draining.await
        {
            tracing::error!(%error, "the drainer did not end well");
        }
        self.0.catalogues.stop().await;
        let tasks: Vec<_> = lock(&self.0.tasks).drain(..).collect();
        for task in tasks {
            task.abort();
            // Ends cancelled, which is what was asked for.
            let _cancelled = task.await;
        }
        if self.0.may_write
            && let Err(problem) = self.0.outbox.leave(&self.0.clock.now())
        {
            tracing::warn!(problem = problem.chain(), "the next process has to tidy up after this one");
        }
        // A command closes the database with its last breath; the app's process may just end.
        if has_drained {
            self.0.outbox.store().rest();
        }
    }

    /// Attention, from now on. The value changes (its `revision` rises) whenever anything in the store changed, whoever
    /// did it.
    pub fn attention(&self) -> watch::Receiver<Attention> {
        self.0.attention.subscribe()
    }

    /// Attention, folded afresh.
    ///
    /// # Errors
    /// What the store says.
    pub fn status(&self) -> Result<Attention> {
        let revision = self.0.attention.borrow().revision;
        Ok(fold(&self.0.outbox.facts(&self.0.clock.now())?, revision))
    }

    /// Publishes attention on every change, and when time alone changes it.
    async fn publish(&self) {
        let mut changes = self.0.outbox.store().changes();
        loop {
            changes.mark_unchanged();
            let now = self.0.clock.now();
            match self.0.outbox.facts(&now) {
                Ok(facts) => self.0.attention.send_modify(|attention| {
                    *attention = fold(&facts, attention.revision + 1);
                }),
                Err(problem) => tracing::warn!(problem = problem.chain(), "attention could not be read"),
            }
            let deadline = self.0.outbox.next_deadline(&now).ok().flatten().filter(|at| *at > now.boot_ms);
            let time_passes = async {
                match deadline {
                    Some(at) => self.0.clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = time_passes => {}
            }
            // Whoever delivers goes first; and a drain changes the store many times in a moment.
            tokio::time::sleep(BEHIND).await;
        }
    }

    /// Erases files that no row names any more.
    fn sweep(&self) {
        const FRESH: Duration = Duration::from_secs(24 * 3600);
        let swept = self.0.outbox.tidy_drafts(&self.0.clock.now()).and_then(|files| {
            for file in files {
                self.0.files.erase(&file)?;
            }
            self.take_away_layouts()?;
            let known = self.0.outbox.files()?.into_iter().collect();
            self.0.files.sweep(&known, FRESH)
        });
        if let Err(problem) = swept {
            tracing::warn!(problem = problem.chain(), "old files could not be erased");
        }
    }
}

/// How far attention stays behind the store.
const BEHIND: Duration = Duration::from_millis(5);

fn first_destination(options: &Options) -> Destination {
    Destination {
        id: 0,
        name: "Folder".to_owned(),
        tracker: TrackerKind::Folder,
        url: None,
        project: None,
        path: Some(options.documents.join("Outtray").to_string_lossy().into_owned()),
        branch: None,
        honours_key: false,
        ca: None,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
