//! The outbox: entries, stages, leases, states.
//!
//! *Authoritative*: the rows. A lease is columns of its entry, so a crash leaves nothing to repair: an expired or dead
//! lease is claimable by itself.
//!
//! *States*: `waiting → filed`, with `attention` (a person must act) and `withdrawn`. "Sending" is a waiting entry under
//! a live lease. A stage goes `open → sent → done`; `sent` without an owner, and `doubt`, both mean: look before
//! anything is sent again.
//!
//! *Timing*: leases and backoff count on the boot clock, quiet time on the awake clock, "file later" and pauses on the
//! wall clock. `now` always comes in as an argument.
//!
//! *Failure*: a fenced write that finds another token or fence changes nothing and says `Lost`; its caller stops and
//! touches nothing, except to say that its connection is gone ([`Outbox::close`]) or that it saw the issue
//! ([`Outbox::sight`]), which are true whoever owns the entry.
//!
//! Deciding and acting are apart: `fate`, `doubt`, `act`, `backoff` and `show` take values and return values; `table`
//! has the SQL.

pub mod act;
mod acts;
pub mod arrival;
pub mod backoff;
mod catalogue;
mod destinations;
pub mod doubt;
mod drafts;
mod export;
pub mod fate;
mod import;
pub mod lease;
mod reading;
mod show;
mod similar;
mod table;

pub use catalogue::Age;
pub use destinations::words as place;
pub use export::Snapshot;
pub use import::{Arrived, Names, NewPlace};
pub use table::claim::Claim;
pub use table::lane::WaitingLane;
pub use table::late::LateLook;
pub use table::settle::{Intend, Intended};
pub use table::work::{Sighting, Stage, Work};

use std::sync::Arc;
use std::time::Duration;

use crate::attention::Facts;
use crate::clock::Now;
use crate::fault::mistake;
use crate::issue::{Destination, Issue, Receipt};
use crate::problem::{Code, Problem, Result};
use crate::settings::Settings;
use crate::store::{Durability, Ring, Store};
use fate::{End, Settlement};
use lease::{Fenced, Lease};

/// The outbox of one store. Every verb is one transaction.
#[derive(Debug, Clone)]
pub struct Outbox {
    store: Arc<Store>,
}

/// What there is to do, at one moment.
#[derive(Debug, Clone)]
pub struct Glance {
    /// The settings.
    pub settings: Settings,
    /// The lanes in which something waits until somebody signs in.
    pub signed_out: Vec<WaitingLane>,
    /// The newest entry there is: the horizon of a drain that begins now.
    pub newest: i64,
    /// Whether a claim may find anything. Without, it finds nothing.
    pub may_be_due: bool,
}

/// How a sender's connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// An answer was read.
    Answered,
    /// It broke, or no usable answer came in time.
    Broken,
    /// The attempt was cancelled and its connection dropped.
    Cancelled,
}

impl Closed {
    const fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Broken => "broken",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Outbox {
    /// The outbox in `store`.
    pub const fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// The store it lies in.
    pub const fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Looks what there is to do, in one snapshot and without a write. Most turns find nothing.
    ///
    /// # Errors
    /// What the store says.
    pub fn glance(&self, now: &Now) -> Result<Glance> {
        self.store.read(|tx| {
            Ok(Glance {
                settings: Settings::from_rows(table::setting::all(tx)?),
                signed_out: table::lane::signed_out(tx)?,
                newest: table::claim::newest(tx)?,
                may_be_due: table::claim::may_be_due(tx, now)?,
            })
        })
    }

    /// Claims the next due entry of the least recently served lane, or nothing. It writes even so: [`Outbox::glance`] tells
    /// first whether it may find any.
    ///
    /// # Errors
    /// What the store says; the caller skips this turn.
    pub fn claim(&self, claim: &Claim<'_>, now: &Now) -> Result<Option<Lease>> {
        let claimed = self.store.write_within(
            "claim",
            patience(claim.lease_ms),
            Durability::Normal,
            Ring::Nobody,
            |tx| Ok(table::claim::claim(tx, claim, now)?),
        )?;
        if claimed.lease.is_some() || claimed.needs_person {
            self.store.ring();
        }
        Ok(claimed.lease)
    }

    /// Renews a lease that has not expired. `now` is from before the asking.
    ///
    /// # Errors
    /// What the store says; the caller tries again until its trust runs out.
    pub fn renew(&self, lease: &Lease, now: &Now) -> Result<Fenced<Lease>> {
        self.store.write_within("renew", patience(lease.length_ms), Durability::Normal, Ring::Nobody, |tx| {
            Ok(table::claim::renew(tx, lease, now)?)
        })
    }

    /// Reads everything a worker needs about the entry it holds.
    ///
    /// # Errors
    /// What the store says.
    pub fn work(&self, lease: &Lease) -> Result<Work> {
        self.store.read(|tx| Ok(table::work::load(tx, lease.entry)?))
    }

    /// Commits the intent to send a stage. Unless it says `Noted`, nothing may leave this computer.
    ///
    /// # Errors
    /// What the store says: then too nothing may leave.
    pub fn intend(&self, lease: &Lease, intend: &Intend<'_>, now: &Now) -> Result<Fenced<Intended>> {
        self.store.write("intend", Durability::Full, Ring::Nobody, |tx| {
            Ok(table::settle::intend(tx, lease, intend, now)?)
        })
    }

    /// Settles what came of a stage, its entry, its attempt and its lane in one transaction. `closed` records, in the
    /// same one, that the sender of the stage is gone.
    ///
    /// # Errors
    /// What the store says; nothing is settled then.
    pub fn settle(
        &self,
        lease: &Lease,
        stage: Option<(i64, Option<Closed>)>,
        settlement: &Settlement,
        credential_rev: i64,
        now: &Now,
    ) -> Result<Fenced<()>> {
        let ordinal = stage.map(|(ordinal, _)| ordinal);
        self.store.write("settle", Durability::Full, Ring::Everybody, |tx| {
            if let Some((ordinal, Some(closed))) = stage {
                table::settle::close(tx, lease.entry, ordinal, lease.fence, closed.word(), now)?;
            }
            Ok(table::settle::settle(tx, lease, ordinal, settlement, credential_rev, now)?)
        })
    }

    /// Settles a stage that is done and commits the intent to send the next one, in one transaction: both are durable at the
    /// cost of one. Says whether the next one may be sent; if not, the stage is settled all the same.
    ///
    /// # Errors
    /// What the store says: then nothing is settled, and nothing may leave.
    pub fn settle_and_intend(
        &self,
        lease: &Lease,
        (ordinal, closed): (i64, Closed),
        settlement: &Settlement,
        credential_rev: i64,
        next: &Intend<'_>,
        now: &Now,
    ) -> Result<Fenced<Intended>> {
        self.store.write("settle_and_intend", Durability::Full, Ring::Everybody, |tx| {
            table::settle::close(tx, lease.entry, ordinal, lease.fence, closed.word(), now)?;
            match table::settle::settle(tx, lease, Some(ordinal), settlement, credential_rev, now)? {
                Fenced::Lost => Ok(Fenced::Lost),
                // A lease that has expired still settles, and sends no more.
                Fenced::Held(()) => Ok(Fenced::Held(match table::settle::intend(tx, lease, next, now)? {
                    Fenced::Held(intended) => intended,
                    Fenced::Lost if mistake("send_on_after_expiry") => Intended::Noted,
                    Fenced::Lost => Intended::StandAside,
                })),
            }
        })
    }

    /// Gives a lease back untouched; the attempt does not count.
    ///
    /// # Errors
    /// What the store says; the lease then ends by itself.
    pub fn release(&self, lease: &Lease, words: &str, now: &Now) -> Result<Fenced<()>> {
        let end = End::Release { outcome: fate::Outcome::Released, words: words.to_owned() };
        let settlement =
            Settlement { stage: fate::StageMark::Untouched, end: Some(end), lane: fate::LaneMark::Untouched };
        self.settle(lease, None, &settlement, 0, now)
    }

    /// A worker stumbled (panicked) over an entry: its connection is gone with it, the entry is given back, and the
    /// third stumble needs the person.
    ///
    /// # Errors
    /// What the store says.
    pub fn stumble(&self, lease: &Lease, now: &Now) -> Result<()> {
        self.store.write("stumble", Durability::Full, Ring::Everybody, |tx| {
            Ok(table::settle::stumble(tx, lease, now)?)
        })
    }

    /// A worker has ended without being able to write so: its connections are gone with it, and the entry is given back.
    /// What it had sent stays in doubt.
    ///
    /// # Errors
    /// What the store says.
    pub fn abandon(&self, lease: &Lease, now: &Now) -> Result<()> {
        self.store.write("abandon", Durability::Full, Ring::Everybody, |tx| {
            Ok(table::settle::abandon(tx, lease, now)?)
        })
    }

    /// Records that a sender's connection is gone. True whoever owns the entry.
    ///
    /// # Errors
    /// What the store says.
    pub fn close(&self, lease: &Lease, ordinal: i64, closed: Closed, now: &Now) -> Result<()> {
        self.store.write("close", Durability::Full, Ring::Everybody, |tx| {
            Ok(table::settle::close(tx, lease.entry, ordinal, lease.fence, closed.word(), now)?)
        })
    }

    /// Says that the issue exists. True whoever owns the entry.
    ///
    /// # Errors
    /// What the store says.
    pub fn sight(&self, entry: i64, destination: i64, receipt: &Receipt, now: &Now) -> Result<()> {
        let seen_by = self.store.presence().id();
        self.store.write("sight", Durability::Full, Ring::Everybody, |tx| {
            Ok(table::settle::sight(tx, entry, destination, receipt, seen_by, now)?)
        })
    }

    /// Follows a sighting to the destination where the issue exists. The stages are planned anew for it.
    ///
    /// # Errors
    /// What the store says.
    pub fn follow(&self, lease: &Lease, sighting: &Sighting, now: &Now) -> Result<Fenced<()>> {
        self.store.write("follow", Durability::Full, Ring::Nobody, |tx| {
            Ok(table::settle::follow(tx, lease, sighting, now)?)
        })
    }

    /// Takes a look that is owed and due: whether a create that was sent twice has arrived twice.
    ///
    /// # Errors
    /// What the store says.
    pub fn late_look(&self, except: &[i64], now: &Now) -> Result<Option<LateLook>> {
        if !self.store.read(|tx| Ok(table::late::may_be_due(tx, now)?))? {
            return Ok(None);
        }
        self.store.write("late_look", Durability::Normal, Ring::Nobody, |tx| {
            Ok(table::late::take(tx, except, now)?)
        })
    }

    /// Reads what a late look needs to know.
    ///
    /// # Errors
    /// What the store says.
    pub fn looked_for(&self, look: &LateLook) -> Result<(Issue, Destination)> {
        self.store.read(|tx| Ok(table::work::issue_for(tx, look.entry, look.destination)?))
    }

    /// A late look has been taken: what it saw is noted, and nothing more is owed.
    ///
    /// # Errors
    /// What the store says.
    pub fn looked_late(&self, look: &LateLook, seen: &[Receipt], now: &Now) -> Result<()> {
        let seen_by = self.store.presence().id();
        self.store.write("looked_late", Durability::Full, Ring::Everybody, |tx| {
            for receipt in seen {
                table::settle::sight(tx, look.entry, look.destination, receipt, seen_by, now)?;
            }
            Ok(table::late::done(tx, look)?)
        })
    }

    /// Leases of this process that nobody works on, by the fences that somebody does: what a claim left whose answer
    /// was lost.
    ///
    /// # Errors
    /// What the store says.
    pub fn strays(&self, held: &[i64]) -> Result<Vec<Lease>> {
        let own = self.store.presence().id();
        // As a write, though it writes nothing: such a claim may stand in a commit that is still on its way.
        self.store
            .write("strays", Durability::Normal, Ring::Nobody, |tx| Ok(table::claim::strays(tx, own, held)?))
    }

    /// Begins a new generation: everything that is not filed is in doubt from now on. For a store that was restored from
    /// a copy or recovered row by row.
    ///
    /// # Errors
    /// `Busy` while another process has the store open, or what the store says.
    pub fn begin_generation(&self, now: &Now) -> Result<()> {
        self.bury(now)?;
        if !self.store.is_alone()? {
            return Err(Problem::new(Code::Busy, "Another Outtray is using this outbox.")
                .hint("Quit it first; what it sends now could not be told from what it sent before."));
        }
        self.store.begin_generation(now)
    }

    /// This process leaves: nothing of it is on its way any more, its intents are closed, its leases given back, and its row
    /// is gone, in one transaction.
    ///
    /// # Errors
    /// What the store says; then the next process puts it in order.
    pub fn leave(&self, now: &Now) -> Result<()> {
        let own = self.store.presence().id();
        self.store
            .write("leave", Durability::Full, Ring::Everybody, |tx| Ok(table::bury::bury(tx, own, now)?))?;
        self.store.has_left();
        Ok(())
    }

    /// Buries every process of this store that is proven dead. Returns how many leases that freed.
    ///
    /// # Errors
    /// What the store says.
    pub fn bury(&self, now: &Now) -> Result<usize> {
        let dead = self.store.dead_peers(now)?;
        let mut freed = 0;
        let any = !dead.is_empty();
        for peer in dead {
            freed += self.store.write("bury", Durability::Full, Ring::Nobody, |tx| {
                Ok(table::bury::bury(tx, &peer.rank().id, now)?)
            })?;
            peer.clear();
        }
        if any {
            self.store.ring();
        }
        Ok(freed)
    }

    /// The earliest moment, on the boot clock, at which something may become claimable, or change its looks, by itself.
    ///
    /// # Errors
    /// What the store says.
    pub fn next_deadline(&self, now: &Now) -> Result<Option<i64>> {
        self.store.read(|tx| Ok(table::claim::next_deadline(tx, now)?))
    }

    /// The earliest moment, on the boot clock, that a drain with a deadline may wait for: backoffs, looks, quiet times
    /// and rate limits, but no pause and no sign-in.
    ///
    /// # Errors
    /// What the store says.
    pub fn next_wait(&self, now: &Now) -> Result<Option<i64>> {
        let owner = self.store.presence().id();
        self.store.read(|tx| Ok(table::claim::next_wait(tx, owner, now)?))
    }

    /// The facts that attention is folded from.
    ///
    /// # Errors
    /// What the store says.
    pub fn facts(&self, now: &Now) -> Result<Facts> {
        self.store.read(|tx| Ok(table::facts::attention(tx, now)?))
    }

    /// A process has seen this credential for a lane; another one than before ends a sign-in hold. Returns the revision
    /// to use it under.
    ///
    /// # Errors
    /// What the store says.
    pub fn credential_seen(&self, destination: i64, mark: &str) -> Result<i64> {
        let known = self.store.read(|tx| Ok(table::lane::credential(tx, destination)?))?;
        if known.mark.as_deref() == Some(mark) && known.no_token.is_none() {
            return Ok(known.rev);
        }
        self.store.write("credential_seen", Durability::Full, Ring::Everybody, |tx| {
            Ok(table::lane::credential_seen(tx, destination, mark)?.0)
        })
    }

    /// The app has no token for a lane, in words: the person is told. Another process may have one, and takes that back
    /// when it serves the lane.
    ///
    /// # Errors
    /// What the store says.
    pub fn no_token(&self, destination: i64, words: &str) -> Result<()> {
        let known = self.store.read(|tx| Ok(table::lane::credential(tx, destination)?))?;
        if known.no_token.as_deref() != Some(words) {
            self.store.write("no_token", Durability::Normal, Ring::Everybody, |tx| {
                Ok(table::lane::set_no_token(tx, destination, Some(words))?)
            })?;
        }
        Ok(())
    }

    /// The network changed: unreachable lanes are probed now.
    ///
    /// # Errors
    /// What the store says.
    pub fn network_changed(&self) -> Result<()> {
        if self.store.read(|tx| Ok(table::lane::any_unreachable(tx)?))? {
            self.store.write("network_changed", Durability::Normal, Ring::Everybody, |tx| {
                Ok(table::lane::probe_unreachable(tx)?)
            })?;
        }
        Ok(())
    }

    /// Keeps who we are at a destination.
    ///
    /// # Errors
    /// What the store says.
    pub fn learn_login(&self, destination: i64, login: &str) -> Result<()> {
        self.store.write("learn_login", Durability::Full, Ring::Nobody, |tx| {
            Ok(table::lane::learn_login(tx, destination, login)?)
        })
    }

    /// The revision of the credential last seen for a lane.
    ///
    /// # Errors
    /// What the store says.
    pub fn credential_rev(&self, destination: i64) -> Result<i64> {
        self.store.read(|tx| Ok(table::lane::credential(tx, destination)?.rev))
    }

    /// Whether a credential has ever been seen for a lane.
    ///
    /// # Errors
    /// What the store says.
    pub fn has_had_credential(&self, destination: i64) -> Result<bool> {
        self.store.read(|tx| Ok(table::lane::credential(tx, destination)?.mark.is_some()))
    }

    /// A test of the destination worked: a sign-in hold ends, and who we are there is known.
    ///
    /// # Errors
    /// What the store says.
    pub fn signed_in(&self, destination: i64, login: Option<&str>) -> Result<()> {
        self.store.write("signed_in", Durability::Full, Ring::Everybody, |tx| {
            if let Some(login) = login {
                table::lane::learn_login(tx, destination, login)?;
            }
            table::lane::free(tx, destination, &["sign_in", "trouble"])?;
            table::lane::set_no_token(tx, destination, None)?;
            Ok(())
        })
    }
}

/// How long a claim or a renewal waits for the database: a twelfth of the lease. It may have to wait for others of its own
/// process first, and for those of another then, so both together take a sixth at most, for locks; and where it joins what
/// is about to be committed, a twelfth more.
fn patience(lease_ms: i64) -> Duration {
    Duration::from_millis(lease_ms.unsigned_abs() / 12)
}
