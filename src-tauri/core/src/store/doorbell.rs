//! How one process tells another that the store changed: one byte to each peer's socket, after COMMIT.
//!
//! A ring carries nothing but "look again", so losing one to a full socket is fine: a full socket already holds one.
//! The sockets lie beside the store, in `peers/`; they are reached through the directory's descriptor, since a
//! socket's path is bounded at 108 bytes and a data folder's is not.
//!
//! *Whose doors*: those that the directory names. It is read again whenever it has changed since, so a process that has
//! hung its bell before a commit is rung at for it.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::fstat;

use crate::clock::{Clock, SystemClock};
use crate::fault::mistake;
use crate::problem::Result;

use super::failure::disk;

/// The tone of a ring: something changed.
pub(super) const CHANGED: u8 = b'c';
/// The tone of a ring: a process came.
pub(super) const PEERS: u8 = b'p';

/// A directory that has changed so lately may change again without a newer time: those are as coarse as the kernel's
/// tick.
const SETTLED_MS: i64 = 100;

#[derive(Debug)]
pub(super) struct Doorbell {
    directory: PathBuf,
    handle: File,
    own: String,
    bell: UnixDatagram,
    clock: SystemClock,
    doors: Mutex<Doors>,
}

/// The doors of the other processes, and when the directory that names them had last changed: seconds, nanoseconds.
#[derive(Debug, Default)]
struct Doors {
    names: Vec<String>,
    as_of: Option<(i64, i64)>,
}

impl Doorbell {
    /// Hangs this process's bell beside its lock.
    pub(super) fn hang(directory: &Path, id: &str) -> Result<Self> {
        let handle = File::open(directory).map_err(|error| disk("Outtray’s data folder", error))?;
        let own = format!("{id}.bell");
        let bell =
            UnixDatagram::bind(through(&handle, &own)).map_err(|error| disk("Outtray’s doorbell", error))?;
        bell.set_nonblocking(true).map_err(|error| disk("Outtray’s doorbell", error))?;
        Ok(Self {
            directory: directory.to_owned(),
            handle,
            own,
            bell,
            clock: SystemClock::new(),
            doors: Mutex::default(),
        })
    }

    /// Rings at every other process's door.
    pub(super) fn ring_others(&self, tone: u8) {
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        self.look_around(&mut doors);
        for name in &doors.names {
            // Nobody home, or a bell that is still ringing: both are fine.
            let _rung = self.bell.send_to(&[tone], through(&self.handle, name));
        }
    }

    /// Reads whose doors there are, unless nothing can have changed since that was last done.
    fn look_around(&self, doors: &mut Doors) {
        // The time is taken first, then the directory's, then its names: what comes in between is newer than what is kept.
        let now_ms = self.clock.now().wall_ms;
        let changed = fstat(&self.handle).ok().map(|stat| (stat.st_mtime, stat.st_mtime_nsec.cast_signed()));
        if changed.is_some() && changed == doors.as_of {
            return;
        }
        if doors.as_of.is_some() && mistake("know_all_doors") {
            return;
        }
        let Ok(named) = std::fs::read_dir(&self.directory) else { return };
        doors.names = named
            .flatten()
            .filter_map(|door| door.file_name().into_string().ok())
            .filter(|name| name.ends_with(".bell") && *name != self.own)
            .collect();
        doors.as_of = changed.filter(|(seconds, _)| seconds * 1_000 + 1_000 + SETTLED_MS < now_ms);
    }

    /// Calls `heard` with the tone of each ring, until the future is dropped.
    pub(super) async fn listen(&self, mut heard: impl FnMut(u8)) {
        let bell = self.bell.try_clone().and_then(tokio::net::UnixDatagram::from_std);
        let Ok(bell) = bell else { return std::future::pending().await };
        let mut tone = [0];
        loop {
            match bell.recv(&mut tone).await {
                Ok(_) => heard(tone[0]),
                Err(_) => return std::future::pending().await,
            }
        }
    }
}

fn through(directory: &File, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{name}", directory.as_raw_fd()))
}
