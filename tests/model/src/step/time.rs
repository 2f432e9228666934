//! Time. It passes in ticks, awake or asleep; the leases count both, quiet time counts the first.

use crate::bounds::Fault;
use crate::invariant::Invariant;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Come, Phase, State, Step};

impl Machine {
    /// A tick while the machine is awake. A running worker whose trust is over ends what it does first: the timer for that
    /// has a third of the lease to fire.
    pub(super) fn tick(&self, state: &mut State) -> bool {
        let is_urgent = |at: (u8, u8)| {
            let worker = state.worker(at);
            let in_flight = matches!(worker.phase, Phase::Sending | Phase::Looking { .. });
            let waits = in_flight || matches!(worker.phase, Phase::Idle | Phase::Asking(_));
            let over = in_flight && worker.trust == 0 && self.rules.has(Rule::CancelAtTrustEnd);
            state.is_running(at.0) && (over || self.bounds.prompt && !waits)
        };
        if self.places().any(is_urgent) {
            return false;
        }
        let sends_on = |at: &(u8, u8)| {
            let worker = state.worker(*at);
            let row = state.store.entry(worker.entry);
            worker.phase == Phase::Sending
                && state.is_running(at.0)
                && row.holder == Some(*at)
                && row.lease == 1
        };
        let outlived = self.places().any(|at| sends_on(&at));
        state.wrong.note(Invariant::StopBeforeExpiry, outlived);
        let before = state.clone();
        self.pass(state, true);
        // A tick that changes nothing is none.
        *state != before
    }

    pub(super) fn sleep(&self, state: &mut State) -> bool {
        if !state.spend(Fault::Sleep) {
            return false;
        }
        self.pass(state, false);
        true
    }

    fn pass(&self, state: &mut State, awake: bool) {
        let quiet = self.bounds.quiet;
        let later = |time: u8| time.saturating_add(1).min(quiet);
        let counts_quiet = awake || !self.rules.has(Rule::QuietAwake);
        let counts_sent = !(self.rules.has(Rule::QuietFromGone) && self.rules.has(Rule::SenderGoneFirst));
        for row in &mut state.store.entries {
            row.lease = row.lease.saturating_sub(1);
            for stage in &mut row.stages {
                if counts_quiet {
                    stage.gone = stage.gone.map(later);
                }
                if counts_sent && matches!(stage.step, Step::Sent | Step::Doubt) {
                    stage.sent = later(stage.sent);
                }
            }
        }
        if counts_quiet {
            state.awake = later(state.awake);
            state.store.restored = later(state.store.restored);
        }
        for worker in state.processes.iter_mut().flat_map(|process| &mut process.workers) {
            worker.trust = worker.trust.saturating_sub(1);
            if let Phase::Asking(ago) = &mut worker.phase {
                *ago = (*ago + 1).min(self.bounds.lease);
            }
        }
        if awake {
            self.requests_age(state);
        }
    }

    /// What a connection that is gone has carried comes to something within the quiet time, or to nothing.
    fn requests_age(&self, state: &mut State) {
        for request in &mut state.requests {
            if request.connection.is_none() {
                request.left = request.left.saturating_sub(1);
            }
        }
        let over = |state: &State| {
            let is_over = |one: &crate::state::Request| one.connection.is_none() && one.left == 0;
            let stays = |one: &crate::state::Request| one.come == Come::Hidden && self.bounds.lies;
            state.requests.iter().position(|one| is_over(one) && !stays(one))
        };
        while let Some(at) = over(state) {
            let request = state.requests.remove(at);
            if request.come == Come::Hidden {
                let count = &mut state.listed[usize::from(request.entry)][usize::from(request.destination)]
                    [usize::from(request.ordinal)];
                *count = count.saturating_add(1).min(2);
            }
        }
    }
}
