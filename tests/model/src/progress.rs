//! Whether it gets there: from every state that can be reached, work alone (no fault, and nobody's doing) can lead to
//! where every entry is filed, withdrawn or a person's. The checker has no word for "from every state some way leads to",
//! so the states are visited here, and then the ways are walked backwards.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use stateright::Model;

use crate::machine::Machine;
use crate::state::{Standing, State};
use crate::step::Action;

/// What a walk has seen.
#[derive(Debug)]
pub struct Progress {
    /// States, each counted once.
    pub states: usize,
    /// The way to a state from which work leads nowhere, where there is one.
    pub stuck: Option<Vec<Action>>,
}

/// Visits every state of a machine, and looks for one from which no steps that `count` lead to the end.
pub fn walk(machine: &Machine, count: impl Fn(Action) -> bool) -> Progress {
    let mut ways = Ways::default();
    let mut frontier = Vec::new();
    for state in machine.init_states() {
        ways.meet(&state, None);
        frontier.push((0, state));
    }
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for (from, state) in frontier {
            ways.is_end[from] = is_settled(machine, &state);
            for (action, then) in machine.next_steps(&state) {
                let (to, is_new) = ways.meet(&then, Some((from, action)));
                if count(action) {
                    ways.before[to].push(from);
                }
                if is_new {
                    next.push((to, then));
                }
            }
        }
        frontier = next;
    }
    Progress { states: ways.came_from.len(), stuck: ways.stuck().map(|at| ways.way_to(at)) }
}

/// Whether every entry is filed, withdrawn or a person's; a lane that waits for a sign-in is a person's as a whole.
fn is_settled(machine: &Machine, state: &State) -> bool {
    machine.entries().all(|entry| {
        let row = state.store.entry(entry);
        row.standing != Standing::Waiting || state.store.lanes[usize::from(row.destination)].signed_out
    })
}

/// The states by number, and how they hang together.
#[derive(Default)]
struct Ways {
    number: HashMap<u64, usize>,
    came_from: Vec<Option<(usize, Action)>>,
    before: Vec<Vec<usize>>,
    is_end: Vec<bool>,
}

impl Ways {
    fn meet(&mut self, state: &State, from: Option<(usize, Action)>) -> (usize, bool) {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        let new = self.came_from.len();
        let number = *self.number.entry(hasher.finish()).or_insert(new);
        if number == new {
            self.came_from.push(from);
            self.before.push(Vec::new());
            self.is_end.push(false);
        }
        (number, number == new)
    }

    fn stuck(&self) -> Option<usize> {
        let mut reaches = self.is_end.clone();
        let mut left: Vec<usize> = (0..reaches.len()).filter(|at| reaches[*at]).collect();
        while let Some(at) = left.pop() {
            for before in &self.before[at] {
                if !std::mem::replace(&mut reaches[*before], true) {
                    left.push(*before);
                }
            }
        }
        reaches.iter().position(|reaches| !reaches)
    }

    fn way_to(&self, at: usize) -> Vec<Action> {
        let mut way = Vec::new();
        let mut at = at;
        while let Some((from, action)) = self.came_from[at] {
            way.push(action);
            at = from;
        }
        way.reverse();
        way
    }
}
