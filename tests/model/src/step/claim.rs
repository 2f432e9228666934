//! Claim and renew, which are committed with NORMAL.

use crate::bounds::Fault;
use crate::invariant::Invariant;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Entry, Phase, Place, Standing, State, Worker};

impl Machine {
    /// What follows is committed with NORMAL: a power cut may take it.
    pub(crate) fn write_normal(&self, state: &mut State) {
        if state.left[Fault::Cut as usize] > 0 && state.durable.is_none() {
            state.durable = Some(Box::new(state.store.without_clocks()));
        }
    }

    /// What follows is committed with FULL where its rule is on, and all that was committed before with it.
    pub(crate) fn write_full(&self, state: &mut State, rule: Option<Rule>) {
        match rule {
            Some(rule) if !self.rules.has(rule) => self.write_normal(state),
            _ => state.durable = None,
        }
    }

    pub(super) fn ask(&self, state: &mut State, at: Place) -> bool {
        state.worker_mut(at).phase = Phase::Asking(0);
        true
    }

    /// An expired lease is due like no lease.
    fn is_due(&self, row: &Entry) -> bool {
        row.standing == Standing::Waiting && (!row.is_leased() || !self.rules.has(Rule::ClaimAsksExpiry))
    }

    pub(super) fn claim(&self, state: &mut State, at: Place, entry: u8) -> bool {
        let (process, _) = at;
        let lane = state.store.entry(entry).destination;
        if !self.is_due(state.store.entry(entry)) || !self.admit(state, process, entry) {
            return false;
        }
        let turn = if self.rules.has(Rule::LaneTurns) {
            self.next_lane(state, process)
        } else {
            (0..self.bounds.lanes).find(|lane| self.may_serve(state, process, *lane))
        };
        if turn != Some(lane) {
            return false;
        }
        self.write_normal(state);
        let asked = match state.worker(at).phase {
            Phase::Asking(ago) => ago,
            _ => 0,
        };
        if self.needs_person(state, entry) {
            *state.worker_mut(at) = Worker::default();
            return true;
        }
        self.note_lane_bound(state, process, lane);
        self.note_admission(state, process, entry);
        let token = state.processes[usize::from(process)].token;
        let fence = if self.rules.has(Rule::FenceFromStore) {
            state.store.next_fence()
        } else {
            state.store.entry(entry).fence + 1
        };
        let id = state.processes[usize::from(process)].id;
        if self.bounds.admission > 0 {
            state.processes[usize::from(process)].admitted += 1;
        }
        let row = state.store.entry_mut(entry);
        let taken_over = row.attempt_open;
        row.sends -= u8::from(taken_over && row.attempt_sent && row.sends > 0);
        row.attempt_sent = false;
        let counts = !taken_over || !self.rules.has(Rule::TakeoverCountsNothing);
        let most = self.bounds.tries + 2;
        row.fair_tries = (row.fair_tries + u8::from(!taken_over)).min(most);
        row.tries = (row.tries + u8::from(counts)).min(most);
        row.attempt_open = true;
        row.token = token;
        row.fence = fence;
        row.owner = id;
        row.lease = self.bounds.lease.saturating_sub(asked);
        row.holder = Some(at);
        if self.bounds.lanes > 1 {
            state.store.lanes[usize::from(lane)].served = fence;
        }
        let row = *state.store.entry(entry);
        let trust = if self.rules.has(Rule::TrustFromAsking) {
            self.bounds.trust.saturating_sub(asked)
        } else {
            self.bounds.trust
        };
        *state.worker_mut(at) = Worker { entry, token, fence, trust, ..Worker::default() };
        self.read(state, at, &row);
        true
    }

    /// A worker reads the entry it holds.
    pub(super) fn read(&self, state: &mut State, at: Place, row: &Entry) {
        let credential = state.store.lanes[usize::from(row.destination)].credential;
        let knew = (0_u8..2).find(|destination| row.sightings & (1 << destination) != 0);
        let ordinal = row.ordinal(self.bounds.stages).unwrap_or(0);
        let worker = state.worker_mut(at);
        worker.phase = Phase::Held;
        worker.ordinal = ordinal;
        worker.knew = knew.map_or(0, |destination| destination + 1);
        worker.revision = row.revision;
        worker.destination = row.destination;
        worker.credential = credential;
    }

    /// An entry beyond its budget goes to the person instead. One in doubt still gets its look.
    fn needs_person(&self, state: &mut State, entry: u8) -> bool {
        let in_doubt = state.store.in_doubt(entry, self.bounds.stages);
        let row = state.store.entry_mut(entry);
        let crashed = row.crashes >= self.bounds.crashes;
        let spent = row.tries >= self.bounds.tries && self.rules.has(Rule::BudgetEnds);
        let displaced = row.attempt_open && self.rules.has(Rule::TakeoverEndsNothing);
        let seen = row.is_sighted() && self.rules.has(Rule::SightingBarsAttention);
        let over = crashed || spent && !displaced && !in_doubt;
        if !over || seen {
            let beyond =
                row.tries >= self.bounds.tries && !row.attempt_open && !in_doubt && !row.is_sighted();
            state.wrong.note(Invariant::AttemptsBounded, beyond);
            return false;
        }
        let early = !crashed && (row.fair_tries < self.bounds.tries || row.attempt_open);
        row.standing = Standing::Attention;
        row.end_attempt();
        state.wrong.note(Invariant::AttentionOnlyFromOwner, early);
        true
    }

    pub(super) fn renew(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        self.write_normal(state);
        let row = state.store.entry(worker.entry);
        let owns =
            (row.token, row.fence) == (worker.token, worker.fence) || !self.rules.has(Rule::RenewAsksOwner);
        let lives = row.lease > 0 || !self.rules.has(Rule::RenewAsksExpiry);
        if row.token == 0 || !owns || !lives {
            match worker.phase {
                Phase::Sending => {
                    self.detach(state, at);
                    state.worker_mut(at).phase = Phase::Cancelled;
                }
                _ => *state.worker_mut(at) = Worker::default(),
            }
            return true;
        }
        if row.lease == 0 {
            let lane = row.destination;
            let share = self.share(state, lane);
            let in_hand = self.in_hand(state, at.0, lane);
            state.wrong.note(Invariant::LaneBound, in_hand >= share && self.bounds.lanes > 1);
        }
        state.store.entry_mut(worker.entry).lease = self.bounds.lease;
        state.worker_mut(at).trust = self.bounds.trust;
        true
    }

    // ---- Lanes and admission ----

    /// Entries of a lane that a process holds under a live lease.
    fn in_hand(&self, state: &State, process: u8, lane: u8) -> u8 {
        let id = state.processes[usize::from(process)].id;
        let held = |entry: &u8| {
            let row = state.store.entry(*entry);
            row.destination == lane && row.is_leased() && row.owner == id
        };
        u8::try_from(self.entries().filter(held).count()).unwrap_or(u8::MAX)
    }

    /// How many workers a lane may have while another is due.
    fn share(&self, state: &State, lane: u8) -> u8 {
        if state.store.lanes[usize::from(lane)].failing {
            1
        } else {
            self.bounds.workers.saturating_sub(1).max(1)
        }
    }

    /// Whether a lane has something due that this process may take.
    fn may_serve(&self, state: &State, process: u8, lane: u8) -> bool {
        let without = self.bounds.without_credential & (1 << process) != 0 && lane == 1;
        let row = &state.store.lanes[usize::from(lane)];
        let is_due = |entry: u8| {
            let row = state.store.entry(entry);
            row.destination == lane && self.is_due(row) && self.is_admitted(state, process, entry)
        };
        let barred = row.signed_out || without && self.rules.has(Rule::CredentialAdmits);
        !barred && self.entries().any(is_due)
    }

    /// The least recently served lane that is due and below its share; or one that has its share, when no other is due.
    fn next_lane(&self, state: &State, process: u8) -> Option<u8> {
        if self.bounds.lanes == 1 {
            return self.may_serve(state, process, 0).then_some(0);
        }
        let mut lanes: Vec<u8> =
            (0..self.bounds.lanes).filter(|lane| self.may_serve(state, process, *lane)).collect();
        lanes.sort_by_key(|lane| state.store.lanes[usize::from(*lane)].served);
        let below = |lane: &u8, share: u8| self.in_hand(state, process, *lane) < share;
        let within = |lane: &u8| {
            let failing = state.store.lanes[usize::from(*lane)].failing;
            let bound = if failing { Rule::FailingLaneShare } else { Rule::LaneShare };
            !self.rules.has(bound) || below(lane, self.share(state, *lane))
        };
        let most = |lane: &u8| {
            let failing = state.store.lanes[usize::from(*lane)].failing;
            below(lane, if failing { 1 } else { self.bounds.workers })
        };
        lanes.iter().copied().find(within).or_else(|| lanes.iter().copied().find(most))
    }

    /// Sees, without asking how the lane was chosen, whether it was another's turn.
    fn note_lane_bound(&self, state: &mut State, process: u8, lane: u8) {
        if self.bounds.lanes == 1 {
            return;
        }
        let in_hand = self.in_hand(state, process, lane);
        let other = 1 - lane;
        let waits = self.may_serve(state, process, other)
            && self.in_hand(state, process, other) < self.share(state, other);
        let failing = state.store.lanes[usize::from(lane)].failing;
        let most = if failing { 1 } else { self.bounds.workers };
        let too_much = in_hand >= most || waits && in_hand >= self.share(state, lane);
        state.passed_over[usize::from(lane)] = 0;
        let passed = &mut state.passed_over[usize::from(other)];
        *passed = if waits { *passed + 1 } else { 0 };
        let starved = *passed >= self.bounds.lanes;
        *passed = (*passed).min(self.bounds.lanes);
        state.wrong.note(Invariant::LaneBound, too_much || starved);
    }

    /// Whether an entry is this drain's to claim.
    fn is_admitted(&self, state: &State, process: u8, entry: u8) -> bool {
        let process = &state.processes[usize::from(process)];
        self.bounds.admission == 0
            || !self.rules.has(Rule::DrainHorizon)
            || process.horizon & (1 << entry) != 0
    }

    /// Begins a drain where the last one is over, and says whether the entry is for it.
    fn admit(&self, state: &mut State, process: u8, entry: u8) -> bool {
        if self.bounds.admission == 0 {
            return true;
        }
        let at = usize::from(process);
        let ended = state.processes[at].admitted >= self.bounds.admission && self.rules.has(Rule::DrainEnds);
        let horizon = state.processes[at].horizon;
        let nothing_left =
            !self.entries().any(|one| horizon & (1 << one) != 0 && self.is_due(state.store.entry(one)));
        if ended || nothing_left && self.rules.has(Rule::DrainHorizon) || horizon == 0 {
            let token = state.unused_token();
            let there = |one: &u8| state.store.entry(*one).standing != Standing::Absent;
            let horizon = self.entries().filter(there).fold(0, |bits, one| bits | 1 << one);
            let process = &mut state.processes[at];
            process.token = token;
            process.admitted = 0;
            process.horizon = horizon;
        }
        self.is_admitted(state, process, entry)
    }

    fn note_admission(&self, state: &mut State, process: u8, entry: u8) {
        let lane = state.store.entry(entry).destination;
        let without = self.bounds.without_credential & (1 << process) != 0 && lane == 1;
        let drain = &state.processes[usize::from(process)];
        let too_many = self.bounds.admission > 0 && drain.admitted >= self.bounds.admission;
        let too_new = self.bounds.admission > 0 && drain.horizon & (1 << entry) == 0;
        state.wrong.note(Invariant::AdmissionBound, without || too_many || too_new);
    }
}

impl State {
    /// A token that nobody and nothing has.
    pub(crate) fn unused_token(&self) -> u8 {
        let copies = [self.durable.as_deref(), self.backup.as_deref()].into_iter().flatten();
        let mut used: Vec<u8> = self.processes.iter().map(|process| process.token).collect();
        used.extend(self.processes.iter().flat_map(|process| &process.workers).map(|worker| worker.token));
        for store in std::iter::once(&self.store).chain(copies) {
            used.extend(store.entries.iter().map(|row| row.token));
        }
        (1..=u8::MAX).find(|token| !used.contains(token)).unwrap_or(u8::MAX)
    }
}
