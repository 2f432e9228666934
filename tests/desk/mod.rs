//! The one test environment of the outbox: a store in a temporary directory, a clock that moves when told to, and words
//! for what tests do all the time.

#![allow(dead_code, unreachable_pub, missing_docs)]

use std::sync::Arc;
use std::time::Duration;

use outtray_core::capture::Kept;
use outtray_core::clock::{Clock, ManualClock, Now};
use outtray_core::issue::{Destination, Receipt, TrackerKind};
use outtray_core::outbox::fate::{End, LaneMark, Outcome, Settlement, StageMark};
use outtray_core::outbox::lease::{Fenced, Lease};
use outtray_core::outbox::{Claim, Closed, Intend, Intended, Outbox, WaitingLane, Work};
use outtray_core::store::{Adoption, Store};
use outtray_core::view::{DraftEdit, EntryDetails, NewIssue, Saved};
use tempfile::TempDir;

pub const LEASE_MS: i64 = 30_000;

pub struct Desk {
    pub clock: ManualClock,
    pub outbox: Outbox,
    pub dir: TempDir,
}

/// A second process on the same store.
pub struct Peer {
    pub outbox: Outbox,
    token: String,
}

impl Desk {
    /// A desk with one Gitea destination called `work`.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(1_800_000_000_000);
        let outbox = open(&dir, &clock);
        let desk = Self { clock, outbox, dir };
        desk.lane("work");
        desk
    }

    pub fn now(&self) -> Now {
        self.clock.now()
    }

    pub fn pass(&self, ms: u64) {
        self.clock.advance(Duration::from_millis(ms));
    }

    /// Adds a Gitea destination.
    pub fn lane(&self, name: &str) -> Destination {
        let new = Destination {
            id: 0,
            name: name.to_owned(),
            tracker: TrackerKind::Gitea,
            url: Some("http://127.0.0.1:1/".to_owned()),
            project: Some("ada/demo".to_owned()),
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        };
        self.outbox.add_destination(&new, &self.now()).unwrap()
    }

    /// Files an issue without attachments.
    pub fn file(&self, to: &str, title: &str) -> Saved {
        let draft = self.outbox.new_draft(&self.now()).unwrap();
        let edit = DraftEdit {
            id: draft.id,
            revision: draft.revision,
            destination: Some(to.to_owned()),
            title: title.to_owned(),
            body: "Words.".to_owned(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        let draft = self.outbox.save_draft(&edit, &self.now()).unwrap();
        self.outbox.file_draft(draft.id, draft.revision, &self.now()).unwrap()
    }

    /// Files an issue with one attachment: a stage comes after the create.
    pub fn file_with_attachment(&self, to: &str, title: &str) -> Saved {
        let new = NewIssue {
            destination: to.to_owned(),
            title: title.to_owned(),
            body: "Words.".to_owned(),
            labels: Vec::new(),
            milestone: None,
            assignees: Vec::new(),
        };
        self.outbox.file_new(&new, &[kept("a.txt")], &self.now()).unwrap()
    }

    /// A second process on this store.
    pub fn peer(&self) -> Peer {
        Peer { outbox: open(&self.dir, &self.clock), token: "drain-of-the-peer".to_owned() }
    }

    pub fn claim(&self) -> Option<Lease> {
        claim(&self.outbox, "drain", 3, &[], &self.now())
    }

    /// The database, as another program would open it: by SQLite.
    pub fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.dir.path().join("outtray/outtray.db")).unwrap()
    }

    pub fn entry(&self, id: i64) -> EntryDetails {
        self.outbox.entry(id, &self.now()).unwrap()
    }

    /// Commits the intent of the first open stage.
    pub fn intend(&self, lease: &Lease) -> Fenced<Intended> {
        intend(&self.outbox, lease, &self.now())
    }
}

impl Peer {
    pub fn claim(&self, now: &Now) -> Option<Lease> {
        claim(&self.outbox, &self.token, 3, &[], now)
    }
}

fn open(dir: &TempDir, clock: &ManualClock) -> Outbox {
    let store = Store::open(&dir.path().join("outtray"), Adoption::No, &clock.now()).unwrap();
    Outbox::new(Arc::new(store))
}

pub fn claim(outbox: &Outbox, token: &str, workers: u32, except: &[i64], now: &Now) -> Option<Lease> {
    let owner = outbox.store().presence().id();
    let serves = |lane: &WaitingLane| !except.contains(&lane.destination);
    let claim = Claim { owner, token, horizon: i64::MAX, lease_ms: LEASE_MS, workers, serves: &serves };
    outbox.claim(&claim, now).unwrap()
}

/// Claims under a lease of `lease_ms`.
pub fn claim_for(outbox: &Outbox, lease_ms: i64, now: &Now) -> Option<Lease> {
    let owner = outbox.store().presence().id();
    let claim = Claim { owner, token: "drain", horizon: i64::MAX, lease_ms, workers: 3, serves: &|_| true };
    outbox.claim(&claim, now).unwrap()
}

pub fn intend(outbox: &Outbox, lease: &Lease, now: &Now) -> Fenced<Intended> {
    let work = outbox.work(lease).unwrap();
    let stage = work.stages.iter().find(|stage| stage.state != outtray_core::view::StageState::Done).unwrap();
    let intend = about_to_send(outbox, &work, stage.ordinal);
    outbox.intend(lease, &intend, now).unwrap()
}

fn about_to_send<'a>(outbox: &'a Outbox, work: &Work, ordinal: i64) -> Intend<'a> {
    Intend {
        ordinal,
        sender: outbox.store().presence().id(),
        destination: work.destination.id,
        login: Some("ada"),
        revision: work.revision,
        body_hash: "hash",
        cleared: None,
    }
}

/// "The issue was made", and in the same write: the second stage is about to be sent.
pub fn made_and_intend(outbox: &Outbox, lease: &Lease, number: u32, now: &Now) -> Fenced<Intended> {
    let work = outbox.work(lease).unwrap();
    let made = Settlement {
        stage: StageMark::Done { reference: None, receipt: Some(receipt(number)), login: None, told: None },
        end: None,
        lane: LaneMark::Reached,
    };
    let next = about_to_send(outbox, &work, 2);
    outbox.settle_and_intend(lease, (1, Closed::Answered), &made, 0, &next, now).unwrap()
}

/// Commits the intent of the first stage, whatever has become of it.
pub fn intend_first(outbox: &Outbox, lease: &Lease, now: &Now) -> Fenced<Intended> {
    let work = outbox.work(lease).unwrap();
    let intend = about_to_send(outbox, &work, 1);
    outbox.intend(lease, &intend, now).unwrap()
}

/// An attachment that lies beside the store, as far as its rows know.
pub fn kept(name: &str) -> Kept {
    Kept {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        size: 9,
        sha256: "0".repeat(64),
        file: format!("the file of {name}"),
        picture: None,
    }
}

pub fn receipt(number: u32) -> Receipt {
    Receipt { number: number.to_string(), url: format!("http://127.0.0.1:1/ada/demo/issues/{number}") }
}

/// "The issue was made, and that was the last stage."
pub fn filed(number: u32) -> Settlement {
    Settlement {
        stage: StageMark::Done { reference: None, receipt: Some(receipt(number)), login: None, told: None },
        end: Some(End::Complete),
        lane: LaneMark::Reached,
    }
}

/// "No usable answer came."
pub fn doubt(not_before_ms: i64) -> Settlement {
    Settlement {
        stage: StageMark::Doubt,
        end: Some(End::Defer {
            outcome: Outcome::Doubt,
            words: "No answer.".into(),
            not_before_ms,
            counts: true,
        }),
        lane: LaneMark::Untouched,
    }
}

/// "The tracker said no."
pub fn refused() -> Settlement {
    Settlement {
        stage: StageMark::Open,
        end: Some(End::Attention {
            outcome: Outcome::Refused,
            reason: "refused",
            words: "Refused: no.".into(),
        }),
        lane: LaneMark::Reached,
    }
}

/// Settles the first stage.
pub fn settle(outbox: &Outbox, lease: &Lease, settlement: &Settlement, now: &Now) -> Fenced<()> {
    outbox.settle(lease, Some((1, Some(Closed::Answered))), settlement, 0, now).unwrap()
}
