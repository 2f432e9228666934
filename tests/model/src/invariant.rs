//! What must never be, by the names of the protocol, and how each is seen.
//!
//! Most are seen at the step that breaks them (a settle that is taken from somebody who is not the owner), some in the
//! state itself (two issues with one key). Either way a bit is set that stays, and a bit that is set is a
//! counterexample.

use crate::machine::Machine;
use crate::state::{Phase, Place, Standing, State};

macro_rules! invariants {
    ($($(#[$words:meta])* $name:ident,)*) => {
        /// One invariant of the protocol.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Invariant { $($(#[$words])* $name,)* }

        impl Invariant {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }

        /// Every invariant as a property that the checker knows.
        pub(crate) fn properties() -> Vec<stateright::Property<Machine>> {
            vec![$(stateright::Property::<Machine>::always(
                stringify!($name), |_, state| !state.wrong.has(Invariant::$name)),)*]
        }
    };
}

invariants! {
    /// At most one worker believes in a lease on an entry.
    OneOwner,
    /// No two claims have the same token and fence.
    TokenAndFenceUnique,
    /// What is settled is settled by whose claim is the last one.
    OnlyOwnerSettles,
    /// A filed entry stays filed, with one receipt.
    SettleOnce,
    /// What is sent again is what was sent first, while that may exist.
    BodyFrozenAtIntent,
    /// An intent is committed under a live lease of its worker's own.
    NoStageWithoutLease,
    /// No worker goes on after its lease.
    StopBeforeExpiry,
    /// What is in doubt is sent again only after a look, where it was sent, that worked.
    DoubtIsLookedUp,
    /// Nothing is sent again while something of the earlier sender may still arrive.
    NoResendWhileSenderMayLive,
    /// The tracker has at most one issue of a key, and one of each upload.
    OneIssuePerKey,
    /// No more creates are sent than there are tries.
    AttemptsBounded,
    /// No lane has more than its share of the workers, and none is passed over.
    LaneBound,
    /// A drain claims so much and no more, what was there first, and only where it has the credential.
    AdmissionBound,
    /// What was saved is there, and what a person was told stands.
    NothingLost,
    /// Only an owner, or a budget that is used up, sends an entry to a person.
    AttentionOnlyFromOwner,
    /// An entry whose issue a process has told of is not left to a person. Not among the protocol's names.
    SightingIsTold,
    /// Nobody sends what somebody has seen. Not among the protocol's names.
    SeenIsNotSent,
    /// A filed entry's receipt names a place where its issue is. Not among the protocol's names.
    ReceiptIsTrue,
    /// A lane that has just been signed in is not held for its old credential. Not among the protocol's names.
    FreshSignInIsNotHeld,
}

/// Some invariants: those that have been broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Invariants(u32);

impl Invariants {
    /// Adds one, if it `is` broken.
    pub const fn note(&mut self, invariant: Invariant, is: bool) {
        if is {
            self.0 |= 1 << invariant as u32;
        }
    }

    /// Whether one is among them.
    pub const fn has(self, invariant: Invariant) -> bool {
        self.0 & (1 << invariant as u32) != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Machine {
    /// Looks at a state as it stands.
    pub(crate) fn judge(&self, state: &mut State) {
        let places: Vec<Place> = self.places().filter(|at| state.worker(*at).phase != Phase::Idle).collect();
        let mut wrong = state.wrong;
        for at in &places {
            let worker = state.worker(*at);
            if matches!(worker.phase, Phase::Asking(_)) {
                continue;
            }
            let row = state.store.entry(worker.entry);
            let expired = row.holder == Some(*at) && row.lease == 0;
            wrong.note(Invariant::StopBeforeExpiry, worker.trust > 0 && expired);
            for other in places.iter().filter(|other| *other > at) {
                let other = state.worker(*other);
                let both = worker.trust > 0 && other.trust > 0 && worker.entry == other.entry;
                wrong.note(Invariant::OneOwner, both && !matches!(other.phase, Phase::Asking(_)));
                let twin = (worker.token, worker.fence) == (other.token, other.fence);
                wrong.note(Invariant::TokenAndFenceUnique, twin && !matches!(other.phase, Phase::Asking(_)));
            }
        }
        for entry in 0..self.bounds.entries + self.bounds.later {
            let row = state.store.entry(entry);
            let bit = |bits: u8| bits & (1 << entry) != 0;
            for ordinal in 0..self.bounds.stages {
                wrong.note(Invariant::OneIssuePerKey, state.issues(entry, ordinal) > 1);
            }
            wrong.note(Invariant::NothingLost, bit(state.saved) && row.standing == Standing::Absent);
            let left = matches!(row.standing, Standing::Attention | Standing::Withdrawn);
            wrong.note(Invariant::SightingIsTold, bit(state.learnt) && left);
            let is_there = |receipt: u8| state.issues_at(entry, 0, receipt - 1) > 0;
            let untrue = row.standing == Standing::Filed && (row.receipt == 0 || !is_there(row.receipt));
            wrong.note(Invariant::ReceiptIsTrue, untrue);
        }
        state.wrong = wrong;
    }
}
