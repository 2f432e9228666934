//! The tracker: it does what it is asked as late as it likes, and lists it later still.

use super::Action;
use crate::machine::Machine;
use crate::state::{Come, State};

impl Machine {
    pub(super) fn offer_tracker(&self, state: &State, actions: &mut Vec<Action>) {
        for (at, request) in (0_u8..).zip(&state.requests) {
            match request.come {
                Come::Flying => {
                    actions.push(Action::Commit(at));
                    if request.connection.is_none() {
                        actions.push(Action::Vanish(at));
                    }
                }
                Come::Hidden => actions.push(Action::List(at)),
                Come::Listed => {}
            }
        }
    }

    pub(super) fn commit(&self, state: &mut State, at: u8) -> bool {
        if self.bounds.lag || self.bounds.lies {
            state.requests[usize::from(at)].come = Come::Hidden;
            return true;
        }
        self.list(state, at)
    }

    pub(super) fn list(&self, state: &mut State, at: u8) -> bool {
        let request = &mut state.requests[usize::from(at)];
        request.come = Come::Listed;
        let request = *request;
        let count = &mut state.listed[usize::from(request.entry)][usize::from(request.destination)]
            [usize::from(request.ordinal)];
        *count = count.saturating_add(1).min(2);
        if request.connection.is_none() {
            state.requests.remove(usize::from(at));
        }
        true
    }

    pub(super) fn vanish(&self, state: &mut State, at: u8) -> bool {
        state.requests.remove(usize::from(at));
        true
    }
}
