//! A stage for scenes: the same machine and world, without chance, moved by hand.
#![allow(clippy::expect_used, reason = "a scene that cannot be set has failed")]

use fastrand::Rng;
use outtray_core::capture::Kept;
use outtray_core::clock::Clock as _;
use outtray_core::fault::{self, Moment};
use outtray_core::issue::{Destination, TrackerKind};
use outtray_core::view::DraftEdit;

use crate::check;
use crate::machine::Machine;

/// A machine with one lane and some processes.
pub struct Scene {
    machine: Machine,
}

impl Scene {
    /// Sets the scene with so many processes.
    pub fn new(processes: usize) -> Self {
        fault::commit_mistake(None);
        let mut machine = Machine::new(Rng::with_seed(1)).expect("a machine");
        for _ in 0..processes {
            machine.start().expect("a process");
        }
        let mut scene = Self { machine };
        scene.lane("work");
        scene
    }

    /// Adds a lane.
    pub fn lane(&mut self, name: &str) {
        let new = Destination {
            id: 0,
            name: name.to_owned(),
            tracker: TrackerKind::Gitea,
            url: Some("https://tracker.example/".to_owned()),
            project: Some("ada/demo".to_owned()),
            path: None,
            branch: None,
            honours_key: false,
            ca: None,
        };
        let now = self.machine.clock.now();
        self.machine.within(0, |process| process.outbox.add_destination(&new, &now)).expect("a lane");
        self.rest();
    }

    /// The issue of an entry is at a lane already, and the store knows nothing of it.
    pub fn plant(&mut self, entry: i64, lane: &str) {
        let now = self.machine.clock.now();
        let (key, destination) = self.machine.within(0, |process| {
            let key = process.outbox.entry(entry, &now).expect("it is there").entry.key;
            (key.to_string(), process.outbox.destination(lane).expect("it is there").id)
        });
        self.machine.world.books().plant(key, destination);
    }

    /// The store turns out to be a copy of an earlier one.
    pub fn restore(&mut self) {
        let now = self.machine.clock.now();
        self.machine.within(0, |process| process.outbox.begin_generation(&now)).expect("it is alone");
        self.rest();
    }

    /// Files an issue with so many files; returns the entry.
    pub fn file(&mut self, files: u32) -> i64 {
        let now = self.machine.clock.now();
        let saved = self.machine.within(0, |process| {
            let outbox = &process.outbox;
            let draft = outbox.new_draft(&now)?;
            for file in 0..files {
                let kept = Kept {
                    name: format!("screen {file}.png"),
                    media_type: "image/png".to_owned(),
                    size: 1_000,
                    sha256: "0".repeat(64),
                    file: format!("{}-{file}", draft.id),
                    picture: Some((1, 1)),
                };
                outbox.attach(draft.id, &kept, &now)?;
            }
            let edit = DraftEdit {
                id: draft.id,
                revision: outbox.draft(draft.id)?.revision,
                destination: Some("work".to_owned()),
                title: "One".to_owned(),
                body: "It went wrong.".to_owned(),
                labels: Vec::new(),
                milestone: None,
                assignees: Vec::new(),
            };
            let draft = outbox.save_draft(&edit, &now)?;
            outbox.file_draft(draft.id, draft.revision, &now)
        });
        self.rest();
        saved.expect("it is saved").id
    }

    /// Lets so much time pass, and everything happen in it.
    pub fn pass(&mut self, ms: i64) {
        self.machine.pass(ms);
        self.rest();
    }

    /// Every answer takes so much longer.
    pub fn answers_after(&mut self, ms: i64) {
        self.machine.world.books().slow_ms = ms;
    }

    /// The answer to the next thing that is sent is lost after so long; it happens all the same, so much later.
    pub fn lose_next(&mut self, breaks_ms: i64, commits_ms: i64) {
        self.machine.world.books().lose_next = Some((breaks_ms, commits_ms));
    }

    /// As `lose_next`, of the next time that pictures are put in.
    pub fn lose_embed(&mut self, breaks_ms: i64, commits_ms: i64) {
        self.machine.world.books().lose_embed = Some((breaks_ms, commits_ms));
    }

    /// So many of the next files are refused.
    pub fn refuse_files(&mut self, count: u32) {
        self.machine.world.books().refuse_files = count;
    }

    /// How many files the issues have, and how many pictures they show.
    pub fn files(&self) -> (usize, usize) {
        let books = self.machine.world.books();
        let files = books.issues.iter().map(|issue| issue.assets.len()).sum();
        (files, books.issues.iter().map(|issue| issue.embedded.len()).sum())
    }

    /// Looks take so much longer.
    pub fn slow_looks(&mut self, ms: i64) {
        self.machine.world.books().slow_looks_ms = ms;
    }

    /// The person tries again.
    pub fn retry(&mut self, entry: i64) {
        let now = self.machine.clock.now();
        self.machine.within(0, |process| process.outbox.retry(entry, &now)).expect("it may be tried");
        self.rest();
    }

    /// The person says that it is not there.
    pub fn send_again(&mut self, entry: i64) {
        let now = self.machine.clock.now();
        let said = self.machine.within(0, |process| process.outbox.resolve_send_again(entry, &now));
        said.expect("it may be said");
        self.rest();
    }

    /// Every look fails, or none.
    pub fn break_looks(&mut self, broken: bool) {
        self.machine.world.books().looks_fail = broken;
    }

    /// Nothing is listed any more.
    pub fn hide_listings(&mut self) {
        self.machine.world.books().lists = false;
    }

    /// The network comes or goes.
    pub fn online(&mut self, online: bool) {
        self.machine.world.books().online = online;
    }

    /// The kernel tells that the network changed.
    pub fn network_changed(&mut self) {
        let told = self.machine.within(0, |process| process.outbox.network_changed());
        told.expect("the store takes it");
        self.rest();
    }

    /// The machine sleeps.
    pub fn sleep(&mut self, ms: i64) {
        self.machine.clock.suspend(ms);
        self.rest();
    }

    /// Another process starts.
    pub fn start(&mut self) {
        self.machine.start().expect("a process");
        self.rest();
    }

    /// Stops a process, as by SIGSTOP.
    pub fn freeze(&mut self, at: usize) {
        self.machine.processes[at].is_frozen = true;
    }

    /// Lets it go on.
    pub fn go_on(&mut self, at: usize) {
        self.machine.processes[at].is_frozen = false;
    }

    /// Kills a process.
    pub fn kill(&mut self, at: usize) {
        self.machine.kill(at);
        self.rest();
    }

    /// The next process that comes to this point dies there.
    pub fn die_at(&mut self, name: &'static str, before: bool) {
        self.machine.let_one_die_at(name, if before { Moment::Before } else { Moment::After });
    }

    /// What is written next under this name is not written.
    pub fn fail_once(&mut self, name: &'static str) {
        self.machine.let_it_fail_at(name, Moment::Before);
    }

    /// How the connections of its senders ended so far.
    pub fn closes(&self, entry: i64) -> Vec<String> {
        let database = rusqlite::Connection::open(self.machine.database()).expect("it is there");
        let mut closes =
            database.prepare("SELECT how FROM close WHERE entry = ?1 ORDER BY attempt").expect("a statement");
        let closes = closes.query_map([entry], |row| row.get(0)).expect("rows");
        closes.collect::<Result<_, _>>().expect("words")
    }

    /// The power goes and comes back, and one process is started.
    pub fn power_cut(&mut self) {
        self.machine.cut_the_power(&mut Rng::with_seed(1)).expect("the log can be cut");
        self.start();
    }

    /// What the row of an entry looks like.
    pub fn row(&self, entry: i64) -> String {
        let at = self.machine.processes.iter().position(|process| !process.is_frozen).unwrap_or(0);
        let now = self.machine.clock.now();
        let shown = self.machine.within(at, |process| process.outbox.entry(entry, &now));
        format!("{:?}", shown.expect("it is there").entry.row)
    }

    /// Which process has an entry in hand.
    pub fn sender(&self, entry: i64) -> Option<usize> {
        let owner = check::owner(&self.machine, entry)?;
        self.machine.processes.iter().position(|process| process.outbox.store().presence().id() == owner)
    }

    /// How many attempts ended because their process died or lost its lease.
    pub fn lost_attempts(&self) -> u32 {
        check::lost_attempts(&self.machine)
    }

    /// How many issues there are at the trackers.
    pub fn issues(&self) -> usize {
        self.machine.world.books().issues.len()
    }

    fn rest(&mut self) {
        self.machine.rest();
        let held = check::always(&self.machine);
        assert_eq!(held, Ok(()), "what must hold at every moment");
    }
}
