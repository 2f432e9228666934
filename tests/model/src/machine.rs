//! The model as the checker sees it: where it begins, what may happen next, and what comes of it.

use stateright::{Model, Property};

use crate::bounds::{Bounds, Fault};
use crate::invariant::{Invariants, properties};
use crate::rules::Rules;
use crate::state::{
    Come, ENTRIES, Entry, LANES, Lane, PROCESSES, Phase, Place, Process, Request, STAGES, Standing, State,
    Store,
};
use crate::step::Action;

/// The protocol within bounds, with the rules that are on.
#[derive(Debug, Clone)]
pub struct Machine {
    /// How far it goes.
    pub bounds: Bounds,
    /// Which rules are on.
    pub rules: Rules,
}

impl Machine {
    /// The whole protocol within bounds.
    pub const fn new(bounds: Bounds) -> Self {
        Self { bounds, rules: Rules::all() }
    }

    /// Every worker's place.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let workers = self.bounds.workers;
        (0..self.bounds.processes).flat_map(move |process| (0..workers).map(move |worker| (process, worker)))
    }

    /// Whether everything is filed and nothing is on its way: what follows is not about delivery.
    pub(crate) fn is_over(&self, state: &State) -> bool {
        let rows = &state.store.entries[..usize::from(self.bounds.entries + self.bounds.later)];
        state.requests.is_empty()
            && state.left[Fault::Backup as usize] == 0
            && state.backup.is_none()
            && rows.iter().all(|row| row.standing == Standing::Filed)
            && self.places().all(|at| state.worker(at).phase == Phase::Idle)
    }

    fn beginning(&self) -> State {
        let mut entries = [Entry::default(); ENTRIES];
        for (entry, row) in entries.iter_mut().enumerate() {
            row.destination = self.bounds.lane_of[entry];
            if entry < usize::from(self.bounds.entries) {
                row.standing = Standing::Waiting;
            }
        }
        let mut processes = [Process::default(); PROCESSES];
        let mut ids = 0;
        for (process, id) in processes.iter_mut().take(usize::from(self.bounds.processes)).zip(1_u8..) {
            *process = Process { is_up: true, id, token: id, ..Process::default() };
            ids |= 1 << id;
        }
        State {
            store: Store {
                fence: 0,
                generation: 0,
                restored: self.bounds.quiet,
                entries,
                lanes: [Lane::default(); LANES],
                presence: ids,
            },
            durable: None,
            backup: None,
            processes,
            locks: ids,
            requests: Vec::new(),
            listed: [[[0; STAGES]; LANES]; ENTRIES],
            awake: self.bounds.quiet,
            saved: (1 << self.bounds.entries) - 1,
            told_withdrawn: 0,
            learnt: 0,
            passed_over: [0; LANES],
            left: self.bounds.faults,
            wrong: Invariants::default(),
        }
    }
}

impl Model for Machine {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![self.beginning()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if !self.is_over(state) {
            self.offer(state, actions);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        if !self.take(&mut next, action) {
            return None;
        }
        self.judge(&mut next);
        self.settle_down(&mut next);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties()
    }
}

impl State {
    /// How many issues of a key there are, listed or not.
    pub(crate) fn issues(&self, entry: u8, ordinal: u8) -> usize {
        (0_u8..2).map(|destination| self.issues_at(entry, ordinal, destination)).sum()
    }

    /// The same, at one destination.
    pub(crate) fn issues_at(&self, entry: u8, ordinal: u8, destination: u8) -> usize {
        let is_hidden = |request: &&Request| {
            (request.entry, request.ordinal, request.destination) == (entry, ordinal, destination)
                && request.come == Come::Hidden
        };
        usize::from(self.listed[usize::from(entry)][usize::from(destination)][usize::from(ordinal)])
            + self.requests.iter().filter(is_hidden).count()
    }
}
