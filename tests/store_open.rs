//! Opening a store that is not quite ours, and writing to one that others hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use std::path::PathBuf;

use desk::Desk;
use outtray_core::Code;
use outtray_core::clock::Clock as _;
use outtray_core::outbox::Outbox;
use outtray_core::outbox::lease::Fenced;
use outtray_core::store::{Adoption, Store};
use outtray_core::view::Row;

fn home(desk: &Desk) -> PathBuf {
    desk.dir.path().join("outtray")
}

#[test]
fn a_store_that_demands_a_newer_program_can_be_looked_at_and_not_written() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let lease = desk.claim().unwrap();
    desk.database().execute("UPDATE meta SET min_writer = 99", []).unwrap();
    assert_eq!(
        desk.outbox.renew(&lease, &desk.now()).unwrap_err().code,
        Code::TooNew,
        "every write asks, not only the first"
    );
    let later = Store::open(&home(&desk), Adoption::No, &desk.now()).unwrap();
    assert!(later.is_too_new().unwrap());
    let later = Outbox::new(std::sync::Arc::new(later));
    assert_eq!(later.entry(saved.id, &desk.now()).unwrap().entry.row, Row::Sending);
    let problem = later.withdraw(saved.id, &desk.now()).unwrap_err();
    assert_eq!(problem.message, "This outbox was last used by a newer Outtray.");
}

#[test]
fn an_outbox_of_another_computer_is_used_here_only_when_the_person_says_so() {
    let desk = Desk::new();
    let saved = desk.file("work", "One");
    let (clock, dir) = (desk.clock.clone(), desk.dir.path().join("outtray"));
    desk.database().execute("UPDATE meta SET machine_id = 'another'", []).unwrap();
    let refused = Store::open(&dir, Adoption::No, &clock.now()).unwrap_err();
    assert_eq!(refused.code, Code::OtherMachine);
    let adopted = Outbox::new(std::sync::Arc::new(Store::open(&dir, Adoption::Yes, &clock.now()).unwrap()));
    assert_eq!(
        adopted.entry(saved.id, &clock.now()).unwrap().entry.row,
        Row::Doubt,
        "the other computer may have sent it"
    );
    drop(adopted);
    assert!(Store::open(&dir, Adoption::No, &clock.now()).is_ok(), "from now on it is ours");
}

#[test]
fn a_renewal_gives_up_early_while_somebody_holds_the_database() {
    let desk = Desk::new();
    desk.file("work", "One");
    desk.outbox.set_setting("drain.lease_ms", "600").unwrap();
    let lease = desk::claim_for(&desk.outbox, 600, &desk.now()).unwrap();
    let mut other = desk.database();
    let held = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    assert_eq!(desk.outbox.renew(&lease, &desk.now()).unwrap_err().code, Code::Busy);
    held.commit().unwrap();
    assert!(
        matches!(desk.outbox.renew(&lease, &desk.now()).unwrap(), Fenced::Held(_)),
        "and nothing was lost"
    );
}
