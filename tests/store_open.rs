//! Opening a store that is not quite ours, and writing to one that others hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod desk;

use std::path::{Path, PathBuf};

use desk::Desk;
use outtray_core::Code;
use outtray_core::clock::{Clock as _, ManualClock};
use outtray_core::outbox::Outbox;
use outtray_core::outbox::lease::Fenced;
use outtray_core::store::{Adoption, Store};
use outtray_core::view::{NewIssue, Row};

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

/// A store as the first two migrations left it. One issue is filed, one is in doubt, one's attempt was lost, one was thrown away.
fn an_earlier_store(home: &Path) {
    std::fs::create_dir_all(home).unwrap();
    let earlier = rusqlite::Connection::open(home.join("outtray.db")).unwrap();
    earlier.pragma_update(None, "journal_mode", "WAL").unwrap();
    earlier
        .execute_batch(include_str!("../src-tauri/core/src/store/migrations/2026-11-30-first.sql"))
        .unwrap();
    earlier
        .execute_batch(include_str!("../src-tauri/core/src/store/migrations/2026-11-30-late-news.sql"))
        .unwrap();
    let machine = outtray_core::clock::machine_id();
    earlier
        .execute(
            "INSERT INTO meta (one, store_id, machine_id, generation, min_writer, fence, live_entries, live_bytes)
             VALUES (1, 'a-store', ?1, 1, 1, 9, 0, 0)",
            [machine],
        )
        .unwrap();
    // Attempts whose numbers are each other's fences, and a receipt whose number is not its entry's.
    earlier
        .execute_batch(
            "INSERT INTO destination (id, name, tracker, url, project, added_at_ms) VALUES (1, 'work', 'gitea', 'https://x', 'a/b', 1);
             INSERT INTO lane (destination, credential_rev) VALUES (1, 3);
             INSERT INTO entry (id, key, draft, draft_revision, generation, destination, title, body, labels, bytes, state,
                                saved_at_ms, changed_at_ms, fence, attempts, budget_used) VALUES
               (1, '01890000-0000-7000-8000-000000000001', 1, 2, 1, 1, 'One', 'Its words.', '[\"bug\"]', 3, 'waiting', 5, 5, 8, 1, 1),
               (2, '01890000-0000-7000-8000-000000000002', 2, 2, 1, 1, 'Two', 'Words that wait.', '[]', 0, 'waiting', 6, 6, 9, 2, 2),
               (3, '01890000-0000-7000-8000-000000000003', 3, 1, 1, 1, 'Three', '', '[]', 0, 'waiting', 7, 7, 0, 0, 0),
               (7, '01890000-0000-7000-8000-000000000007', 7, 1, 1, 1, 'Gone', '', '[]', 0, 'waiting', 7, 7, 0, 0, 0);
             INSERT INTO attachment (id, entry, name, media_type, size, sha256, file)
               VALUES (4, 1, 'a.txt', 'text/plain', 3, printf('%064d', 0), 'a-file');
             INSERT INTO attempt (id, entry, number, fence, started_at_ms, ended_at_ms, outcome) VALUES
               (3, 1, 1, 8, 5, 6, 'filed'), (7, 2, 1, 5, 6, 7, 'doubt'), (5, 2, 2, 7, 8, 9, 'looked');
             INSERT INTO stage (entry, ordinal, kind, state, attempt, sender, sent_destination, sent_at_ms, sent_boot_id,
                                first_sent_at_ms, sends, done_at_ms) VALUES
               (1, 1, 'create', 'done', 3, 'p', 1, 5, 'b', 5, 1, 6), (2, 1, 'create', 'doubt', 7, 'p', 1, 6, 'b', 6, 1, NULL),
               (3, 1, 'create', 'sent', 99, 'p', 1, 6, 'b', 6, 1, NULL);
             INSERT INTO close (entry, ordinal, attempt, how, gone_at_ms, gone_awake_ms, gone_boot_id) VALUES
               (1, 1, 3, 'answered', 6, 6, 'b'), (2, 1, 7, 'broken', 7, 7, 'b'), (2, 1, -2, 'died', 7, 7, 'b'), (3, 1, 99, 'died', 7, 7, 'b');
             INSERT INTO receipt (id, entry, key, destination, number, url, at_ms)
               VALUES (12, 1, '01890000-0000-7000-8000-000000000001', 1, '31', 'https://x/31', 6);
             UPDATE entry SET state = 'filed', filed_at_ms = 6, receipt = 12 WHERE id = 1;
             DELETE FROM entry WHERE id = 7;
             PRAGMA user_version = 2;",
        )
        .unwrap();
}

#[test]
fn an_earlier_store_is_brought_up_to_date_with_all_that_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("outtray");
    an_earlier_store(&home);
    let now = ManualClock::new(1_000).now();
    let outbox = Outbox::new(std::sync::Arc::new(Store::open(&home, Adoption::No, &now).unwrap()));

    let filed = outbox.entry(1, &now).unwrap();
    assert_eq!((filed.entry.title.as_str(), filed.body.as_str()), ("One", "Its words."));
    assert_eq!((filed.labels.as_slice(), filed.files.len()), (["bug".to_owned()].as_slice(), 1));
    assert_eq!(filed.entry.receipt.unwrap().number, "31");
    let doubted = outbox.entry(2, &now).unwrap();
    assert_eq!((doubted.entry.row, doubted.body.as_str()), (Row::Doubt, "Words that wait."));
    let numbers: Vec<_> = doubted.tries.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [Some(2), Some(1)], "newest first");

    assert_eq!(outbox.entry(3, &now).unwrap().entry.row, Row::Doubt, "whoever sent it cannot be asked");

    let database = rusqlite::Connection::open(home.join("outtray.db")).unwrap();
    let ask = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(
        ask("SELECT attempt FROM stage WHERE entry = 2"),
        5,
        "an intent names the fence it was noted under"
    );
    assert_eq!(
        ask("SELECT count(*) FROM close JOIN stage USING (entry, ordinal, attempt)"),
        3,
        "and so does the close of its sender"
    );
    assert_eq!(
        ask("SELECT attempt FROM close WHERE entry = 2 AND attempt < 0"),
        -2,
        "what names a generation stays"
    );
    assert_eq!(ask("SELECT live_entries * 10 + (SELECT waiting FROM lane) FROM meta"), 22);
    assert_eq!(ask("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_eq!(ask("SELECT min_writer FROM meta"), 3, "the program that was here before writes no more");

    let new = NewIssue {
        destination: "work".to_owned(),
        title: "New".to_owned(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    assert_eq!(outbox.file_new(&new, &[], &now).unwrap().id, 8, "no number is used again");
}
