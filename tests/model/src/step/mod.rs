//! What may happen, one atomic step each: a statement of the store, a move of the tracker, of time, of a person, a fault.

mod claim;
mod fault;
mod look;
mod person;
mod send;
mod settle;
mod time;
mod tracker;

use crate::machine::Machine;
use crate::state::{Answer, Place, State};

pub use person::Ask;

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A worker asks for a claim whose answer may be late.
    Ask(Place),
    /// A worker claims an entry.
    Claim(Place, u8),
    /// A worker renews its lease.
    Renew(Place),
    /// A worker commits the intent to send.
    Intend(Place),
    /// Its bytes go to the kernel.
    Send(Place),
    /// It has an answer, or learns that there is none.
    Answer(Place, Answer),
    /// It drops its connection, its trust having run out or its process being told to stop.
    Cancel(Place),
    /// It settles what it knows.
    Settle(Place),
    /// Its lease being lost, it says that the issue exists.
    Tell(Place),
    /// It begins to look.
    BeginLook(Place),
    /// The look has worked.
    EndLook(Place),
    /// The look has not worked.
    FailLook(Place),
    /// The tracker does what a request asks.
    Commit(u8),
    /// What it has done is listed.
    List(u8),
    /// A request comes to nothing.
    Vanish(u8),
    /// Time passes.
    Tick,
    /// Time passes while the machine sleeps.
    Sleep,
    /// A process is stopped.
    Stop(u8),
    /// A stopped process goes on.
    Continue(u8),
    /// A process is killed.
    Kill(u8),
    /// A process starts.
    Start(u8),
    /// A process buries another, by its token.
    Bury(u8, u8),
    /// A process says goodbye.
    Leave(u8),
    /// A process drops its workers and lives on.
    Drop(u8),
    /// A worker panics.
    Panic(Place),
    /// The power goes and comes back. It may take what was not synced.
    Cut {
        /// Whether it does.
        forgets: bool,
    },
    /// A person acts on an entry.
    Act(u8, Ask),
    /// A person signs in to a lane's tracker anew.
    SignIn(u8),
    /// A person saves another entry.
    Save(u8),
    /// The store is copied.
    Copy,
    /// The copy is put back.
    PutBack,
}

impl Action {
    /// Whether this is the machine at its work, and no fault and nobody's doing: what progress may count on. A stopped
    /// process is continued some day, and somebody starts one.
    pub const fn is_work(self) -> bool {
        !matches!(
            self,
            Self::Sleep
                | Self::Stop(_)
                | Self::Kill(_)
                | Self::Leave(_)
                | Self::Drop(_)
                | Self::Panic(_)
                | Self::Cut { .. }
                | Self::Act(..)
                | Self::SignIn(_)
                | Self::Save(_)
                | Self::Copy
                | Self::PutBack
                | Self::FailLook(_)
        )
    }
}

impl Machine {
    /// Writes down every step that may come next, and some that may not: `take` has the last word.
    pub(crate) fn offer(&self, state: &State, actions: &mut Vec<Action>) {
        self.offer_work(state, actions);
        self.offer_tracker(state, actions);
        self.offer_faults(state, actions);
        self.offer_person(state, actions);
        actions.push(Action::Tick);
    }

    /// Takes a step, or says that it cannot be taken here.
    pub(crate) fn take(&self, state: &mut State, action: Action) -> bool {
        match action {
            Action::Ask(at) => self.ask(state, at),
            Action::Claim(at, entry) => self.claim(state, at, entry),
            Action::Renew(at) => self.renew(state, at),
            Action::Intend(at) => self.intend(state, at),
            Action::Send(at) => self.send(state, at),
            Action::Answer(at, answer) => self.answer(state, at, answer),
            Action::Cancel(at) => self.cancel(state, at),
            Action::Settle(at) => self.settle(state, at),
            Action::Tell(at) => self.tell(state, at),
            Action::BeginLook(at) => self.begin_look(state, at),
            Action::EndLook(at) => self.end_look(state, at),
            Action::FailLook(at) => self.fail_look(state, at),
            Action::Commit(at) => self.commit(state, at),
            Action::List(at) => self.list(state, at),
            Action::Vanish(at) => self.vanish(state, at),
            Action::Tick => self.tick(state),
            Action::Sleep => self.sleep(state),
            Action::Stop(process) => self.stop(state, process),
            Action::Continue(process) => self.go_on(state, process),
            Action::Kill(process) => self.kill(state, process),
            Action::Start(process) => self.start(state, process),
            Action::Bury(process, dead) => self.bury(state, process, dead),
            Action::Leave(process) => self.leave(state, process),
            Action::Drop(process) => self.drop_workers(state, process),
            Action::Panic(at) => self.panic(state, at),
            Action::Cut { forgets } => self.cut(state, forgets),
            Action::Act(entry, ask) => self.act(state, entry, ask),
            Action::SignIn(lane) => self.sign_in(state, lane),
            Action::Save(entry) => self.save(state, entry),
            Action::Copy => self.copy(state),
            Action::PutBack => self.put_back(state),
        }
    }

    fn offer_work(&self, state: &State, actions: &mut Vec<Action>) {
        use crate::state::Phase;
        for process in (0..self.bounds.processes).filter(|process| state.is_running(*process)) {
            let mut idle = false;
            for at in (0..self.bounds.workers).map(|worker| (process, worker)) {
                let worker = state.worker(at);
                if matches!(worker.phase, Phase::Held | Phase::Sending | Phase::Looking { .. })
                    && worker.trust < self.bounds.trust
                {
                    actions.push(Action::Renew(at));
                }
                match worker.phase {
                    // One free worker is like another.
                    Phase::Idle if idle => {}
                    Phase::Idle => {
                        idle = true;
                        if self.bounds.slow {
                            actions.push(Action::Ask(at));
                        } else {
                            actions.extend(self.entries().map(|entry| Action::Claim(at, entry)));
                        }
                    }
                    Phase::Asking(_) => {
                        actions.extend(self.entries().map(|entry| Action::Claim(at, entry)));
                    }
                    Phase::Held => {
                        actions.extend([Action::Intend(at), Action::BeginLook(at), Action::Settle(at)]);
                        actions.push(Action::Send(at));
                    }
                    Phase::Intended => {
                        actions.extend([Action::Send(at), Action::Answer(at, Answer::NotSent)]);
                    }
                    Phase::Sending => {
                        let answers = [Answer::Created, Answer::Refused, Answer::SignIn, Answer::Doubt];
                        actions.extend(answers.map(|answer| Action::Answer(at, answer)));
                        actions.push(Action::Cancel(at));
                    }
                    Phase::Looking { .. } => {
                        actions.extend([Action::EndLook(at), Action::FailLook(at), Action::Cancel(at)]);
                    }
                    Phase::Cleared { .. } => actions.extend([Action::Intend(at), Action::Settle(at)]),
                    Phase::ClosedEarly => actions.push(Action::Cancel(at)),
                    Phase::Knows => actions.push(Action::Tell(at)),
                    Phase::Cancelled
                    | Phase::Answered(_)
                    | Phase::Found(_)
                    | Phase::TooEarly
                    | Phase::LookFailed
                    | Phase::Aside { .. } => actions.push(Action::Settle(at)),
                }
            }
        }
    }

    /// Every entry there is room for in this run.
    pub(crate) fn entries(&self) -> std::ops::Range<u8> {
        0..self.bounds.entries + self.bounds.later
    }
}
