//! Looking for what was sent without an answer, and when that sets it free.

use crate::bounds::Fault;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Phase, Place, State, Step};

impl Machine {
    /// Whether the earlier sender of a stage is provably gone, and its bytes have had their time.
    pub(crate) fn is_quiet(&self, state: &State, entry: u8, ordinal: u8) -> bool {
        let quiet = self.bounds.quiet;
        let stage = &state.store.entry(entry).stages[usize::from(ordinal)];
        if state.store.is_outdated(entry) {
            return state.store.restored >= quiet || !self.rules.has(Rule::RestoreWaitsQuiet);
        }
        if stage.old_boot {
            return state.awake >= quiet || !self.rules.has(Rule::QuietAfterBoot);
        }
        match stage.gone {
            Some(_) if !self.rules.has(Rule::QuietFromGone) => stage.sent >= quiet,
            Some(gone) => gone >= quiet,
            None => !self.rules.has(Rule::SenderGoneFirst) && stage.sent >= quiet,
        }
    }

    /// Where a look goes, as bits.
    pub(super) fn where_to_look(&self, state: &State, entry: u8, ordinal: u8) -> u8 {
        let row = state.store.entry(entry);
        let stage = &row.stages[usize::from(ordinal)];
        let sent = matches!(stage.step, Step::Sent | Step::Doubt);
        let mut places = if sent && self.rules.has(Rule::LookAtIntentsDestination) {
            1 << stage.destination
        } else {
            1 << row.destination
        };
        if state.store.is_outdated(entry) && self.rules.has(Rule::RestoredLooksEverywhere) {
            places |= 3;
        }
        places
    }

    /// Where the tracker lists a stage of an entry, among the places looked at: destination + 1.
    pub(super) fn listed(&self, state: &State, entry: u8, ordinal: u8, places: u8) -> u8 {
        let is_there = |destination: &u8| {
            let count = state.listed[usize::from(entry)][usize::from(*destination)][usize::from(ordinal)];
            places & (1 << destination) != 0 && count > 0
        };
        (0_u8..2).find(is_there).map_or(0, |destination| destination + 1)
    }

    pub(super) fn begin_look(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        let stage = state.store.entry(worker.entry).stages[usize::from(worker.ordinal)];
        let outdated = state.store.is_outdated(worker.entry) && stage.step == Step::Open;
        let in_doubt = matches!(stage.step, Step::Sent | Step::Doubt) || outdated;
        if !in_doubt || worker.ordinal == 0 && worker.knew != 0 {
            return false;
        }
        let places = self.where_to_look(state, worker.entry, worker.ordinal);
        let ready = self.is_quiet(state, worker.entry, worker.ordinal);
        // The list is read at once; what is listed while the rest is read is not seen.
        let seen = self.listed(state, worker.entry, worker.ordinal, places);
        state.worker_mut(at).phase = Phase::Looking { ready, seen };
        true
    }

    pub(super) fn end_look(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        let Phase::Looking { ready, seen } = worker.phase else { return false };
        let now = self.is_quiet(state, worker.entry, worker.ordinal);
        let ready = if self.rules.has(Rule::LookBeganAfterQuiet) { ready } else { now };
        if seen != 0 && worker.ordinal == 0 {
            self.write_full(state, None);
            self.sight(state, worker.entry, seen - 1);
        }
        let stage = state.store.entry(worker.entry).stages[usize::from(worker.ordinal)];
        let places = self.where_to_look(state, worker.entry, worker.ordinal);
        let sent = matches!(stage.step, Step::Sent | Step::Doubt);
        let honest = !sent || places & (1 << stage.destination) != 0;
        state.worker_mut(at).phase = match (seen, ready) {
            (0, true) => Phase::Cleared { honest },
            (0, false) => Phase::TooEarly,
            _ => Phase::Found(seen),
        };
        true
    }

    pub(super) fn fail_look(&self, state: &mut State, at: Place) -> bool {
        let Phase::Looking { ready, .. } = state.worker(at).phase else { return false };
        if !state.spend(Fault::LookFails) {
            return false;
        }
        let looked = ready && !self.rules.has(Rule::FailedLookIsNoLook);
        state.worker_mut(at).phase =
            if looked { Phase::Cleared { honest: false } } else { Phase::LookFailed };
        true
    }
}

impl State {
    /// Spends one of the run's faults, if one is left.
    pub(crate) const fn spend(&mut self, fault: Fault) -> bool {
        let left = &mut self.left[fault as usize];
        let may = *left > 0;
        if may {
            *left -= 1;
        }
        may
    }
}
