//! One computer: its clock, its disk, and the processes on it.

use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::rc::Rc;

use fastrand::Rng;
use outtray_core::Problem;
use outtray_core::clock::Clock as _;
use outtray_core::fault::{self, Fault, Moment};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::clock::SimClock;
use crate::process::{Pocket, Process};
use crate::tracker::World;

/// Writes that a power cut may forget: they are committed without a sync.
const NOT_SYNCED: [&str; 8] =
    ["claim", "renew", "late_look", "no_token", "network_changed", "leave", "new_draft", "discard_blank"];
/// A frame of SQLite's log: its header and a page.
const FRAME: u64 = 24 + 1024;
const LOG_HEADER: u64 = 32;
/// Beyond this many pages the log is written back, and its length says nothing any more.
const CHECKPOINT: u64 = 4000;

pub(crate) struct Machine {
    pub(crate) clock: SimClock,
    pub(crate) world: World,
    pub(crate) pocket: Pocket,
    pub(crate) processes: Vec<Process>,
    /// Looks at the rows from outside, for the checks.
    pub(crate) reader: RefCell<Option<Connection>>,
    disk: TempDir,
    boots: u32,
    started: u64,
    script: Rc<Script>,
}

/// What happens at the named points.
#[derive(Default)]
struct Script {
    /// Which process is running.
    running: Cell<u64>,
    /// How many points were passed.
    passed: Cell<u64>,
    /// Points left until that one dies.
    dies_in: Cell<Option<u32>>,
    /// Points left until one of them fails.
    fails_in: Cell<Option<u32>>,
    /// The point at which that one dies.
    dies_at: Cell<Option<(&'static str, Moment)>>,
    /// The point that fails, once.
    fails_at: Cell<Option<(&'static str, Moment)>>,
    /// Who is dying: nothing of it is written any more.
    dying: Cell<Option<u64>>,
    log: RefCell<PathBuf>,
    /// How much of the log is on the disk for good.
    synced: Cell<u64>,
}

impl Machine {
    pub(crate) fn new(rng: Rng) -> Result<Self, Problem> {
        let clock = SimClock::new();
        let world = World::new(rng, clock.clone());
        let pocket = Pocket::default();
        pocket.put(&world.books().token);
        // In memory where there is such a place: what a sync costs is not the question here.
        let memory = std::path::Path::new("/dev/shm");
        let disk = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let disk = disk.map_err(|error| {
            Problem::new(outtray_core::Code::DiskFull, "There is no room for a disk.").because(error)
        })?;
        let script = Rc::new(Script::default());
        *script.log.borrow_mut() = disk.path().join("outtray/outtray.db-wal");
        let asked = Rc::clone(&script);
        fault::script(Some(Box::new(move |name, moment| asked.at(name, moment))));
        Ok(Self {
            clock,
            world,
            pocket,
            processes: Vec::new(),
            reader: RefCell::new(None),
            disk,
            boots: 1,
            started: 0,
            script,
        })
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.disk.path().join("outtray/outtray.db")
    }

    pub(crate) fn start(&mut self) -> Result<(), Problem> {
        self.started += 1;
        self.script.running.set(self.started);
        let home = self.disk.path().join("outtray");
        let started = Process::start(self.started, &home, &self.clock, &self.world, &self.pocket);
        if started.is_err() {
            // It may have died on the way; then nobody is left to be buried.
            self.script.dying.set(None);
        }
        self.processes.push(started?);
        Ok(())
    }

    /// Lets the world and every process that is not stopped go as far as they get at this moment.
    pub(crate) fn rest(&mut self) {
        let mut still = 0;
        while still < 2 {
            let before = self.stirred();
            self.world.books().turn();
            for process in self.processes.iter().filter(|process| !process.is_frozen) {
                self.script.running.set(process.id);
                process.turn();
            }
            self.bury_the_dying();
            still = if self.stirred() == before { still + 1 } else { 0 };
        }
    }

    /// Lets so much time pass, and everything happen at its moment.
    pub(crate) fn pass(&mut self, ms: i64) {
        let end = self.clock.world_ms() + ms;
        self.rest();
        loop {
            let left = end - self.clock.world_ms();
            if left <= 0 {
                return;
            }
            let now = self.clock.now().boot_ms;
            let timer = self.clock.next_timer().map(|at| (at - now).max(1));
            let world = self.world.books().next_in().map(|ms| ms.max(1));
            self.clock.advance(timer.into_iter().chain(world).min().unwrap_or(left).min(left));
            self.rest();
        }
    }

    /// Rises whenever anything is done: a write, a request, somebody going to sleep.
    fn stirred(&self) -> u64 {
        self.script.passed.get() + self.world.books().stirred() + self.clock.stirred()
    }

    /// Runs something in a process, as a person's act on it.
    pub(crate) fn within<T>(&self, at: usize, act: impl FnOnce(&Process) -> T) -> T {
        self.script.running.set(self.processes[at].id);
        act(&self.processes[at])
    }

    /// One of them dies within its next few statements.
    pub(crate) fn let_one_die(&self, points: u32) {
        self.script.dies_in.set(Some(points));
    }

    /// The next one that comes to this point dies there.
    pub(crate) fn let_one_die_at(&self, name: &'static str, moment: Moment) {
        self.script.dies_at.set(Some((name, moment)));
    }

    /// The next time this point is come to, it fails, and its process lives on.
    pub(crate) fn let_it_fail_at(&self, name: &'static str, moment: Moment) {
        self.script.fails_at.set(Some((name, moment)));
    }

    /// One of the next few statements fails, and its process lives on.
    pub(crate) fn let_one_fail(&self, points: u32) {
        self.script.fails_in.set(Some(points));
    }

    /// Nobody dies any more.
    pub(crate) fn let_all_live(&self) {
        self.script.dies_in.set(None);
        self.script.fails_in.set(None);
    }

    fn bury_the_dying(&mut self) {
        if let Some(id) = self.script.dying.take()
            && let Some(at) = self.processes.iter().position(|process| process.id == id)
        {
            self.kill(at);
        }
    }

    pub(crate) fn kill(&mut self, at: usize) {
        self.processes.remove(at).kill(&self.world);
        self.tell_of_a_death();
    }

    /// Ends one in good order.
    pub(crate) fn leave(&mut self, at: usize) {
        let process = self.processes.remove(at);
        self.script.running.set(process.id);
        process.leave(&self.world);
        self.tell_of_a_death();
    }

    /// The kernel tells the others that a process has ended.
    fn tell_of_a_death(&self) {
        for process in &self.processes {
            process.outbox.store().hear_of_a_death();
        }
    }

    /// The power goes: everything ends, and of the log only what was synced is sure to stay.
    pub(crate) fn cut_the_power(&mut self, rng: &mut Rng) -> Result<(), Problem> {
        for process in self.processes.drain(..) {
            process.kill(&self.world);
        }
        self.world.books().power_cut();
        self.reader.take();
        let log = self.script.log.borrow().clone();
        let length = std::fs::metadata(&log).map_or(0, |facts| facts.len());
        let synced = self.script.synced.get();
        if length < LOG_HEADER + CHECKPOINT * FRAME && synced < length {
            let lost = (length - synced) / FRAME;
            let kept = synced + rng.u64(0..=lost) * FRAME;
            OpenOptions::new().write(true).open(&log).and_then(|log| log.set_len(kept)).map_err(|error| {
                Problem::new(outtray_core::Code::Internal, "The log cannot be cut.").because(error)
            })?;
        }
        self.boots += 1;
        self.clock.reboot(self.boots);
        Ok(())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for process in self.processes.drain(..) {
            process.kill(&self.world);
        }
        fault::script(None);
    }
}

impl Script {
    fn at(&self, name: &'static str, moment: Moment) -> Option<Fault> {
        self.passed.set(self.passed.get() + 1);
        if self.dying.get() == Some(self.running.get()) {
            return Some(Fault::Error);
        }
        if moment == Moment::After && !NOT_SYNCED.contains(&name) {
            self.synced.set(std::fs::metadata(&*self.log.borrow()).map_or(0, |facts| facts.len()));
        }
        if self.dies_at.get() == Some((name, moment)) {
            self.dies_at.set(None);
            self.dying.set(Some(self.running.get()));
            return Some(Fault::Error);
        }
        if self.fails_at.get() == Some((name, moment)) {
            self.fails_at.set(None);
            return Some(Fault::Error);
        }
        if let Some(left) = self.fails_in.get() {
            self.fails_in.set(left.checked_sub(1));
            if left == 0 {
                return Some(Fault::Error);
            }
        }
        match self.dies_in.get() {
            Some(0) => {
                self.dies_in.set(None);
                self.dying.set(Some(self.running.get()));
                Some(Fault::Error)
            }
            Some(left) => {
                self.dies_in.set(Some(left - 1));
                None
            }
            None => None,
        }
    }
}
