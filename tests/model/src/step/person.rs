//! A person's acts. A person is honest: says "It's there" only of what the tracker lists, and "Send again" only after
//! having looked, at the moment of saying so, and seen nothing. But a person may look before late bytes arrive.

use super::Action;
use crate::bounds::Fault;
use crate::machine::Machine;
use crate::rules::Rule;
use crate::state::{Stage, Standing, State, Step, Wish};

/// What a person asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ask {
    /// Change what it says.
    Edit,
    /// Take it back.
    Withdraw,
    /// Send it to the other destination.
    Move,
    /// Send it to the other destination in the middle of a doubt, which goes along: what the protocol does not offer.
    MoveInDoubt,
    /// Try now.
    Retry,
    /// Put a withdrawn one back.
    Restore,
    /// Say that it is there.
    ItsThere,
    /// Say that it is not there, and send it again.
    SendAgain,
}

impl Machine {
    pub(super) fn offer_person(&self, state: &State, actions: &mut Vec<Action>) {
        for entry in self.entries() {
            if state.store.entry(entry).standing == Standing::Absent {
                actions.push(Action::Save(entry));
            } else if state.left[Fault::Act as usize] > 0 {
                actions.extend(self.bounds.asks.iter().map(|ask| Action::Act(entry, *ask)));
            }
        }
        actions.extend((0..self.bounds.lanes).map(Action::SignIn));
    }

    pub(super) fn save(&self, state: &mut State, entry: u8) -> bool {
        let is_next = state.saved + 1 == 1 << entry;
        if !is_next {
            return false;
        }
        self.write_full(state, Some(Rule::EnqueueDurable));
        let generation = state.store.generation;
        let row = state.store.entry_mut(entry);
        row.standing = Standing::Waiting;
        row.generation = generation;
        state.saved |= 1 << entry;
        true
    }

    /// Someone signs in: the lane has another credential, and is no longer held for the old one.
    pub(super) fn sign_in(&self, state: &mut State, lane: u8) -> bool {
        if !state.spend(Fault::SignIn) {
            return false;
        }
        self.write_full(state, None);
        let lane = &mut state.store.lanes[usize::from(lane)];
        lane.credential += 1;
        lane.signed_out = false;
        true
    }

    pub(super) fn act(&self, state: &mut State, entry: u8, ask: Ask) -> bool {
        let row = *state.store.entry(entry);
        let in_doubt = state.store.in_doubt(entry, self.bounds.stages);
        let to_decide = matches!(row.standing, Standing::Waiting | Standing::Attention);
        let may = match ask {
            Ask::Restore => row.standing == Standing::Withdrawn,
            Ask::Retry => to_decide,
            Ask::ItsThere => to_decide && in_doubt && !row.is_leased() && self.sees_it(state, entry),
            Ask::SendAgain => {
                let offered = self.is_offered(state, entry) || !self.rules.has(Rule::SendAgainAfterQuiet);
                to_decide && in_doubt && !row.is_leased() && offered && !self.sees_any(state, entry)
            }
            Ask::MoveInDoubt => to_decide && !row.is_leased() && !row.exists(),
            Ask::Edit | Ask::Withdraw | Ask::Move => {
                to_decide && !(row.exists() && self.rules.has(Rule::ExistenceRefusesActs))
            }
        };
        if !may || !state.spend(Fault::Act) {
            return false;
        }
        self.write_full(state, Some(Rule::ActsDurable));
        let leased = row.is_leased() && self.rules.has(Rule::ActsWaitForLease);
        let doubtful = in_doubt && self.rules.has(Rule::ActsWaitForDoubt);
        let wish = match ask {
            Ask::Edit => Wish::Edit,
            Ask::Withdraw => Wish::Withdraw,
            Ask::Move => Wish::Move,
            Ask::Retry => Wish::Retry,
            Ask::Restore | Ask::MoveInDoubt | Ask::ItsThere | Ask::SendAgain => Wish::None,
        };
        match ask {
            Ask::Retry if leased => state.store.entry_mut(entry).wish = wish,
            Ask::Retry | Ask::Restore => self.retry(state, entry),
            Ask::Edit | Ask::Withdraw | Ask::Move if leased || doubtful => {
                state.store.entry_mut(entry).wish = wish;
            }
            Ask::Edit | Ask::Withdraw | Ask::Move => self.fulfil(state, entry, wish),
            Ask::MoveInDoubt => {
                self.displace(state, entry);
                let row = state.store.entry_mut(entry);
                row.destination = 1 - row.destination;
            }
            Ask::ItsThere => self.resolve(state, entry),
            Ask::SendAgain => self.send_again(state, entry),
        }
        let withdrawn = state.store.entry(entry).standing == Standing::Withdrawn;
        state.told_withdrawn = state.told_withdrawn & !(1 << entry) | u8::from(withdrawn) << entry;
        true
    }

    /// Takes the entry from whoever still works on it.
    fn displace(&self, state: &mut State, entry: u8) {
        if self.rules.has(Rule::ActsEndAttempt) {
            let row = state.store.entry_mut(entry);
            row.attempt_open = false;
            row.attempt_sent = false;
        }
        if self.rules.has(Rule::ActsBumpFence) {
            let fence = state.store.next_fence();
            let row = state.store.entry_mut(entry);
            row.fence = fence;
            row.free();
        } else {
            state.store.entry_mut(entry).holder = None;
        }
    }

    fn fulfil(&self, state: &mut State, entry: u8, wish: Wish) {
        if wish == Wish::Retry {
            return self.retry(state, entry);
        }
        self.displace(state, entry);
        let row = state.store.entry_mut(entry);
        row.wish = Wish::None;
        match wish {
            Wish::Edit => row.revision += 1,
            Wish::Withdraw => row.standing = Standing::Withdrawn,
            Wish::Move => {
                row.destination = 1 - row.destination;
                row.standing = Standing::Waiting;
                row.stages = Default::default();
                self.refresh(state, entry);
            }
            Wish::None | Wish::Retry => {}
        }
    }

    /// Due now, with a fresh budget.
    fn retry(&self, state: &mut State, entry: u8) {
        self.displace(state, entry);
        let row = state.store.entry_mut(entry);
        row.standing = Standing::Waiting;
        row.wish = Wish::None;
        let lane = &mut state.store.lanes[usize::from(row.destination)];
        lane.signed_out = false;
        self.refresh(state, entry);
    }

    fn refresh(&self, state: &mut State, entry: u8) {
        let row = state.store.entry_mut(entry);
        row.tries = 0;
        row.fair_tries = 0;
        row.sends = 0;
        row.attempt_sent = false;
        row.crashes = 0;
    }

    /// Honours a wish at the end of an attempt, unless something is in doubt or the issue exists.
    pub(super) fn honour(&self, state: &mut State, entry: u8) {
        let row = *state.store.entry(entry);
        let in_doubt = state.store.in_doubt(entry, self.bounds.stages);
        match row.wish {
            Wish::None => {}
            Wish::Retry => self.retry(state, entry),
            _ if in_doubt && self.rules.has(Rule::WishWaitsForDoubt) => {}
            _ if row.exists() && self.rules.has(Rule::ExistenceRefusesActs) => {
                state.store.entry_mut(entry).wish = Wish::None;
            }
            wish => self.fulfil(state, entry, wish),
        }
    }

    // ---- Doubt resolved by a person ----

    fn doubts(&self, state: &State, entry: u8) -> impl Iterator<Item = u8> + use<> {
        let row = *state.store.entry(entry);
        let outdated = state.store.is_outdated(entry);
        (0..self.bounds.stages).filter(move |ordinal| match row.stages[usize::from(*ordinal)].step {
            Step::Sent | Step::Doubt => true,
            Step::Open => outdated,
            Step::Done => false,
        })
    }

    fn found_by_person(&self, state: &State, entry: u8, ordinal: u8) -> u8 {
        self.listed(state, entry, ordinal, self.where_to_look(state, entry, ordinal))
    }

    /// Whether the tracker shows a person everything that is in doubt.
    fn sees_it(&self, state: &State, entry: u8) -> bool {
        self.doubts(state, entry).all(|ordinal| self.found_by_person(state, entry, ordinal) != 0)
    }

    fn sees_any(&self, state: &State, entry: u8) -> bool {
        self.doubts(state, entry).any(|ordinal| self.found_by_person(state, entry, ordinal) != 0)
    }

    fn is_offered(&self, state: &State, entry: u8) -> bool {
        self.doubts(state, entry).all(|ordinal| self.is_quiet(state, entry, ordinal))
    }

    fn resolve(&self, state: &mut State, entry: u8) {
        let doubts: Vec<u8> = self.doubts(state, entry).collect();
        let found: Vec<u8> =
            doubts.iter().map(|ordinal| self.found_by_person(state, entry, *ordinal)).collect();
        self.displace(state, entry);
        let generation = state.store.generation;
        for (ordinal, seen) in doubts.into_iter().zip(found) {
            let row = state.store.entry_mut(entry);
            row.generation = generation;
            row.stages[usize::from(ordinal)] = Stage { step: Step::Done, ..Stage::default() };
            if ordinal == 0 {
                row.sightings |= 1 << (seen - 1);
                row.receipt = if row.receipt == 0 { seen } else { row.receipt };
                state.learnt &= !(1 << entry);
            }
        }
        if state.store.entry(entry).ordinal(self.bounds.stages).is_none() {
            self.file(state, entry);
        } else {
            self.retry(state, entry);
        }
    }

    fn send_again(&self, state: &mut State, entry: u8) {
        let generation = state.store.generation;
        for ordinal in self.doubts(state, entry) {
            state.store.entry_mut(entry).stages[usize::from(ordinal)] = Stage::default();
        }
        state.store.entry_mut(entry).generation = generation;
        self.retry(state, entry);
    }
}
