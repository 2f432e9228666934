//! Reading an archive that anybody may have made: member by member, in the one order there is.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tar::{Archive, EntryType};

use super::check::another_format;
use super::{BLOCK, FORMAT, MANIFEST, Manifest, SUMS, check, hex, length, member, sums};
use crate::problem::{Code, Problem, Result};

/// The longest manifest that is read, in bytes: 128 MiB.
pub(super) const LONGEST_MANIFEST: u64 = 128 * 1024 * 1024;

/// An archive whose manifest has been read and found right.
#[derive(Debug)]
pub struct Reader {
    /// What it says.
    pub manifest: Manifest,
    file: File,
    digest: String,
}

/// What every manifest says, however it goes on.
#[derive(Deserialize)]
struct Opening {
    format: u32,
}

impl Reader {
    /// Opens an archive, reads its manifest and checks it, and that the file is as long as that says.
    ///
    /// # Errors
    /// `NotFound`, `TooNew`, or `Invalid` with what is wrong.
    pub fn open(path: &Path) -> Result<Self> {
        // Not blocking, so that a pipe without a writer is refused and not waited for.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let told = path.display();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
            let message = match error.kind() {
                io::ErrorKind::NotFound => format!("There is no file {told}."),
                io::ErrorKind::PermissionDenied => format!("{told} may not be read by you."),
                _ => format!("{told} cannot be read."),
            };
            let code = if error.kind() == io::ErrorKind::NotFound { Code::NotFound } else { Code::Invalid };
            Problem::new(code, message).hint("Give the file that “outtrayctl export” wrote.").because(error)
        })?;
        let facts = file.metadata().map_err(unreadable)?;
        if !facts.is_file() {
            return Err(foreign().because(format!("{told} is no plain file")));
        }
        let mut archive = Archive::new(BufReader::new(&file));
        let mut members = archive.entries().map_err(unreadable)?.raw(true);
        let mut first = plain(members.next(), MANIFEST).map_err(|problem| match problem.code {
            Code::Invalid => foreign().because(problem),
            _ => problem,
        })?;
        let size = first.size();
        if size > LONGEST_MANIFEST {
            return Err(broken("what it says of itself is longer than 128 MiB"));
        }
        if length([size].into_iter()) > facts.len().saturating_add(BLOCK) {
            return Err(short());
        }
        let mut text = Vec::new();
        first.read_to_end(&mut text).map_err(unreadable)?;
        if text.len() as u64 != size {
            return Err(short());
        }
        let digest = hex(&Sha256::digest(&text));
        let manifest = read(&text)?;
        check(&manifest)?;
        let reader = Self { manifest, file: file.try_clone().map_err(unreadable)?, digest };
        let sizes = [size, reader.sums().len() as u64];
        let whole = length(sizes.into_iter().chain(reader.manifest.files().map(|file| file.size)));
        match facts.len() {
            long if long < whole => Err(short()),
            long if long > whole => Err(broken("it goes on behind its end")),
            _ => Ok(reader),
        }
    }

    /// Hands each file to `keep`, in order, which says the digest of what it has kept; and reads the archive to its end.
    ///
    /// # Errors
    /// What `keep` says, or `Invalid` with what is wrong.
    pub fn each(
        &self,
        mut keep: impl FnMut(&super::Attachment, &mut dyn Read) -> Result<(u64, String)>,
    ) -> Result<()> {
        let mut file = &self.file;
        io::Seek::rewind(&mut file).map_err(unreadable)?;
        let mut archive = Archive::new(BufReader::new(file));
        let mut members = archive.entries().map_err(unreadable)?.raw(true);
        let mut first = plain(members.next(), MANIFEST)?;
        // It was read before; another one now is a file that somebody changed meanwhile.
        let mut digest = Sha256::new();
        io::copy(&mut first, &mut Sink(&mut digest)).map_err(unreadable)?;
        if hex(&digest.finalize()) != self.digest {
            return Err(broken("it changes while it is read"));
        }
        for (number, attachment) in (1..).zip(self.manifest.files()) {
            let mut next = plain(members.next(), &member(number))?;
            let is_other = || broken(&format!("“{}” is not what was exported", attachment.name));
            if next.size() != attachment.size {
                return Err(is_other());
            }
            let (size, sha256) = keep(attachment, &mut next)?;
            if size != attachment.size || sha256 != attachment.sha256 {
                return Err(is_other());
            }
        }
        let mut text = String::new();
        let last = plain(members.next(), SUMS)?;
        let expected = self.sums();
        last.take(expected.len() as u64 + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text != expected {
            return Err(broken("its digests are not those of its files"));
        }
        match members.next() {
            None => Ok(()),
            Some(_) => Err(broken("it holds more than it says")),
        }
    }

    fn sums(&self) -> String {
        sums(&self.digest, self.manifest.files().map(|file| file.sha256.clone()))
    }
}

fn read(text: &[u8]) -> Result<Manifest> {
    let unread = |error: serde_json::Error| broken("what it says of itself cannot be read").because(error);
    let opening: Opening = serde_json::from_slice(text).map_err(unread)?;
    if opening.format != FORMAT {
        return Err(another_format(opening.format));
    }
    serde_json::from_slice(text).map_err(unread)
}

/// The next member, when it is a plain file of this name: no link, no folder, no path.
fn plain<'a, R: Read>(next: Option<io::Result<tar::Entry<'a, R>>>, name: &str) -> Result<tar::Entry<'a, R>> {
    let Some(next) = next else { return Err(short()) };
    let next = next.map_err(unreadable)?;
    // The whole field: what stands behind a NUL is a name to somebody else.
    let mut field = [0; 100];
    field[..name.len()].copy_from_slice(name.as_bytes());
    let header = next.header();
    let is_named = header.as_old().name == field && *header.path_bytes() == *name.as_bytes();
    if header.entry_type() != EntryType::Regular || !is_named {
        return Err(broken(&format!("it holds something else where {name} should be")));
    }
    Ok(next)
}

struct Sink<'a>(&'a mut Sha256);

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn foreign() -> Problem {
    Problem::new(Code::Invalid, "This is not an archive of an outbox.")
        .hint("Nothing was imported. Give the file that “outtrayctl export” wrote.")
}

fn broken(what: &str) -> Problem {
    Problem::new(Code::Invalid, format!("This archive is not right: {what}."))
        .hint("Nothing was imported. Export it anew, and copy the file once more.")
}

fn short() -> Problem {
    Problem::new(Code::Invalid, "This archive ends too early.")
        .hint("Nothing was imported. Copy the file once more, whole.")
}

fn unreadable(error: io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => short().because(error),
        _ => broken("it cannot be read").because(error),
    }
}
