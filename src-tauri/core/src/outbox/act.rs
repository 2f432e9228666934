//! What a person's act on an entry may do now. A pure decision.
//!
//! With no live lease and nothing in doubt it is done at once, under a new fence. Otherwise it is recorded as a wish and
//! honoured at the next settle, once the doubt is resolved. Once the issue exists, it cannot be taken back from here.

use crate::problem::{Code, Problem};
use crate::view::EntryState;

/// What a person asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Try now.
    Retry,
    /// Take it back.
    Withdraw,
    /// Send it to another destination.
    Move,
    /// Put a withdrawn one back.
    Restore,
    /// Say that it is there.
    ItsThere,
    /// Say that it is not there, and send again.
    SendAgain,
}

/// How the entry stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its state.
    pub state: EntryState,
    /// Whether a worker holds a live lease on it.
    pub leased: bool,
    /// Whether a stage was sent without a usable answer.
    pub in_doubt: bool,
    /// The number of the issue, once it is known to exist.
    pub exists: Option<String>,
}

/// What the act may do.
#[derive(Debug)]
pub enum Ruling {
    /// Do it now.
    Do,
    /// Record it, to be honoured at the next safe moment.
    Wish,
    /// Not possible, in words.
    Refuse(Problem),
}

/// Decides.
pub fn rule(ask: Ask, standing: &Standing) -> Ruling {
    use EntryState::{Attention, Filed, Waiting, Withdrawn};
    let refuse = |message: &str, hint: &str| Ruling::Refuse(Problem::new(Code::Refused, message).hint(hint));
    let settled = |_: ()| {
        let number = standing.exists.as_deref().unwrap_or_default();
        Ruling::Refuse(
            Problem::new(Code::Refused, format!("It has already been filed as #{number}."))
                .hint("Open it at the tracker to change or close it."),
        )
    };
    match (ask, standing.state) {
        (Ask::Restore, Withdrawn) => Ruling::Do,
        (Ask::Restore, _) => refuse("It has not been taken back.", "Only a withdrawn issue can be put back."),
        (_, Filed) => settled(()),
        (_, Withdrawn) => refuse("It has been taken back.", "Put it back first."),
        (Ask::ItsThere | Ask::SendAgain, Waiting | Attention) => match (standing.in_doubt, standing.leased) {
            (false, _) => refuse("There is no doubt about it.", "Nothing was sent without an answer."),
            (true, true) => refuse("It is being looked for right now.", "Try again in a moment."),
            (true, false) => Ruling::Do,
        },
        (Ask::Retry, Waiting | Attention) if standing.leased => Ruling::Wish,
        (Ask::Retry, Waiting | Attention) => Ruling::Do,
        (Ask::Withdraw | Ask::Move, Waiting | Attention) => {
            if standing.exists.is_some() {
                settled(())
            } else if standing.leased || standing.in_doubt {
                Ruling::Wish
            } else {
                Ruling::Do
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting() -> Standing {
        Standing { state: EntryState::Waiting, leased: false, in_doubt: false, exists: None }
    }

    #[test]
    fn an_entry_in_hand_or_in_doubt_gets_a_wish() {
        assert!(matches!(rule(Ask::Withdraw, &waiting()), Ruling::Do));
        assert!(matches!(rule(Ask::Withdraw, &Standing { leased: true, ..waiting() }), Ruling::Wish));
        assert!(matches!(rule(Ask::Move, &Standing { in_doubt: true, ..waiting() }), Ruling::Wish));
    }

    #[test]
    fn what_exists_cannot_be_taken_back() {
        let exists = Standing { exists: Some("12".into()), ..waiting() };
        let Ruling::Refuse(problem) = rule(Ask::Withdraw, &exists) else {
            unreachable!("it must be refused")
        };
        assert_eq!(problem.message, "It has already been filed as #12.");
    }

    #[test]
    fn retry_always_works_and_never_breaks_into_a_live_lease() {
        assert!(matches!(rule(Ask::Retry, &waiting()), Ruling::Do));
        assert!(matches!(rule(Ask::Retry, &Standing { in_doubt: true, ..waiting() }), Ruling::Do));
        assert!(matches!(rule(Ask::Retry, &Standing { leased: true, ..waiting() }), Ruling::Wish));
    }

    #[test]
    fn only_a_doubt_can_be_resolved() {
        assert!(matches!(rule(Ask::SendAgain, &waiting()), Ruling::Refuse(_)));
        assert!(matches!(rule(Ask::SendAgain, &Standing { in_doubt: true, ..waiting() }), Ruling::Do));
    }
}
