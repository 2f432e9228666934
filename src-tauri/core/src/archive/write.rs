//! Writing an archive: under a passing name beside its own, whole and on the disk, and only then under its own.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, RenameFlags};
use sha2::{Digest, Sha256};
use tar::{Builder, Header};
use uuid::Uuid;

use super::check::fits;
use super::{MANIFEST, Manifest, SUMS, member, sums};
use crate::problem::{Code, Problem, Result};

/// Where an archive is to be.
#[derive(Debug, Clone)]
pub struct Target {
    path: PathBuf,
    directory: PathBuf,
    replace: bool,
}

impl Target {
    /// At `path`, where nothing may be yet unless it is to be replaced.
    ///
    /// # Errors
    /// `Refused` when something is there, `Invalid` when nothing can be.
    pub fn new(path: &Path, replace: bool) -> Result<Self> {
        let told = path.display();
        if path.file_name().is_none() {
            return Err(Problem::new(Code::Invalid, format!("{told} is no name of a file."))
                .hint("Give it one, such as outbox.tar."));
        }
        let directory = match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory.to_owned(),
            _ => PathBuf::from("."),
        };
        if !directory.is_dir() {
            return Err(Problem::new(Code::NotFound, format!("There is no folder {}.", directory.display()))
                .hint("Make it first, or write the archive somewhere else."));
        }
        let target = Self { path: path.to_owned(), directory, replace };
        match std::fs::symlink_metadata(&target.path) {
            Ok(found) if !found.is_file() => {
                Err(Problem::new(Code::Invalid, format!("{told} is there, and is no plain file."))
                    .hint("Give the archive another name."))
            }
            Ok(_) if !replace => Err(target.taken()),
            _ => Ok(target),
        }
    }

    fn taken(&self) -> Problem {
        Problem::new(Code::Refused, format!("{} is there already.", self.path.display()))
            .hint("Give the archive another name, or replace that file with --force.")
    }
}

/// An archive that is being written. Gone with this value, unless it was put in its place.
pub struct Writer {
    target: Target,
    passing: PathBuf,
    tar: Builder<BufWriter<File>>,
    sums: (String, Vec<String>),
    is_placed: bool,
}

impl Writer {
    /// Begins one with its manifest.
    ///
    /// # Errors
    /// `Refused` for an outbox that fits into no archive, or what the disk says.
    pub fn begin(target: Target, manifest: &Manifest) -> Result<Self> {
        fits(manifest)?;
        let name = target.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let passing = target.directory.join(format!(".{name}.{}.part", Uuid::new_v4().simple()));
        let file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&passing).map_err(disk)?;
        let tar = Builder::new(BufWriter::new(file));
        let mut writer = Self { target, passing, tar, sums: (String::new(), Vec::new()), is_placed: false };
        let text = serde_json::to_vec_pretty(manifest).map_err(|error| {
            Problem::new(Code::Internal, "The outbox cannot be written down.").because(error)
        })?;
        if text.len() as u64 > super::read::LONGEST_MANIFEST {
            return Err(Problem::new(
                Code::Refused,
                "The words of this outbox are too long for one archive.",
            )
            .hint("Nothing was changed. What was filed long ago goes by itself; see keep.filed_text_days."));
        }
        writer.sums.0 = super::hex(&Sha256::digest(&text));
        writer.append(MANIFEST, text.len() as u64, &text[..])?;
        Ok(writer)
    }

    /// Adds the next file, of this many bytes with this digest.
    ///
    /// # Errors
    /// What the disk says, or `Internal` when the file is another one by now.
    pub fn add(&mut self, size: u64, sha256: &str, source: impl Read) -> Result<()> {
        let mut digested = Digested { source: source.take(size), digest: Sha256::new(), read: 0 };
        self.append(&member(self.sums.1.len() + 1), size, &mut digested)?;
        if digested.read != size || super::hex(&digested.digest.finalize()) != sha256 {
            return Err(Problem::new(Code::Internal, "An attachment changed while it was being exported.")
                .hint("Nothing was changed. Try again."));
        }
        self.sums.1.push(sha256.to_owned());
        Ok(())
    }

    /// Ends it: everything is on the disk when this returns, still under its passing name.
    ///
    /// # Errors
    /// What the disk says.
    pub fn finish(&mut self) -> Result<()> {
        let (manifest, files) = &self.sums;
        let text = sums(manifest, files.iter().cloned());
        self.append(SUMS, text.len() as u64, text.as_bytes())?;
        self.tar.finish().map_err(disk)?;
        let buffer = self.tar.get_mut();
        buffer.flush().map_err(disk)?;
        buffer.get_ref().sync_all().map_err(disk)?;
        self.sync_directory()
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// `Refused` when something has come there meanwhile, or what the disk says.
    pub fn place(mut self) -> Result<()> {
        let (from, to) = (&self.passing, &self.target.path);
        let renamed = if self.target.replace {
            std::fs::rename(from, to)
        } else {
            match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
                // Some disks, such as those of cameras, cannot do both in one.
                Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                    match rustix::fs::accessat(CWD, to, rustix::fs::Access::EXISTS, AtFlags::empty()) {
                        Ok(()) => Err(ErrorKind::AlreadyExists.into()),
                        Err(_) => std::fs::rename(from, to),
                    }
                }
                renamed => renamed.map_err(io::Error::from),
            }
        };
        match renamed {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(self.target.taken()),
            renamed => renamed.map_err(disk)?,
        }
        self.is_placed = true;
        self.sync_directory()
    }

    fn append(&mut self, name: &str, size: u64, source: impl Read) -> Result<()> {
        let mut header = Header::new_ustar();
        header.set_path(name).map_err(disk)?;
        header.set_size(size);
        header.set_mode(0o600);
        header.set_cksum();
        self.tar.append(&header, source).map_err(disk)
    }

    fn sync_directory(&self) -> Result<()> {
        File::open(&self.target.directory).and_then(|directory| directory.sync_all()).map_err(disk)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_placed {
            let _erased = std::fs::remove_file(&self.passing);
        }
    }
}

/// Bytes on their way, counted and digested.
struct Digested<R> {
    source: R,
    digest: Sha256,
    read: u64,
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.digest.update(&buffer[..read]);
        self.read += read as u64;
        Ok(read)
    }
}

/// What the disk under the archive says, in words.
fn disk(error: io::Error) -> Problem {
    let problem = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Problem::new(Code::DiskFull, "The disk is full, so the archive could not be written.")
                .hint("Nothing was changed. Free some space, or write it somewhere else.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Problem::new(Code::ReadOnly, "The archive may not be written there.")
                .hint("Nothing was changed. Write it somewhere else.")
        }
        _ => Problem::new(Code::Internal, "The archive could not be written.")
            .hint("Nothing was changed. Try again, or write it somewhere else."),
    };
    problem.because(error)
}
