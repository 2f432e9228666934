//! One state for all those that differ in names only: fences become ranks, workers of a process stand in order, and what
//! nobody reads is blank. The states of a run are these.

use crate::bounds::Fault;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Come, ENTRIES, Phase, Place, Process, Standing, State, Store, WORKERS, Worker};

impl Machine {
    /// Takes a state into the form that stands for all its likes.
    pub(crate) fn settle_down(&self, state: &mut State) {
        self.blank(state);
        let one_lane = self.bounds.lanes == 1 && self.bounds.later == 0 && self.bounds.admission == 0;
        if one_lane && state.backup.is_none() && state.durable.is_none() {
            state.order_entries();
        }
        state.order_workers();
        state.order_processes(self.bounds.without_credential == 0);
        state.name_processes();
        state.name_tokens();
        state.rank_fences();
        if state.left[Fault::Cut as usize] == 0 {
            state.durable = None;
        }
        if state.durable.as_deref() == Some(&state.store.without_clocks()) {
            state.durable = None;
        }
        state.requests.sort_unstable();
        if self.bounds.lies {
            // Hidden for ever, one is as good as many.
            state
                .requests
                .dedup_by(|one, other| one == other && one.come == Come::Hidden && one.connection.is_none());
        }
    }

    /// Blanks what nobody will read.
    fn blank(&self, state: &mut State) {
        let quiet = self.bounds.quiet;
        let workers: Vec<Worker> = state.processes.iter().flat_map(|process| process.workers).collect();
        let mut old_boot = false;
        let mut outdated = false;
        for (entry, row) in (0_u8..).zip(&mut state.store.entries) {
            for stage in &mut row.stages {
                stage.attempt = if stage.gone.is_some() || stage.old_boot { 0 } else { stage.attempt };
                old_boot |= stage.old_boot;
            }
            if row.standing == Standing::Filed {
                row.sightings = 0;
            }
            let known = workers.iter().any(|worker| worker.entry == entry && worker.fence == row.fence);
            if row.token == 0 && !known && self.rules.has(Rule::FenceFromStore) {
                row.fence = 0;
            }
            outdated |= row.generation < state.store.generation;
        }
        if !old_boot && !outdated && state.durable.is_none() && state.backup.is_none() {
            state.awake = quiet;
        }
        if !outdated && state.durable.is_none() && state.backup.is_none() {
            state.store.restored = quiet;
        }
        for worker in state.processes.iter_mut().flat_map(|process| &mut process.workers) {
            let goes_on = matches!(
                worker.phase,
                Phase::Held
                    | Phase::Intended
                    | Phase::Sending
                    | Phase::ClosedEarly
                    | Phase::Looking { .. }
                    | Phase::Cleared { .. }
            );
            if !goes_on {
                worker.trust = 0;
            }
            if worker.phase != Phase::Held {
                worker.knew = 0;
            }
        }
    }
}

impl State {
    /// Entries of one lane are claimed in any order, so they are alike.
    fn order_entries(&mut self) {
        let before = self.store.entries;
        let standing = before.partition_point(|row| row.standing != Standing::Absent);
        if before[..standing].is_sorted() {
            return;
        }
        let mut order = [0_u8, 1, 2];
        order[..standing].sort_by_key(|at| before[usize::from(*at)]);
        let listed = self.listed;
        let mut place = [0_u8; ENTRIES];
        for (new, old) in (0_u8..).zip(order) {
            place[usize::from(old)] = new;
            self.store.entries[usize::from(new)] = before[usize::from(old)];
            self.listed[usize::from(new)] = listed[usize::from(old)];
        }
        let moved = |bits: u8| (0..3).fold(0, |all, old| all | (bits >> old & 1) << place[old]);
        self.told_withdrawn = moved(self.told_withdrawn);
        self.learnt = moved(self.learnt);
        for request in &mut self.requests {
            request.entry = place[usize::from(request.entry)];
        }
        let workers = self.processes.iter_mut().flat_map(|process| &mut process.workers);
        for worker in workers.filter(|worker| worker.phase != Phase::Idle) {
            worker.entry = place[usize::from(worker.entry)];
        }
    }

    fn order_workers(&mut self) {
        for process in 0_u8..2 {
            let before = self.processes[usize::from(process)].workers;
            if before.is_sorted_by(|one, other| one >= other) {
                continue;
            }
            // The idle last, so that those whom there is no room for stay where they are.
            let mut order = [0_u8, 1, 2];
            order.sort_by_key(|at| std::cmp::Reverse(before[usize::from(*at)]));
            let mut place = [0_u8; WORKERS];
            let mut after = [Worker::default(); WORKERS];
            for ((new, old), slot) in (0_u8..).zip(order).zip(&mut after) {
                place[usize::from(old)] = new;
                *slot = before[usize::from(old)];
            }
            self.processes[usize::from(process)].workers = after;
            let follow = |at: &mut Option<Place>| {
                if let Some((of, worker)) = at
                    && *of == process
                {
                    *worker = place[usize::from(*worker)];
                }
            };
            for request in &mut self.requests {
                follow(&mut request.connection);
            }
            for row in &mut self.store.entries {
                follow(&mut row.holder);
            }
        }
    }

    /// Processes are alike, so it does not matter which is the first.
    fn order_processes(&mut self, alike: bool) {
        let rank = |process: &Process| {
            let workers = process.workers.map(|worker| Worker { token: 0, ..worker });
            (process.is_up, process.is_stopped, workers)
        };
        if !alike || rank(&self.processes[0]) >= rank(&self.processes[1]) {
            return;
        }
        self.processes.swap(0, 1);
        let follow = |at: &mut Option<Place>| {
            if let Some((process, _)) = at {
                *process = 1 - *process;
            }
        };
        self.requests.iter_mut().for_each(|request| follow(&mut request.connection));
        self.store.entries.iter_mut().for_each(|row| follow(&mut row.holder));
    }

    /// Tokens of processes are only compared, so they are counted in the order in which they are met.
    fn name_processes(&mut self) {
        let mut names = [0_u8; 8];
        let mut next = 1;
        let mut name = |id: &mut u8| {
            if *id != 0 {
                let slot = &mut names[usize::from(*id)];
                if *slot == 0 {
                    *slot = next;
                    next += 1;
                }
                *id = *slot;
            }
        };
        self.processes.iter_mut().for_each(|process| name(&mut process.id));
        let mut copies: Vec<&mut Store> = vec![&mut self.store];
        copies.extend(self.durable.as_deref_mut());
        copies.extend(self.backup.as_deref_mut());
        for row in copies.iter_mut().flat_map(|store| &mut store.entries) {
            name(&mut row.owner);
            row.stages.iter_mut().for_each(|stage| name(&mut stage.sender));
        }
        let mut rename = |bits: u8| {
            let mut renamed = 0;
            for mut id in (1..8).filter(|id| bits & (1 << id) != 0) {
                name(&mut id);
                renamed |= 1 << id;
            }
            renamed
        };
        self.locks = rename(self.locks);
        for store in copies {
            store.presence = rename(store.presence);
        }
    }

    /// So are the tokens of drains.
    fn name_tokens(&mut self) {
        let mut met: Vec<u8> = vec![0];
        let mut name = |token: &mut u8| {
            let at = met.iter().position(|one| one == token).unwrap_or_else(|| {
                met.push(*token);
                met.len() - 1
            });
            *token = u8::try_from(at).unwrap_or(u8::MAX);
        };
        self.processes.iter_mut().for_each(|process| name(&mut process.token));
        for worker in self.processes.iter_mut().flat_map(|process| &mut process.workers) {
            name(&mut worker.token);
        }
        let copies = [self.durable.as_deref_mut(), self.backup.as_deref_mut()].into_iter().flatten();
        for row in std::iter::once(&mut self.store).chain(copies).flat_map(|store| &mut store.entries) {
            name(&mut row.token);
        }
    }

    /// Fences are only ever compared, so their order is all there is to them. The counter itself need not be told from
    /// the highest of them.
    fn rank_fences(&mut self) {
        let mut highest = 0;
        let counter = self.store.fence;
        self.store.fence = 0;
        self.each_fence(|fence| highest = highest.max(*fence));
        self.store.fence = counter.min(highest);
        let mut seen = 0_u128;
        self.each_fence(|fence| seen |= 1 << *fence);
        self.each_fence(|fence| {
            let below = seen & ((1_u128 << *fence) - 1) & !1;
            // At most 128 bits are set.
            let rank = u8::try_from(below.count_ones()).unwrap_or(u8::MAX);
            *fence = if *fence == 0 { 0 } else { rank + 1 };
        });
    }

    fn each_fence(&mut self, mut see: impl FnMut(&mut u8)) {
        let copies = [self.durable.as_deref_mut(), self.backup.as_deref_mut()].into_iter().flatten();
        for store in std::iter::once(&mut self.store).chain(copies) {
            see(&mut store.fence);
            for row in &mut store.entries {
                see(&mut row.fence);
                row.stages.iter_mut().for_each(|stage| see(&mut stage.attempt));
            }
            store.lanes.iter_mut().for_each(|lane| see(&mut lane.served));
        }
        for worker in self.processes.iter_mut().flat_map(|process| &mut process.workers) {
            see(&mut worker.fence);
        }
    }
}

impl Store {
    /// A copy for later: what runs while one looks is not in it.
    pub(crate) fn without_clocks(&self) -> Self {
        let mut copy = self.clone();
        for entry in 0..ENTRIES {
            let row = &mut copy.entries[entry];
            row.lease = 0;
            row.holder = None;
            for stage in &mut row.stages {
                stage.sent = 0;
                stage.gone = stage.gone.map(|_| 0);
            }
        }
        copy
    }
}
