//! What goes wrong with processes, the machine and the store; and burial, start and farewell.

use super::Action;
use crate::bounds::Fault;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Come, Phase, Place, Process, State, Step, Worker};

impl Machine {
    pub(super) fn offer_faults(&self, state: &State, actions: &mut Vec<Action>) {
        for process in 0..self.bounds.processes {
            let row = &state.processes[usize::from(process)];
            if !row.is_up {
                actions.push(Action::Start(process));
                continue;
            }
            actions.push(Action::Kill(process));
            if row.is_stopped {
                actions.push(Action::Continue(process));
                continue;
            }
            actions.extend([Action::Stop(process), Action::Leave(process), Action::Drop(process)]);
            actions.extend((1..8).map(|dead| Action::Bury(process, dead)));
            let busy = |at: &Place| !matches!(state.worker(*at).phase, Phase::Idle | Phase::Asking(_));
            let places = (0..self.bounds.workers).map(|worker| (process, worker));
            actions.extend(places.filter(busy).map(Action::Panic));
        }
        actions.extend([Action::Sleep, Action::Copy, Action::PutBack]);
        actions.push(Action::Cut { forgets: false });
        if state.durable.is_some() {
            actions.push(Action::Cut { forgets: true });
        }
    }

    pub(super) fn stop(&self, state: &mut State, process: u8) -> bool {
        state.spend(Fault::Stop) && {
            state.processes[usize::from(process)].is_stopped = true;
            true
        }
    }

    pub(super) fn go_on(&self, state: &mut State, process: u8) -> bool {
        state.processes[usize::from(process)].is_stopped = false;
        true
    }

    /// The kernel takes the process and its lock; what it had sent is on its way.
    pub(super) fn kill(&self, state: &mut State, process: u8) -> bool {
        state.spend(Fault::Kill) && {
            self.end(state, process);
            true
        }
    }

    fn end(&self, state: &mut State, process: u8) {
        for at in (0..self.bounds.workers).map(|worker| (process, worker)) {
            self.detach(state, at);
            self.lose_worker(state, at);
        }
        let row = &mut state.processes[usize::from(process)];
        state.locks &= !(1 << row.id);
        *row = Process::default();
    }

    /// A worker is no more. Whose claim is the last one does not pass to who comes to its place.
    fn lose_worker(&self, state: &mut State, at: Place) {
        *state.worker_mut(at) = Worker::default();
        for row in &mut state.store.entries {
            if row.holder == Some(at) {
                row.holder = None;
            }
        }
    }

    pub(super) fn start(&self, state: &mut State, process: u8) -> bool {
        let copies = [state.durable.as_deref(), state.backup.as_deref()].into_iter().flatten();
        let mut used = state.locks;
        for store in std::iter::once(&state.store).chain(copies) {
            used |= store.presence;
            for row in &store.entries {
                used |= 1 << row.owner;
                row.stages.iter().for_each(|stage| used |= 1 << stage.sender);
            }
        }
        let Some(id) = (1..8_u8).find(|id| used & (1 << id) == 0) else { return false };
        self.write_full(state, None);
        state.locks |= 1 << id;
        state.store.presence |= 1 << id;
        let token = state.unused_token();
        state.processes[usize::from(process)] = Process { is_up: true, id, token, ..Process::default() };
        true
    }

    /// A process that has won the lock of a dead one puts in order what that one left.
    pub(super) fn bury(&self, state: &mut State, process: u8, dead: u8) -> bool {
        let row = state.store.presence & (1 << dead) != 0;
        let free = state.locks & (1 << dead) == 0;
        let own = state.processes[usize::from(process)].id == dead;
        if !row || own || !free && self.rules.has(Rule::BuryNeedsLock) {
            return false;
        }
        self.write_full(state, None);
        if self.rules.has(Rule::BuryCloses) {
            self.close_all(state, dead);
        }
        for row in state.store.entries.iter_mut().filter(|row| row.token != 0 && row.owner == dead) {
            row.end_attempt();
        }
        state.store.presence &= !(1 << dead);
        true
    }

    /// Closes every open intent of a process.
    fn close_all(&self, state: &mut State, sender: u8) {
        for stage in state.store.entries.iter_mut().flat_map(|row| &mut row.stages) {
            let open = matches!(stage.step, Step::Sent | Step::Doubt) && stage.sender == sender;
            if open && stage.gone.is_none() {
                stage.gone = Some(0);
            }
        }
    }

    /// A process whose workers have ended takes its row and its lock away.
    pub(super) fn leave(&self, state: &mut State, process: u8) -> bool {
        let row = state.processes[usize::from(process)];
        if row.workers.iter().any(|worker| worker.phase != Phase::Idle) || !state.spend(Fault::Leave) {
            return false;
        }
        self.write_full(state, None);
        if self.rules.has(Rule::LeaveCloses) {
            self.close_all(state, row.id);
        }
        state.store.presence &= !(1 << row.id);
        self.end(state, process);
        true
    }

    /// The owner of the workers ends in trouble and begins anew: its workers end where they are.
    pub(super) fn drop_workers(&self, state: &mut State, process: u8) -> bool {
        let idle = state.processes[usize::from(process)].workers.iter().all(|one| one.phase == Phase::Idle);
        if idle || !state.spend(Fault::Drop) {
            return false;
        }
        for at in (0..self.bounds.workers).map(|worker| (process, worker)) {
            if state.worker(at).phase == Phase::Idle {
                continue;
            }
            self.detach(state, at);
            if self.rules.has(Rule::DroppedWorkerIsClosed)
                && !matches!(state.worker(at).phase, Phase::Asking(_))
            {
                self.abandon(state, at);
            }
            self.lose_worker(state, at);
        }
        true
    }

    /// A worker panics: its owner says so and gives its entry back.
    pub(super) fn panic(&self, state: &mut State, at: Place) -> bool {
        if !state.spend(Fault::Panic) {
            return false;
        }
        let worker = *state.worker(at);
        self.detach(state, at);
        let row = state.store.entry_mut(worker.entry);
        if (row.token, row.fence) == (worker.token, worker.fence) {
            row.crashes += 1;
        }
        self.abandon(state, at);
        self.lose_worker(state, at);
        true
    }

    /// A worker has ended without a settle: its intent is closed, and its entry is given back.
    fn abandon(&self, state: &mut State, at: Place) {
        let worker = *state.worker(at);
        self.write_full(state, None);
        self.close(state, at);
        let row = state.store.entry_mut(worker.entry);
        if (row.token, row.fence) == (worker.token, worker.fence) {
            row.end_attempt();
            self.honour(state, worker.entry);
        }
    }

    /// The power goes: no process, no lease and nothing in the kernel is left, and what was not synced may be lost.
    /// What the tracker already has it may still do.
    pub(super) fn cut(&self, state: &mut State, forgets: bool) -> bool {
        if !state.spend(Fault::Cut) {
            return false;
        }
        for process in 0..self.bounds.processes {
            if state.processes[usize::from(process)].is_up {
                self.end(state, process);
            }
        }
        if let Some(durable) = state.durable.take().filter(|_| forgets) {
            state.store = *durable;
        }
        for row in &mut state.store.entries {
            row.lease = 0;
            row.holder = None;
            for stage in row.stages.iter_mut().filter(|one| matches!(one.step, Step::Sent | Step::Doubt)) {
                stage.old_boot = true;
                stage.gone = None;
                stage.sent = 0;
            }
        }
        state.awake = 0;
        state.store.restored = 0;
        true
    }

    pub(super) fn copy(&self, state: &mut State) -> bool {
        if state.backup.is_some() || !state.spend(Fault::Backup) {
            return false;
        }
        state.backup = Some(Box::new(state.store.without_clocks()));
        true
    }

    /// The copy takes the place of the store. What happened since is forgotten here, and not at the tracker.
    pub(super) fn put_back(&self, state: &mut State) -> bool {
        let alone = state.processes.iter().all(|process| !process.is_up);
        if !alone && self.rules.has(Rule::RestoreAlone) {
            return false;
        }
        let Some(backup) = state.backup.take() else { return false };
        state.durable = None;
        state.store = *backup;
        state.store.generation += u8::from(self.rules.has(Rule::RestoreRaisesGeneration));
        state.store.restored = 0;
        for entry in self.entries() {
            let row = state.store.entry_mut(entry);
            row.holder = None;
            let bit = u8::from(row.standing != crate::state::Standing::Absent) << entry;
            state.saved = state.saved & !(1 << entry) | bit;
        }
        state.told_withdrawn = 0;
        state.learnt = 0;
        // Those that have it open enter themselves again at once.
        state.store.presence |=
            state.processes.iter().filter(|one| one.is_up).fold(0, |bits, one| bits | 1 << one.id);
        debug_assert!(state.requests.iter().all(|one| one.come != Come::Listed || one.connection.is_some()));
        true
    }
}
