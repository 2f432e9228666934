//! One history: what a seed makes happen, step by step.

use std::time::Duration;

use fastrand::Rng;
use outtray_core::Problem;
use outtray_core::capture::Kept;
use outtray_core::clock::Clock as _;
use outtray_core::fault;
use outtray_core::issue::{Destination, TrackerKind};
use outtray_core::view::{DraftEdit, EntryEdit};

use crate::check;
use crate::machine::Machine;

/// How much happens in a history.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Steps until the faults cease.
    pub steps: u32,
}

/// What a history came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Entries that were saved.
    pub saved: usize,
    /// Issues at the trackers in the end.
    pub issues: usize,
    /// Processes that were killed, or died in the middle of something.
    pub deaths: u32,
    /// Times at which a process was stopped.
    pub stops: u32,
    /// Times at which the power went.
    pub power_cuts: u32,
}

/// Steps in which everything has to come to rest once the faults have ceased.
const LAST_STEPS: u32 = 4_000;

/// Runs the history of a seed; `mistake` is one to be made in it.
///
/// # Errors
/// What did not hold, and after which step.
pub fn run(seed: u64, size: Size, mistake: Option<&str>) -> Result<Outcome, String> {
    replay(seed, size, mistake, None)
}

/// As [`run`], telling everything that happens.
///
/// # Errors
/// As of [`run`].
pub fn replay(
    seed: u64,
    size: Size,
    mistake: Option<&str>,
    told: Option<fn(&str)>,
) -> Result<Outcome, String> {
    fault::commit_mistake(mistake);
    fastrand::seed(seed);
    let told = History::new(seed).map_err(|problem| problem.chain()).and_then(|mut history| {
        history.machine.world.books().told = told;
        history.run(size)
    });
    fault::commit_mistake(None);
    told
}

struct History {
    rng: Rng,
    machine: Machine,
    lanes: Vec<String>,
    saved: Vec<String>,
    tokens: u32,
    outcome: Outcome,
}

impl History {
    fn new(seed: u64) -> Result<Self, Problem> {
        let mut rng = Rng::with_seed(seed);
        let mut machine = Machine::new(rng.fork())?;
        machine.world.books().trouble = rng.choice([0, 10, 25, 45]).unwrap_or(25);
        machine.start()?;
        let mut lanes = Vec::new();
        for name in ["work", "client"] {
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
            let now = machine.clock.now();
            machine.within(0, |process| process.outbox.add_destination(&new, &now))?;
            lanes.push(name.to_owned());
        }
        Ok(Self { rng, machine, lanes, saved: Vec::new(), tokens: 0, outcome: Outcome::default() })
    }

    fn run(&mut self, size: Size) -> Result<Outcome, String> {
        for step in 0..size.steps {
            let what = self.step().map_err(|problem| format!("step {step}: {}", problem.chain()))?;
            self.machine.world.books().tell(|| format!("step {step}: {what}"));
            self.machine.rest();
            while self.machine.processes.is_empty() {
                drop(self.machine.start());
                self.machine.rest();
            }
            check::always(&self.machine).map_err(|wrong| format!("step {step} ({what}): {wrong}"))?;
        }
        self.come_to_rest()?;
        self.outcome.saved = self.saved.len();
        self.outcome.issues = self.machine.world.books().issues.len();
        Ok(self.outcome)
    }

    /// Takes one step, and says which.
    fn step(&mut self) -> Result<&'static str, Problem> {
        let (what, weight): (Vec<_>, Vec<_>) = STEPS.iter().copied().unzip();
        let mut at = self.rng.u32(0..weight.iter().sum());
        let mut chosen = what[0];
        for (step, weight) in what.iter().zip(&weight) {
            if at < *weight {
                chosen = step;
                break;
            }
            at -= weight;
        }
        self.take(chosen)?;
        Ok(chosen)
    }

    fn take(&mut self, step: &str) -> Result<(), Problem> {
        match step {
            "go on" => self.go_on(),
            "wait" => {
                let ms = self.rng.i64(0..20_000);
                self.machine.pass(ms);
            }
            "file" => self.file(),
            // One that dies at its start is no process.
            "start" if self.machine.processes.len() < 3 => drop(self.machine.start()),
            "kill" => {
                self.outcome.deaths += 1;
                let at = self.any();
                self.machine.kill(at);
            }
            "die" => {
                self.outcome.deaths += 1;
                let points = self.rng.u32(0..40);
                self.machine.let_one_die(points);
            }
            "fail" => {
                let points = self.rng.u32(0..40);
                self.machine.let_one_fail(points);
            }
            "stop" => {
                self.outcome.stops += 1;
                let at = self.any();
                self.machine.processes[at].is_frozen = true;
            }
            "continue" => {
                let at = self.any();
                self.machine.processes[at].is_frozen = false;
            }
            "quit" => self.quit(),
            "sleep" => {
                let ms = self.rng.choice([1_000, 40_000, 600_000, 28_800_000]).unwrap_or(1_000);
                self.machine.clock.suspend(ms);
            }
            "power cut" => {
                self.outcome.power_cuts += 1;
                let mut rng = self.rng.fork();
                self.machine.cut_the_power(&mut rng)?;
            }
            "jump" => {
                let ms = self.rng.i64(-86_400_000..86_400_000);
                self.machine.clock.jump(ms);
            }
            "network" => {
                let mut books = self.machine.world.books();
                books.online = !books.online;
            }
            "new token" => {
                self.tokens += 1;
                self.machine.world.books().token = format!("token-{}", self.tokens);
            }
            "sign in" => self.sign_in(),
            "person" => self.person(),
            _ => {}
        }
        Ok(())
    }

    /// Time goes on until something happens.
    fn go_on(&mut self) {
        let now = self.machine.clock.now().boot_ms;
        let timer = self.machine.clock.next_timer().map(|at| (at - now).max(0));
        let world = self.machine.world.books().next_in();
        let ms = timer.into_iter().chain(world).min().unwrap_or(1_000);
        self.machine.clock.advance(ms.min(3_600_000));
    }

    fn any(&mut self) -> usize {
        self.rng.usize(0..self.machine.processes.len())
    }

    fn quit(&mut self) {
        let at = self.any();
        if self.machine.processes[at].is_frozen {
            return;
        }
        let id = self.machine.processes[at].id;
        self.machine.processes[at].ask_to_quit(Duration::from_secs(3));
        self.machine.pass(3_000);
        if let Some(at) = self.machine.processes.iter().position(|process| process.id == id) {
            self.machine.leave(at);
        }
    }

    fn sign_in(&mut self) {
        let token = self.machine.world.books().token.clone();
        self.machine.pocket.put(&token);
        let at = self.any();
        for lane in self.lanes.clone() {
            let _signed_in = self.machine.within(at, |process| {
                let destination = process.outbox.destination(&lane)?.id;
                process.outbox.credential_seen(destination, &token)?;
                process.outbox.signed_in(destination, None)
            });
        }
    }

    /// A person files an issue. What the store says to that is for them to hear; saved is what it says is saved.
    fn file(&mut self) {
        let at = self.any();
        let files = self.rng.u32(0..3);
        let lane = self.rng.usize(0..self.lanes.len());
        let (lane, number, now) = (self.lanes[lane].clone(), self.saved.len(), self.machine.clock.now());
        let filed = self.machine.within(at, |process| {
            let outbox = &process.outbox;
            let draft = outbox.new_draft(&now)?;
            for file in 0..files {
                outbox.attach(draft.id, &kept(number, file), &now)?;
            }
            let edit = DraftEdit {
                id: draft.id,
                revision: outbox.draft(draft.id)?.revision,
                destination: Some(lane.clone()),
                title: format!("Issue {number}"),
                body: "It went wrong.".to_owned(),
                labels: Vec::new(),
                milestone: None,
                assignees: Vec::new(),
            };
            let draft = outbox.save_draft(&edit, &now)?;
            outbox.file_draft(draft.id, draft.revision, &now)
        });
        if let Ok(saved) = filed {
            self.saved.push(saved.key.to_string());
        }
    }

    /// A person does something to an entry. A refusal in words is fine. Who is asked whether to send again has looked;
    /// whoever says so unasked may not have.
    fn person(&mut self) {
        let at = self.any();
        let now = self.machine.clock.now();
        let count = self.saved.len();
        if count == 0 {
            return;
        }
        let entry = i64::try_from(self.rng.usize(0..count)).unwrap_or(0) + 1;
        let lane = self.rng.usize(0..self.lanes.len());
        let lane = self.lanes[lane].clone();
        let what = self.rng.u32(0..12);
        let outbox = self.machine.processes[at].outbox.clone();
        if what == 7 {
            let doubts = check::asked(&self.machine, entry);
            let books = self.machine.world.books();
            if doubts.iter().any(|(key, file)| books.shows(key, file.as_deref())) {
                return;
            }
        }
        let acted = self.machine.within(at, |_| match what {
            0 | 1 => outbox.retry(entry, &now).map(drop),
            2 => outbox.retry_all(&now).map(drop),
            3 | 4 => outbox.withdraw(entry, &now).map(drop),
            5 => outbox.restore(entry, &now).map(drop),
            6 => outbox.move_to(entry, &lane, &now).map(drop),
            7 => outbox.resolve_send_again(entry, &now).map(drop),
            8 => outbox.pause(Some(&lane), None, &now),
            9 | 10 => outbox.entry(entry, &now).and_then(|details| {
                let title = format!("{}, edited", details.entry.title);
                let edit = EntryEdit {
                    id: entry,
                    revision: details.revision,
                    title,
                    body: details.body,
                    labels: details.labels,
                    milestone: details.milestone,
                    assignees: details.assignees,
                };
                outbox.edit(&edit, &now).map(drop)
            }),
            _ => outbox.resume(None),
        });
        let _heard = acted;
    }

    /// All faults cease; everything that can be filed has to be.
    fn come_to_rest(&mut self) -> Result<(), String> {
        let told = |problem: Problem| problem.chain();
        self.machine.let_all_live();
        {
            let mut books = self.machine.world.books();
            books.trouble = 0;
            books.online = true;
        }
        for process in &mut self.machine.processes {
            process.is_frozen = false;
        }
        self.machine.rest();
        if self.machine.processes.is_empty() {
            self.machine.start().map_err(told)?;
        }
        self.sign_in();
        let outbox = self.machine.processes[0].outbox.clone();
        outbox.resume(None).map_err(told)?;
        let mut wrong = Ok(());
        for step in 0..LAST_STEPS {
            self.machine.rest();
            check::always(&self.machine).map_err(|wrong| format!("at the end, {step}: {wrong}"))?;
            // A person who is asked answers: tries again.
            if step % 50 == 0 {
                outbox.retry_all(&self.machine.clock.now()).map_err(told)?;
                self.machine.rest();
                wrong = check::finally(&self.machine, &outbox, &self.saved);
                if wrong.is_ok() {
                    return Ok(());
                }
            }
            self.go_on();
        }
        wrong
    }
}

fn kept(number: usize, file: u32) -> Kept {
    let is_picture = file == 0;
    Kept {
        name: if is_picture { "screen.png".to_owned() } else { format!("notes {file}.txt") },
        media_type: if is_picture { "image/png".to_owned() } else { "text/plain".to_owned() },
        size: 1_000 + u64::from(file),
        sha256: "0".repeat(64),
        file: format!("{number}-{file}-{}", fastrand::u64(..)),
        picture: is_picture.then_some((1, 1)),
    }
}

/// What may happen, and how often.
const STEPS: &[(&str, u32)] = &[
    ("go on", 50),
    ("wait", 12),
    ("file", 10),
    ("person", 8),
    ("start", 4),
    ("stop", 3),
    ("continue", 4),
    ("die", 4),
    ("fail", 4),
    ("kill", 2),
    ("quit", 1),
    ("sleep", 2),
    ("power cut", 1),
    ("jump", 1),
    ("network", 2),
    ("new token", 1),
    ("sign in", 2),
];
