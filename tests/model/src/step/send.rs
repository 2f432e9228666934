//! Intent, send, answer, cancel: a stage on its way out.

use crate::bounds::Fault;
use crate::invariant::Invariant;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Answer, Come, Phase, Place, Request, Stage, State, Step, Wish, Worker};

impl Machine {
    pub(super) fn intend(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        let ordinal = usize::from(worker.ordinal);
        let row = *state.store.entry(worker.entry);
        let stage = row.stages[ordinal];
        let outdated = state.store.is_outdated(worker.entry);
        let in_doubt = matches!(stage.step, Step::Sent | Step::Doubt) || outdated && stage.step == Step::Open;
        let cleared = matches!(worker.phase, Phase::Cleared { .. });
        if !cleared && (worker.ordinal == 0 && worker.knew != 0 || row.ordinal(self.bounds.stages).is_none())
        {
            return false;
        }
        if in_doubt && !cleared && self.rules.has(Rule::DoubtLooks) {
            return false;
        }
        if cleared && self.is_beyond_budget(row.tries) {
            return false;
        }
        let rules = self.rules;
        let owns =
            (row.token, row.fence) == (worker.token, worker.fence) || !rules.has(Rule::IntentAsksOwner);
        let lives = row.lease > 0 || !rules.has(Rule::IntentAsksExpiry);
        if !owns || !lives {
            *state.worker_mut(at) = Worker::default();
            return true;
        }
        let wished = !matches!(row.wish, Wish::None | Wish::Retry);
        let seen = worker.ordinal == 0 && row.sightings != 0;
        let changed = row.revision != worker.revision;
        if wished && rules.has(Rule::IntentAsksWish)
            || seen && rules.has(Rule::IntentAsksSighting)
            || changed && rules.has(Rule::IntentAsksRevision)
        {
            state.worker_mut(at).phase = Phase::Aside { cleared };
            return true;
        }
        let honest = matches!(worker.phase, Phase::Cleared { honest: true });
        let told = state.told_withdrawn & (1 << worker.entry) != 0;
        let alive = self.may_still_arrive(state, at);
        let sent_other = matches!(stage.step, Step::Sent | Step::Doubt) && stage.body != worker.revision;
        let wrong = &mut state.wrong;
        wrong.note(Invariant::NoStageWithoutLease, row.holder != Some(at) || row.lease == 0);
        wrong.note(Invariant::DoubtIsLookedUp, in_doubt && !honest);
        wrong.note(Invariant::NoResendWhileSenderMayLive, alive);
        wrong.note(Invariant::SeenIsNotSent, seen);
        wrong.note(Invariant::NothingLost, told || wished);
        wrong.note(Invariant::BodyFrozenAtIntent, sent_other || changed);

        self.write_full(state, Some(Rule::IntentDurable));
        let sender = state.processes[usize::from(at.0)].id;
        let generation = state.store.generation;
        let row = state.store.entry_mut(worker.entry);
        row.generation = generation;
        row.sends += u8::from(worker.ordinal == 0);
        row.attempt_sent |= worker.ordinal == 0;
        row.stages[ordinal] = Stage {
            step: Step::Sent,
            attempt: worker.fence,
            sender,
            destination: worker.destination,
            body: worker.revision,
            ..Stage::default()
        };
        let sends = row.sends;
        state.wrong.note(Invariant::AttemptsBounded, sends > self.bounds.tries);
        state.worker_mut(at).phase = Phase::Intended;
        true
    }

    /// Whether one more try is more than the budget allows.
    pub(super) fn is_beyond_budget(&self, tries: u8) -> bool {
        tries > self.bounds.tries && self.rules.has(Rule::ResendAsksBudget)
    }

    /// Whether anything that somebody else sends, or has sent, of the same stage may still arrive.
    fn may_still_arrive(&self, state: &State, at: Place) -> bool {
        let worker = state.worker(at);
        let (entry, ordinal) = (worker.entry, worker.ordinal);
        let on_its_way = |one: &Request| (one.entry, one.ordinal) == (entry, ordinal);
        let about_to = |place: Place| {
            let other = state.worker(place);
            place != at
                && (other.entry, other.ordinal) == (entry, ordinal)
                && matches!(other.phase, Phase::Intended | Phase::Sending | Phase::ClosedEarly)
        };
        let lied_about =
            |one: &Request| self.bounds.lies && one.come == Come::Hidden && one.connection.is_none();
        state.requests.iter().any(|one| on_its_way(one) && !lied_about(one)) || self.places().any(about_to)
    }

    pub(super) fn send(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        if worker.phase == Phase::Held
            && (self.rules.has(Rule::IntentBeforeSend)
                || state.store.in_doubt(worker.entry, self.bounds.stages)
                || worker.knew != 0
                || state.store.entry(worker.entry).ordinal(self.bounds.stages).is_none())
        {
            return false;
        }
        state.requests.push(Request {
            entry: worker.entry,
            ordinal: worker.ordinal,
            destination: worker.destination,
            connection: Some(at),
            left: 0,
            come: Come::Flying,
        });
        state.worker_mut(at).phase = Phase::Sending;
        true
    }

    pub(super) fn answer(&self, state: &mut State, at: Place, answer: Answer) -> bool {
        let come = state.requests.iter().find(|one| one.connection == Some(at)).map(|one| one.come);
        let happened = matches!(come, Some(Come::Hidden | Come::Listed));
        let may_be = match answer {
            Answer::Created => happened,
            Answer::Refused => !happened && state.spend(Fault::Refused),
            Answer::SignIn => !happened && state.spend(Fault::SignInRefused),
            Answer::NotSent => state.spend(Fault::NotSent),
            Answer::Doubt => state.spend(Fault::AnswerLost),
        };
        if !may_be {
            return false;
        }
        if matches!(answer, Answer::Refused | Answer::SignIn) {
            state.requests.retain(|one| one.connection != Some(at));
        }
        self.detach(state, at);
        state.worker_mut(at).phase = Phase::Answered(answer);
        true
    }

    /// A connection is gone; what it carried may come to something for the quiet time.
    pub(crate) fn detach(&self, state: &mut State, at: Place) {
        for request in &mut state.requests {
            if request.connection == Some(at) {
                request.connection = None;
                request.left = self.bounds.quiet;
            }
        }
        state.requests.retain(|one| one.come != Come::Listed || one.connection.is_some());
    }

    /// The worker ends what it has in flight: its trust has run out, or its process has been told to stop.
    pub(super) fn cancel(&self, state: &mut State, at: Place) -> bool {
        let worker = *state.worker(at);
        if worker.trust > 0 && worker.phase != Phase::ClosedEarly {
            return false;
        }
        match worker.phase {
            Phase::Looking { .. } => state.worker_mut(at).phase = Phase::Aside { cleared: false },
            Phase::Sending if !self.rules.has(Rule::CloseAfterCancel) => {
                self.write_full(state, None);
                self.close(state, at);
                state.worker_mut(at).phase = Phase::ClosedEarly;
            }
            _ => {
                self.detach(state, at);
                state.worker_mut(at).phase = Phase::Cancelled;
            }
        }
        true
    }
}
