//! Several processes on one store: who is alive, who is proven dead, who hears of a change.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use std::time::Duration;

use desk::Desk;
use outtray_core::outbox::Intended;
use outtray_core::outbox::lease::Fenced;
use outtray_core::view::Row;

#[test]
fn the_store_is_opened_as_it_must_be() {
    let desk = Desk::new();
    let facts = desk.outbox.store().facts().unwrap();
    assert_eq!((facts.journal_mode.as_str(), facts.synchronous), ("wal", 2), "DurabilityAsSet");
    assert!(facts.foreign_keys && facts.secure_delete);
}

#[test]
fn everything_beside_the_store_is_for_this_person_alone() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.file("work", "One");
    let mut seen = 0;
    let mut folders = vec![desk.dir.path().join("outtray")];
    while let Some(folder) = folders.pop() {
        assert_eq!(
            std::fs::metadata(&folder).unwrap().permissions().mode() & 0o077,
            0,
            "{}",
            folder.display()
        );
        for found in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            if found.file_type().unwrap().is_dir() {
                folders.push(found.path());
            } else if found.path().extension().is_none_or(|extension| extension != "bell") {
                seen += 1;
                let mode = found.metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0, "{}", found.path().display());
            }
        }
    }
    assert!(seen >= 4, "database, log, index and lock were looked at");
}

#[tokio::test]
async fn a_change_rings_at_the_other_process() {
    let desk = Desk::new();
    let peer = desk.peer();
    let store = std::sync::Arc::clone(peer.outbox.store());
    let mut changes = store.changes();
    changes.mark_unchanged();
    let listening = tokio::spawn(async move { store.listen().await });
    desk.file("work", "One");
    tokio::time::timeout(Duration::from_secs(5), changes.changed())
        .await
        .expect("the doorbell rings")
        .unwrap();
    listening.abort();
}

#[tokio::test]
async fn whoever_comes_while_others_have_been_ringing_for_a_while_is_rung_at() {
    let desk = Desk::new();
    let _known = desk.peer();
    // Until nothing has changed beside the store for so long that nobody looks around there any more.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    desk.file("work", "One");
    let newcomer = desk.peer();
    let store = std::sync::Arc::clone(newcomer.outbox.store());
    let mut changes = store.changes();
    changes.mark_unchanged();
    let listening = tokio::spawn(async move { store.listen().await });
    desk.file("work", "Two");
    tokio::time::timeout(Duration::from_secs(5), changes.changed()).await.expect("it is rung at").unwrap();
    listening.abort();
}

#[test]
fn a_living_process_is_not_buried_however_long_it_is_silent() {
    let desk = Desk::new();
    desk.file("work", "One");
    let peer = desk.peer();
    let lease = peer.claim(&desk.now()).unwrap();
    desk.pass(10_000);
    assert_eq!(desk.outbox.bury(&desk.now()).unwrap(), 0);
    assert_eq!(desk.entry(lease.entry).entry.row, Row::Sending);
}

#[test]
fn a_reboot_proves_every_process_before_it_dead_and_dates_what_it_had_sent() {
    let desk = Desk::new();
    desk.file("work", "One");
    let peer = desk.peer();
    let lease = peer.claim(&desk.now()).unwrap();
    assert_eq!(desk::intend(&peer.outbox, &lease, &desk.now()), Fenced::Held(Intended::Noted));
    // Its row stays behind, as after a power cut.
    std::mem::forget(peer);
    desk.clock.reboot("boot-2");
    let after = desk.peer();
    after.outbox.bury(&desk.now()).unwrap();
    let taken = after.claim(&desk.now()).expect("freed at once, without waiting for the lease");
    let work = after.outbox.work(&taken).unwrap();
    assert!(work.stages[0].gone.is_some(), "and its intent is closed");
}

#[test]
fn who_leaves_takes_what_stood_beside_the_store_along_at_once() {
    let desk = Desk::new();
    let peer = desk.peer();
    peer.outbox.leave(&desk.now()).unwrap();
    let beside = std::fs::read_dir(desk.dir.path().join("outtray/peers")).unwrap().count();
    assert_eq!(beside, 2, "also when the process ends without another breath");
    assert_eq!(desk.outbox.bury(&desk.now()).unwrap(), 0);
}

#[test]
fn who_ends_without_leaving_is_buried_by_the_next() {
    let desk = Desk::new();
    desk.file("work", "One");
    let peer = desk.peer();
    let _lease = peer.claim(&desk.now()).unwrap();
    drop(peer);
    assert_eq!(desk.outbox.bury(&desk.now()).unwrap(), 1, "its lock could be won");
    assert!(desk.claim().is_some());
    assert_eq!(desk.outbox.bury(&desk.now()).unwrap(), 0);
    let beside = std::fs::read_dir(desk.dir.path().join("outtray/peers")).unwrap().count();
    assert_eq!(beside, 2, "only our own lock and bell are left");
}
