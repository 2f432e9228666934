//! Settle, close and sighting: what a worker writes of what it knows. All are committed with FULL.

use crate::invariant::Invariant;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Answer, Phase, Place, Stage, Standing, State, Step, Wish, Worker};

/// How an attempt ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Given back, or put off; the attempt counts or not.
    Again { counts: bool },
    /// A person must act.
    Attention,
}

impl Machine {
    pub(super) fn settle(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        let row = state.store.entry(worker.entry);
        let all_done = row.ordinal(self.bounds.stages).is_none();
        // What a worker that has read the entry may settle without having sent or looked.
        let knows = worker.phase == Phase::Held && (all_done || worker.ordinal == 0 && worker.knew != 0);
        let stops = matches!(worker.phase, Phase::Cleared { .. }) && self.is_beyond_budget(row.tries);
        if !knows && !stops && matches!(worker.phase, Phase::Held | Phase::Cleared { .. }) {
            return false;
        }
        self.write_full(state, None);
        if matches!(worker.phase, Phase::Answered(_) | Phase::Cancelled) {
            self.close(state, at);
        }
        if !self.is_fenced(state, &worker) {
            let created = worker.phase == Phase::Answered(Answer::Created) && worker.ordinal == 0;
            if created {
                state.worker_mut(at).phase = Phase::Knows;
            } else {
                *state.worker_mut(at) = Worker::default();
            }
            return true;
        }
        self.note_owner(state, at);
        let spent = state.store.entry(worker.entry).tries >= self.bounds.tries;
        let was_sent = matches!(worker.phase, Phase::Answered(_));
        let held = &mut state.store.lanes[usize::from(worker.destination)];
        let (step, end) = match worker.phase {
            Phase::Held if all_done => (Some(Step::Done), None),
            Phase::Held => return self.done(state, at, worker.knew),
            Phase::Found(seen) => return self.done(state, at, seen),
            Phase::Answered(Answer::Created) => {
                held.failing = false;
                return self.done(state, at, worker.destination + 1);
            }
            Phase::Answered(Answer::Refused) => {
                held.failing = false;
                (Some(Step::Open), Some(End::Attention))
            }
            Phase::Answered(Answer::SignIn) => {
                let current = held.credential == worker.credential;
                held.signed_out |= current || !self.rules.has(Rule::LateRefusalAsksRevision);
                let stale = held.signed_out && !current;
                state.wrong.note(Invariant::FreshSignInIsNotHeld, stale);
                (Some(Step::Open), Some(End::Again { counts: false }))
            }
            Phase::Answered(Answer::NotSent) => {
                held.failing = self.bounds.lanes > 1;
                (Some(Step::Open), Some(End::Again { counts: false }))
            }
            Phase::Answered(Answer::Doubt) => {
                held.failing = self.bounds.lanes > 1;
                (Some(Step::Doubt), Some(if spent { End::Attention } else { End::Again { counts: true } }))
            }
            Phase::Cancelled => (Some(Step::Doubt), Some(End::Again { counts: true })),
            Phase::LookFailed if !spent => (None, Some(End::Again { counts: true })),
            Phase::LookFailed | Phase::Cleared { .. } => (None, Some(End::Attention)),
            Phase::Aside { cleared: true } if self.rules.has(Rule::ClearedLookEndsDoubt) => {
                let generation = state.store.generation;
                state.store.entry_mut(worker.entry).generation = generation;
                (Some(Step::Open), Some(End::Again { counts: false }))
            }
            _ => (None, Some(End::Again { counts: false })),
        };
        if let Some(step) = step {
            self.mark(state, &worker, step);
        }
        match end {
            Some(end) => self.finish(state, worker.entry, end, was_sent && step == Some(Step::Open)),
            None => self.file(state, worker.entry),
        }
        *state.worker_mut(at) = Worker::default();
        true
    }

    /// A stage has happened: the entry goes on, or is filed.
    fn done(&self, state: &mut State, at: Place, receipt: u8) -> bool {
        let worker = *state.worker(at);
        let generation = state.store.generation;
        self.mark(state, &worker, Step::Done);
        let row = state.store.entry_mut(worker.entry);
        row.generation = generation;
        if worker.ordinal == 0 {
            let receipt =
                if self.rules.has(Rule::ReceiptFromSighting) { receipt } else { row.destination + 1 };
            row.receipt = if row.receipt == 0 { receipt } else { row.receipt };
            state.learnt &= !(1 << worker.entry);
        }
        let row = *state.store.entry(worker.entry);
        if row.ordinal(self.bounds.stages).is_some() {
            self.read(state, at, &row);
        } else {
            self.file(state, worker.entry);
            *state.worker_mut(at) = Worker::default();
        }
        true
    }

    fn mark(&self, state: &mut State, worker: &Worker, step: Step) {
        let stage = &mut state.store.entry_mut(worker.entry).stages[usize::from(worker.ordinal)];
        match step {
            _ if stage.step == Step::Done => {}
            Step::Open | Step::Done => *stage = Stage { step, ..Stage::default() },
            Step::Doubt if stage.step == Step::Sent => stage.step = Step::Doubt,
            Step::Doubt | Step::Sent => {}
        }
    }

    /// The entry is filed; a wish has come too late.
    pub(super) fn file(&self, state: &mut State, entry: u8) {
        let row = state.store.entry_mut(entry);
        row.end_attempt();
        row.standing = Standing::Filed;
        row.wish = Wish::None;
        row.tries = 0;
        row.fair_tries = 0;
        row.sends = 0;
        row.crashes = 0;
    }

    fn finish(&self, state: &mut State, entry: u8, end: End, surely_not: bool) {
        let row = state.store.entry_mut(entry);
        row.end_attempt();
        match end {
            End::Again { counts } => {
                row.tries = row.tries.saturating_sub(u8::from(!counts));
                row.fair_tries = row.fair_tries.saturating_sub(u8::from(!counts));
                row.sends = row.sends.saturating_sub(u8::from(!counts && surely_not));
            }
            End::Attention if row.is_sighted() && self.rules.has(Rule::SightingBarsAttention) => {}
            End::Attention => row.standing = Standing::Attention,
        }
        self.honour(state, entry);
    }

    /// Whether the store takes a worker's write: it has the pair that the row has.
    fn is_fenced(&self, state: &State, worker: &Worker) -> bool {
        let row = state.store.entry(worker.entry);
        (row.token == worker.token || !self.rules.has(Rule::SettleAsksToken))
            && (row.fence == worker.fence || !self.rules.has(Rule::SettleAsksFence))
    }

    fn note_owner(&self, state: &mut State, at: Place) {
        let worker = state.worker(at);
        let spent = matches!(worker.phase, Phase::Answered(Answer::Refused));
        let row = state.store.entry(worker.entry);
        let stranger = row.holder != Some(at);
        let settled = row.standing == Standing::Filed;
        state.wrong.note(Invariant::OnlyOwnerSettles, stranger);
        state.wrong.note(Invariant::SettleOnce, settled);
        state.wrong.note(Invariant::AttentionOnlyFromOwner, stranger && spent);
    }

    /// The sender says that it is gone. True whoever has the entry.
    pub(super) fn close(&self, state: &mut State, at: Place) {
        let worker = *state.worker(at);
        if self.rules.has(Rule::CloseNeedsNoFence) || self.is_fenced(state, &worker) {
            for stage in &mut state.store.entry_mut(worker.entry).stages {
                let open = matches!(stage.step, Step::Sent | Step::Doubt) && stage.attempt == worker.fence;
                if open && stage.gone.is_none() {
                    stage.gone = Some(0);
                }
            }
        }
    }

    /// The lease being lost, the worker says that the issue exists.
    pub(super) fn tell(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        self.write_full(state, None);
        if self.rules.has(Rule::SightingNeedsNoFence) || self.is_fenced(state, &worker) {
            self.sight(state, worker.entry, worker.destination);
        }
        let told = state.store.entry(worker.entry).stages[0].step == Step::Done;
        state.learnt |= u8::from(!told) << worker.entry;
        *state.worker_mut(at) = Worker::default();
        true
    }

    /// Somebody has seen it: an entry that waits for a person, or was taken back, becomes due.
    pub(super) fn sight(&self, state: &mut State, entry: u8, destination: u8) {
        let row = state.store.entry_mut(entry);
        row.sightings |= 1 << destination;
        let left = matches!(row.standing, Standing::Attention | Standing::Withdrawn);
        if left && row.token == 0 && self.rules.has(Rule::SightingMakesDue) {
            row.standing = Standing::Waiting;
        }
    }
}
