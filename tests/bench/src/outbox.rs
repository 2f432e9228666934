//! Our outbox through its public verbs, in a store of its own.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use outtray_core::clock::{Clock, Now, SystemClock};
use outtray_core::issue::{Destination, Receipt, TrackerKind};
use outtray_core::outbox::fate::{End, LaneMark, Settlement, StageMark};
use outtray_core::outbox::lease::{Fenced, Lease};
use outtray_core::outbox::{Claim, Closed, Intend, Intended, Outbox};
use outtray_core::store::{Adoption, Durability, Ring, Store};
use outtray_core::view::{DraftEdit, DraftView, NewIssue};

use crate::Result;
use crate::floor::{LANES, Queue};

const LEASE_MS: i64 = 30_000;

/// An outbox with lanes of its own.
pub struct Ours {
    /// The outbox.
    pub outbox: Outbox,
    clock: SystemClock,
    /// Where each verb's time went.
    spent: Mutex<Spent>,
}

/// Time spent in each verb of a delivery.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// In `claim`.
    pub claim: Duration,
    /// In `work`.
    pub work: Duration,
    /// In `intend`.
    pub intend: Duration,
    /// In `settle`.
    pub settle: Duration,
}

impl Ours {
    /// Opens a store in `home`, with `lanes` folders as destinations.
    ///
    /// # Errors
    /// What the store says.
    pub fn open(home: &Path, lanes: u32) -> Result<Self> {
        let clock = SystemClock::new();
        let outbox = Outbox::new(Arc::new(Store::open(home, Adoption::No, &clock.now())?));
        for lane in 0..lanes {
            let folder = Destination {
                id: 0,
                name: name(lane),
                tracker: TrackerKind::Folder,
                url: None,
                project: None,
                path: Some("/nowhere".to_owned()),
                branch: None,
                honours_key: false,
                ca: None,
            };
            outbox.add_destination(&folder, &clock.now())?;
        }
        outbox.set_setting("outbox.max_entries", "1000000")?;
        Ok(Self { outbox, clock, spent: Mutex::default() })
    }

    /// The time.
    pub fn now(&self) -> Now {
        self.clock.now()
    }

    /// Writes a draft and saves it, as a window does while somebody types.
    ///
    /// # Errors
    /// What the store says.
    pub fn draft(&self, number: u32, payload: &str) -> Result<DraftView> {
        let draft = self.outbox.new_draft(&self.now())?;
        let edit = DraftEdit {
            id: draft.id,
            revision: draft.revision,
            destination: Some(name(number % LANES)),
            title: format!("Issue {number}"),
            body: payload.to_owned(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        Ok(self.outbox.save_draft(&edit, &self.now())?)
    }

    /// Files a draft: what somebody waits for who presses *File issue*.
    ///
    /// # Errors
    /// What the store says.
    pub fn file(&self, draft: &DraftView) -> Result<i64> {
        Ok(self.outbox.file_draft(draft.id, draft.revision, &self.now())?.id)
    }

    /// Claims the next entry.
    ///
    /// # Errors
    /// What the store says.
    pub fn claim(&self, workers: u32) -> Result<Option<Lease>> {
        let owner = self.outbox.store().presence().id();
        let claim = Claim {
            owner,
            token: "drain",
            horizon: i64::MAX,
            lease_ms: LEASE_MS,
            workers,
            serves: &|_| true,
        };
        Ok(self.outbox.claim(&claim, &self.now())?)
    }

    /// Puts `count` entries for the first `lanes` lanes into the line in one transaction, and rings at no door. Returns the
    /// last one's number.
    ///
    /// # Errors
    /// What the store says.
    pub fn seed(&self, count: u32, lanes: u32) -> Result<i64> {
        let wall_ms = self.now().wall_ms;
        let last = self.outbox.store().write("seed", Durability::Full, Ring::Nobody, |tx| {
            let before: i64 = tx.query_row("SELECT coalesce(max(id), 0) FROM entry", [], |row| row.get(0))?;
            tx.execute(
                "WITH RECURSIVE line (n) AS (VALUES (?1 + 1) UNION ALL SELECT n + 1 FROM line WHERE n < ?1 + ?2)
                 INSERT INTO entry (id, key, generation, destination, title, labels, bytes, state,
                                    saved_at_ms, changed_at_ms)
                 SELECT n, format('%08x-0000-7000-8000-%012x', n, n), 1,
                        (SELECT min(destination) FROM lane) + n % ?3, 'Issue', '[]', 0, 'waiting', ?4, ?4
                 FROM line",
                (before, count, lanes, wall_ms),
            )?;
            tx.execute("INSERT INTO body (entry, text) SELECT id, 'Words.' FROM entry WHERE id > ?1", [before])?;
            tx.execute("INSERT INTO stage (entry, ordinal, kind) SELECT id, 1, 'create' FROM entry WHERE id > ?1", [before])?;
            Ok(before + i64::from(count))
        })?;
        Ok(last)
    }

    /// Where the time of deliveries went so far.
    pub fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue for Ours {
    fn enqueue(&self, number: u32, payload: &str) -> Result<()> {
        let new = NewIssue {
            destination: name(number % LANES),
            title: format!("Issue {number}"),
            body: payload.to_owned(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        self.outbox.file_new(&new, &[], &self.now())?;
        Ok(())
    }

    fn deliver(&self, workers: u32) -> Result<bool> {
        let began = Instant::now();
        let Some(lease) = self.claim(workers)? else { return Ok(false) };
        let claimed = Instant::now();
        let work = self.outbox.work(&lease)?;
        let read = Instant::now();
        let intend = Intend {
            ordinal: 1,
            sender: self.outbox.store().presence().id(),
            destination: work.destination.id,
            login: None,
            revision: work.revision,
            body_hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            cleared: None,
        };
        if self.outbox.intend(&lease, &intend, &self.now())? != Fenced::Held(Intended::Noted) {
            return Err("an intent was not noted".into());
        }
        let intended = Instant::now();
        let receipt =
            Receipt { number: lease.entry.to_string(), url: "https://tracker.example/1".to_owned() };
        let filed = Settlement {
            stage: StageMark::Done { reference: None, receipt: Some(receipt), login: None, told: None },
            end: Some(End::Complete),
            lane: LaneMark::Reached,
        };
        let settled =
            self.outbox.settle(&lease, Some((1, Some(Closed::Answered))), &filed, 0, &self.now())?;
        if settled != Fenced::Held(()) {
            return Err("a lease that nobody else took is lost".into());
        }
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.claim += claimed - began;
        spent.work += read - claimed;
        spent.intend += intended - read;
        spent.settle += intended.elapsed();
        Ok(true)
    }
}

/// The name of a lane.
pub fn name(lane: u32) -> String {
    format!("lane {lane}")
}
