//! What a person's act on an entry may do now. A pure decision.
//!
//! With no live lease and nothing in doubt it is done at once, under a new fence. Otherwise it is recorded as a wish and
//! honoured at the next settle, once the doubt is resolved. Once the issue exists, it cannot be taken back from here.

use super::doubt::Readiness;
use crate::fault::mistake;
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
    /// Change its words.
    Edit,
    /// Put a withdrawn one back.
    Restore,
    /// Say that it is there.
    ItsThere,
    /// Say that it is not there, and send again.
    SendAgain,
    /// Leave it filed without the files that its tracker did not take.
    Leave,
}

/// How the entry stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its state.
    pub state: EntryState,
    /// Whether a worker holds a live lease on it.
    pub leased: bool,
    /// Of a stage that was sent without a usable answer: what the time says about sending it again.
    pub doubt: Option<Readiness>,
    /// The number of the issue, once it is known to exist.
    pub exists: Option<String>,
    /// Whether it came as a copy and is held: nothing of it was sent from here.
    pub is_held_copy: bool,
    /// Whether it is filed without some of its files, and the person has not left it at that.
    pub is_incomplete: bool,
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
        (Ask::Withdraw, Withdrawn) => refuse("It has been taken back already.", "Nothing is sent of it."),
        (_, Withdrawn) => refuse("It has been taken back.", "Put it back first."),
        (Ask::ItsThere | Ask::SendAgain, Waiting | Attention) => match standing.doubt {
            None => refuse("There is no doubt about it.", "Nothing was sent without an answer."),
            Some(_) if standing.leased => {
                refuse("It is being looked for right now.", "Try again in a moment.")
            }
            Some(_) if ask == Ask::ItsThere => Ruling::Do,
            Some(Readiness::Quiet) => Ruling::Do,
            // What is on its way can still arrive, whatever the person has seen at the tracker.
            Some(Readiness::QuietIn { .. }) => Ruling::Wish,
            Some(Readiness::SenderMayLive) => refuse(
                "Another Outtray process may still be sending it.",
                "Quit that one first; it does not answer.",
            ),
        },
        (Ask::Retry, Waiting | Attention) if standing.leased && !mistake("retry_breaks_into_leases") => {
            Ruling::Wish
        }
        (Ask::Retry, Waiting | Attention) => Ruling::Do,
        (Ask::Leave, Waiting | Attention) if standing.is_incomplete => Ruling::Do,
        (Ask::Leave, Waiting | Attention) => {
            refuse("It lacks no file.", "Only what was filed without some of its files can be left at that.")
        }
        (Ask::Withdraw | Ask::Move | Ask::Edit, Waiting | Attention) => {
            if standing.exists.is_some() {
                settled(())
            } else if ask == Ask::Withdraw && standing.is_held_copy {
                // The doubt stays with it, should it be put back.
                Ruling::Do
            } else if (standing.leased || standing.doubt.is_some()) && !mistake("withdraw_at_once") {
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
        Standing {
            state: EntryState::Waiting,
            leased: false,
            doubt: None,
            exists: None,
            is_held_copy: false,
            is_incomplete: false,
        }
    }

    #[test]
    fn an_entry_in_hand_or_in_doubt_gets_a_wish() {
        assert!(matches!(rule(Ask::Withdraw, &waiting()), Ruling::Do));
        assert!(matches!(rule(Ask::Withdraw, &Standing { leased: true, ..waiting() }), Ruling::Wish));
        assert!(matches!(
            rule(Ask::Move, &Standing { doubt: Some(Readiness::Quiet), ..waiting() }),
            Ruling::Wish
        ));
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
        assert!(matches!(
            rule(Ask::Retry, &Standing { doubt: Some(Readiness::Quiet), ..waiting() }),
            Ruling::Do
        ));
        assert!(matches!(rule(Ask::Retry, &Standing { leased: true, ..waiting() }), Ruling::Wish));
    }

    #[test]
    fn only_a_doubt_can_be_resolved() {
        assert!(matches!(rule(Ask::SendAgain, &waiting()), Ruling::Refuse(_)));
        assert!(matches!(
            rule(Ask::SendAgain, &Standing { doubt: Some(Readiness::Quiet), ..waiting() }),
            Ruling::Do
        ));
    }

    #[test]
    fn nothing_is_sent_again_while_the_first_one_may_still_arrive() {
        let doubt = |doubt| Standing { doubt: Some(doubt), ..waiting() };
        let waits = rule(Ask::SendAgain, &doubt(Readiness::QuietIn { left_ms: 1 }));
        assert!(matches!(waits, Ruling::Wish));
        assert!(matches!(rule(Ask::SendAgain, &doubt(Readiness::SenderMayLive)), Ruling::Refuse(_)));
        assert!(matches!(rule(Ask::ItsThere, &doubt(Readiness::SenderMayLive)), Ruling::Do), "it is true");
    }
}
