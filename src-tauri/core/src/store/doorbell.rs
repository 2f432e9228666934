//! How one process tells another that the store changed: one byte to each peer's socket, after COMMIT.
//!
//! A ring carries nothing but "look again", so losing one to a full socket is fine: a full socket already holds one.
//! The sockets lie beside the store, in `peers/`; they are reached through the directory's descriptor, since a
//! socket's path is bounded at 108 bytes and a data folder's is not.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use crate::problem::Result;

use super::failure::disk;

/// The tone of a ring: something changed.
pub(super) const CHANGED: u8 = b'c';
/// The tone of a ring: a process came.
pub(super) const PEERS: u8 = b'p';

#[derive(Debug)]
pub(super) struct Doorbell {
    directory: PathBuf,
    handle: File,
    own: String,
    bell: UnixDatagram,
}

impl Doorbell {
    /// Hangs this process's bell beside its lock.
    pub(super) fn hang(directory: &Path, id: &str) -> Result<Self> {
        let handle = File::open(directory).map_err(|error| disk("Outtray’s data folder", error))?;
        let own = format!("{id}.bell");
        let bell =
            UnixDatagram::bind(through(&handle, &own)).map_err(|error| disk("Outtray’s doorbell", error))?;
        bell.set_nonblocking(true).map_err(|error| disk("Outtray’s doorbell", error))?;
        Ok(Self { directory: directory.to_owned(), handle, own, bell })
    }

    /// Rings at every other process's door.
    pub(super) fn ring_others(&self, tone: u8) {
        let Ok(doors) = std::fs::read_dir(&self.directory) else { return };
        for door in doors.flatten() {
            let name = door.file_name();
            let Some(name) = name.to_str().filter(|name| name.ends_with(".bell") && *name != self.own) else {
                continue;
            };
            // Nobody home, or a bell that is still ringing: both are fine.
            let _rung = self.bell.send_to(&[tone], through(&self.handle, name));
        }
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
