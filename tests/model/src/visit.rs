//! Visits every state of a machine, or goes until it has seen one invariant broken.

use std::collections::BTreeSet;
use std::fmt;

use stateright::{Checker, HasDiscoveries, Model, Path};

use crate::invariant::Invariant;
use crate::machine::Machine;
use crate::state::State;
use crate::step::Action;

/// What a visit has seen.
#[derive(Debug)]
pub struct Visit {
    /// States, each counted once.
    pub states: usize,
    /// Steps to the farthest of them.
    pub depth: usize,
    /// The names of the invariants that were broken, each with the shortest way there.
    pub broken: Vec<(&'static str, Vec<Action>)>,
}

/// Visits every state.
pub fn visit(machine: Machine) -> Visit {
    go(machine, HasDiscoveries::AnyFailures)
}

/// Visits states until one invariant is seen broken.
pub fn look_for(machine: Machine, invariant: Invariant) -> Visit {
    go(machine, HasDiscoveries::AllOf(BTreeSet::from([invariant.name()])))
}

fn go(machine: Machine, until: HasDiscoveries) -> Visit {
    let checker = machine.checker().threads(2).finish_when(until).spawn_bfs().join();
    Visit {
        states: checker.unique_state_count(),
        depth: checker.max_depth(),
        broken: checker.discoveries().into_iter().map(|(name, path)| (name, way(name, path))).collect(),
    }
}

/// The actions up to the one that broke it. Two threads may go some steps beyond.
fn way(name: &str, path: Path<State, Action>) -> Vec<Action> {
    let broken = |state: &State| Invariant::ALL.iter().any(|one| one.name() == name && state.wrong.has(*one));
    path.into_vec()
        .into_iter()
        .take_while(|(state, _)| !broken(state))
        .filter_map(|(_, action)| action)
        .collect()
}

impl Visit {
    /// The way to a broken invariant.
    pub fn way_to(&self, invariant: Invariant) -> Option<&[Action]> {
        let mut broken = self.broken.iter();
        broken.find(|(name, _)| *name == invariant.name()).map(|(_, actions)| actions.as_slice())
    }
}

impl fmt::Display for Visit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} states, {} steps deep", self.states, self.depth)?;
        for (name, actions) in &self.broken {
            write!(to, "\n{name}:")?;
            for (number, action) in (1..).zip(actions) {
                write!(to, "\n  {number}. {action:?}")?;
            }
        }
        Ok(())
    }
}
