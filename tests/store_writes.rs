//! Threads of one process that write at the same time share a commit, and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use outtray_core::clock::{Clock, SystemClock};
use outtray_core::store::{Adoption, Durability, Ring, Store, Transaction};
use outtray_core::{Code, Problem};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(20);

struct Desk {
    store: Store,
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Adoption::No, &SystemClock::new().now()).unwrap();
        let make = |tx: &Transaction<'_>| {
            tx.execute_batch("CREATE TABLE line (n INTEGER PRIMARY KEY, thread INTEGER)")?;
            Ok(())
        };
        store.write("make", Durability::Full, Ring::Nobody, make).unwrap();
        Self { store, dir }
    }

    /// What another process sees: committed, and nothing else.
    fn seen(&self) -> Vec<i64> {
        let other = rusqlite::Connection::open(self.dir.path().join("outtray.db")).unwrap();
        let mut rows = other.prepare("SELECT n FROM line ORDER BY n").unwrap();
        rows.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    fn add(&self, durability: Durability, n: i64) -> Result<(), Problem> {
        self.store.write_within("add", LONG, durability, Ring::Nobody, |tx| {
            let synchronous: i64 = tx.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
            assert!(durability == Durability::Normal || synchronous == 2, "it waits for the disk");
            tx.execute("INSERT INTO line (n) VALUES (?1)", [n])?;
            Ok(())
        })
    }

    /// Writes for so long that everybody else comes to wait, and shares the next commit.
    fn hold_up(&self) {
        let hold = |_: &Transaction<'_>| {
            std::thread::sleep(Duration::from_millis(20));
            Ok(())
        };
        self.store.write("hold", Durability::Full, Ring::Nobody, hold).unwrap();
    }
}

/// Runs `act` on `count` threads that begin together.
fn together(count: i64, act: impl Fn(i64) + Sync) {
    let barrier = Barrier::new(count.try_into().unwrap());
    std::thread::scope(|scope| {
        for n in 0..count {
            let (barrier, act) = (&barrier, &act);
            scope.spawn(move || {
                barrier.wait();
                act(n);
            });
        }
    });
}

#[test]
fn what_is_returned_is_committed_whoever_wrote_at_the_same_time() {
    let desk = Desk::new();
    for round in 0..20 {
        together(12, |n| {
            let durability = if n % 3 == 0 { Durability::Normal } else { Durability::Full };
            desk.add(durability, round * 100 + n).unwrap();
            assert!(desk.seen().contains(&(round * 100 + n)), "committed when the write returns");
        });
    }
    assert_eq!(desk.seen().len(), 240);
}

#[test]
fn what_one_cannot_do_is_undone_alone() {
    let desk = Desk::new();
    let refused = AtomicU32::new(0);
    for round in 0..20 {
        together(10, |n| {
            if n == 9 {
                return desk.hold_up();
            }
            let number = round * 100 + n;
            let written = desk.store.write("add", Durability::Full, Ring::Nobody, |tx| {
                tx.execute("INSERT INTO line (n) VALUES (?1)", [number])?;
                if n % 3 == 0 { Err(Problem::new(Code::Refused, "No.")) } else { Ok(()) }
            });
            refused.fetch_add(u32::from(written.is_err()), Ordering::Relaxed);
            assert_eq!(desk.seen().contains(&number), n % 3 != 0);
        });
    }
    assert_eq!((desk.seen().len(), refused.into_inner()), (120, 60));
}

#[test]
fn a_panic_takes_nobody_with_it() {
    let desk = Desk::new();
    together(6, |n| {
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            desk.store.write("add", Durability::Full, Ring::Nobody, |tx| {
                tx.execute("INSERT INTO line (n) VALUES (?1)", [n])?;
                assert!(n != 2, "on purpose");
                Ok(())
            })
        }));
        assert_eq!(written.is_err(), n == 2);
    });
    assert_eq!(desk.seen(), [0, 1, 3, 4, 5]);
    desk.add(Durability::Full, 6).unwrap();
    assert_eq!(desk.seen().len(), 6, "and the next one writes");
}

#[test]
fn whoever_gives_up_waiting_leaves_nothing_open() {
    let desk = Desk::new();
    for round in 0..40 {
        together(4, |n| {
            let number = round * 10 + n;
            let patience = if n == 0 { LONG } else { Duration::from_millis(2 + n.unsigned_abs()) };
            let written = desk.store.write_within("add", patience, Durability::Full, Ring::Nobody, |tx| {
                tx.execute("INSERT INTO line (n) VALUES (?1)", [number])?;
                // About as long as the others are patient.
                std::thread::sleep(Duration::from_millis(3));
                Ok(())
            });
            match written {
                Ok(()) => assert!(desk.seen().contains(&number)),
                Err(problem) => assert_eq!(problem.code, Code::Busy),
            }
        });
        let other = rusqlite::Connection::open(desk.dir.path().join("outtray.db")).unwrap();
        other.busy_timeout(Duration::ZERO).unwrap();
        other.execute_batch("BEGIN IMMEDIATE; COMMIT").expect("nobody holds the write lock");
    }
}

#[test]
fn what_sqlite_undoes_by_itself_is_told_to_all_that_were_in_it() {
    let desk = Desk::new();
    desk.add(Durability::Full, -1).unwrap();
    for round in 0..20 {
        together(6, |n| {
            let number = round * 10 + n;
            let written = desk.store.write("add", Durability::Full, Ring::Nobody, |tx| {
                std::thread::sleep(Duration::from_millis(3));
                let number = if n == 0 { -1 } else { number };
                tx.execute("INSERT OR ROLLBACK INTO line (n) VALUES (?1)", [number])?;
                Ok(())
            });
            assert_eq!(written.is_ok(), n != 0 && desk.seen().contains(&number), "what is told is there");
        });
    }
}

#[test]
fn a_commit_that_fails_has_failed_for_all_that_are_in_it() {
    let desk = Desk::new();
    // A reference that leads nowhere is found at the commit.
    let make = |tx: &Transaction<'_>| {
        tx.execute_batch("CREATE TABLE late (n INTEGER REFERENCES line (n) DEFERRABLE INITIALLY DEFERRED)")?;
        Ok(())
    };
    desk.store.write("make", Durability::Full, Ring::Nobody, make).unwrap();
    let shared = AtomicU32::new(0);
    for round in 0..20 {
        together(6, |n| {
            let number = round * 10 + n;
            let written = desk.store.write("add", Durability::Full, Ring::Nobody, |tx| {
                std::thread::sleep(Duration::from_millis(3));
                tx.execute("INSERT INTO line (n) VALUES (?1)", [number])?;
                if n == 0 {
                    tx.execute("INSERT INTO late (n) VALUES (-1)", [])?;
                }
                Ok(())
            });
            assert_eq!(written.is_ok(), desk.seen().contains(&number), "what is told is what is there");
            assert!(n != 0 || written.is_err());
            shared.fetch_add(u32::from(n != 0 && written.is_err()), Ordering::Relaxed);
        });
    }
    assert!(shared.into_inner() > 0, "others were in it");
    desk.add(Durability::Full, 1_000).unwrap();
}
