//! The files of attachments, in one directory beside the store.
//!
//! A file is written under a passing name, synced, renamed to its final one, and the directory is synced: only then
//! does the caller commit the row that names it. Files are private to the person, are never written in place, and are
//! reached by plain names only, never through a link.

use std::collections::HashSet;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::name::{clean_name, extension};
use super::picture::{self, Kind};
use crate::clock::{Clock, SystemClock};
use crate::problem::{Code, Problem, Result};

/// The largest attachment, in bytes: 100 MiB.
pub const LARGEST: u64 = 100 * 1024 * 1024;
/// What the name of a file ends in while it is being written.
const PASSING: &str = "part";

/// The directory of attachments.
#[derive(Debug, Clone)]
pub struct Files {
    dir: PathBuf,
}

/// An attachment that lies safe on this computer, to be named by a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name it is sent under: one line, no path. Not yet unique within its issue.
    pub name: String,
    /// Such as `image/png`; by the bytes where they are a picture, else by the name.
    pub media_type: String,
    /// In bytes.
    pub size: u64,
    /// Of the bytes, in hex.
    pub sha256: String,
    /// The file's name inside the directory.
    pub file: String,
    /// Width and height in pixels, when it is a picture that can be shown.
    pub picture: Option<(u32, u32)>,
}

impl Files {
    /// Opens the directory below `home`, and makes it when it is missing.
    ///
    /// # Errors
    /// `ReadOnly` when it cannot be made or belongs to somebody else, `DiskFull`, or `Internal`.
    pub fn open(home: &Path) -> Result<Self> {
        let dir = home.join("attachments");
        let made = DirBuilder::new().mode(0o700).create(&dir);
        match made {
            Ok(()) => sync(home)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(disk(error)),
        }
        let found = std::fs::symlink_metadata(&dir).map_err(disk)?;
        if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
            return Err(Problem::new(
                Code::ReadOnly,
                format!("{} is not a folder of your own.", dir.display()),
            )
            .hint("Move it away, and Outtray makes a new one."));
        }
        if found.mode() & 0o077 != 0 {
            std::fs::set_permissions(&dir, Permissions::from_mode(0o700)).map_err(disk)?;
        }
        Ok(Self { dir })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Keeps `bytes` under `name`.
    ///
    /// # Errors
    /// `Invalid` for nothing or too much, or what the disk says.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<Kept> {
        self.write(&clean_name(name), bytes)
    }

    /// Keeps a copy of the file at `path`, which may change or vanish afterwards.
    ///
    /// # Errors
    /// `NotFound` or `Invalid` for what cannot be attached, or what the disk says.
    pub fn keep_file(&self, path: &Path) -> Result<Kept> {
        // “.” and “..” have names too, once it is known where they are.
        let whole = path.file_name().is_none().then(|| std::fs::canonicalize(path).ok()).flatten();
        let name = whole.as_deref().unwrap_or(path).file_name().map(|name| name.to_string_lossy());
        let name = clean_name(&name.unwrap_or_default());
        let source = open_source(path, &name)?;
        self.write(&name, source)
    }

    /// Keeps what `source` gives under `name`.
    ///
    /// # Errors
    /// `Invalid` for nothing or too much, or what the disk says.
    pub fn keep_from(&self, name: &str, source: impl Read) -> Result<Kept> {
        self.write(&clean_name(name), source)
    }

    /// Opens a file to read it piece by piece.
    ///
    /// # Errors
    /// `NotFound` when it is not there or its name is none of ours.
    pub fn open_file(&self, file: &str) -> Result<File> {
        self.read(file)
    }

    /// How long a file is, and its digest.
    ///
    /// # Errors
    /// As of `bytes`.
    pub fn digest(&self, file: &str) -> Result<(u64, String)> {
        copy(self.read(file)?, &mut io::sink(), file)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// `NotFound` when it is not there or its name is none of ours.
    pub fn bytes(&self, file: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read(file)?.read_to_end(&mut bytes).map_err(disk)?;
        Ok(bytes)
    }

    /// A PNG of a picture that fits `fit` × `fit` pixels, without anything the picture says about itself.
    ///
    /// # Errors
    /// `NotFound` as of `bytes`; `Invalid` when it is no picture that can be shown.
    pub fn thumbnail(&self, file: &str, fit: u32) -> Result<Vec<u8>> {
        picture::thumbnail(&self.read(file)?, fit)
            .ok_or_else(|| Problem::new(Code::Invalid, "This attachment cannot be shown as a picture."))
    }

    /// Erases a file; erasing what is not there is fine.
    ///
    /// # Errors
    /// `NotFound` when the name is none of ours, or what the disk says.
    pub fn erase(&self, file: &str) -> Result<()> {
        match std::fs::remove_file(self.path(file)?) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(disk(error)),
            _ => Ok(()),
        }
    }

    /// Erases the files that are not `known`, when they are older than `older_than`: a fresh one may be waiting for its
    /// row. Returns how many there were.
    ///
    /// # Errors
    /// What the disk says.
    pub fn sweep(&self, known: &HashSet<String>, older_than: Duration) -> Result<usize> {
        // The disk dates files by the machine's clock, so that is the clock to compare with, whoever runs the engine.
        let now_ms = SystemClock::new().now().wall_ms;
        let oldest_ms = now_ms.saturating_sub(i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX));
        let mut swept = 0;
        for found in std::fs::read_dir(&self.dir).map_err(disk)? {
            let found = found.map_err(disk)?;
            let name = found.file_name();
            let Some(name) = name.to_str().filter(|name| is_ours(name) && !known.contains(*name)) else {
                continue;
            };
            // What vanishes meanwhile was swept by another process.
            let Ok(facts) = found.metadata() else { continue };
            if facts.is_file() && facts.mtime().saturating_mul(1000) < oldest_ms {
                self.erase(name)?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn write(&self, name: &str, source: impl Read) -> Result<Kept> {
        let id = Uuid::now_v7();
        let passing = Passing(self.dir.join(format!("{id}.{PASSING}")));
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&passing.0)
            .map_err(disk)?;
        let (size, sha256) = copy(source, &mut file, name)?;
        io::Seek::rewind(&mut file).map_err(disk)?;
        let kind = picture::sniff(&file);
        file.sync_all().map_err(disk)?;

        let own = extension(name);
        let (media_type, extension) = match kind {
            Kind::Picture { format, .. } | Kind::TooLarge(format) => {
                (format.media_type(), format.extension())
            }
            Kind::Plain => (picture::media_type_by_extension(&own), own.as_str()),
        };
        let final_name = match extension {
            "" | PASSING => id.to_string(),
            extension => format!("{id}.{extension}"),
        };
        std::fs::rename(&passing.0, self.dir.join(&final_name)).map_err(disk)?;
        sync(&self.dir)?;
        Ok(Kept {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            size,
            sha256,
            file: final_name,
            picture: match kind {
                Kind::Picture { width, height, .. } => Some((width, height)),
                Kind::TooLarge(_) | Kind::Plain => None,
            },
        })
    }

    fn read(&self, file: &str) -> Result<File> {
        // Not blocking, so that a pipe somebody planted cannot hold us.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(self.path(file)?)
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => gone().because(error),
                _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => gone().because(error),
                _ => disk(error),
            })?;
        if opened.metadata().map_err(disk)?.is_file() { Ok(opened) } else { Err(gone()) }
    }

    fn path(&self, file: &str) -> Result<PathBuf> {
        if is_ours(file) { Ok(self.dir.join(file)) } else { Err(gone()) }
    }
}

/// A file that is being written: gone with this value, unless it was renamed.
struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        // Mostly there is nothing to erase; what cannot be erased is swept later.
        let _erased = std::fs::remove_file(&self.0);
    }
}

/// Opens what a person wants to attach, and refuses in words what is no file.
fn open_source(path: &Path, name: &str) -> Result<File> {
    // Not blocking, so that a pipe without a writer is refused and not waited for.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
        let (code, message, hint) = match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => (
                Code::NotFound,
                format!("There is no file {}.", path.display()),
                "Check the name, or choose another file.",
            ),
            ErrorKind::PermissionDenied => (
                Code::Invalid,
                format!("“{name}” may not be read by you."),
                "Change who may read it, or choose another file.",
            ),
            ErrorKind::IsADirectory => return directory(name),
            _ => (Code::Invalid, format!("“{name}” cannot be read."), "Choose another file."),
        };
        Problem::new(code, message).hint(hint).because(error)
    })?;
    let facts = file.metadata().map_err(|error| unreadable(name, error))?;
    if facts.is_dir() {
        return Err(directory(name));
    }
    if !facts.is_file() {
        return Err(Problem::new(Code::Invalid, format!("“{name}” is not a file but a device or a pipe."))
            .hint("Save what it gives to a file, and attach that."));
    }
    if facts.len() > LARGEST {
        return Err(too_large(name));
    }
    Ok(file)
}

/// Copies everything, and tells how much it was and its digest.
fn copy(mut source: impl Read, target: &mut impl Write, name: &str) -> Result<(u64, String)> {
    let mut digest = Sha256::new();
    let mut size: u64 = 0;
    let mut buffer = vec![0; 128 * 1024];
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(name, error)),
        };
        size += read as u64;
        // A file may grow while it is read.
        if size > LARGEST {
            return Err(too_large(name));
        }
        digest.update(&buffer[..read]);
        target.write_all(&buffer[..read]).map_err(disk)?;
    }
    if size == 0 {
        return Err(Problem::new(
            Code::Invalid,
            format!("“{name}” is empty, so there is nothing to attach."),
        )
        .hint("Choose another file."));
    }
    Ok((size, digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Whether `file` is a name that [`Files::write`] gives: an id and at most a plain extension.
fn is_ours(file: &str) -> bool {
    let (id, extension) = file.split_once('.').unwrap_or((file, "x"));
    id.len() == 36
        && Uuid::try_parse(id).is_ok()
        && !extension.is_empty()
        && extension.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

fn sync(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(disk)
}

fn gone() -> Problem {
    Problem::new(Code::NotFound, "That attachment is not there any more.")
}

fn directory(name: &str) -> Problem {
    Problem::new(Code::Invalid, format!("“{name}” is a folder, and only files can be attached."))
        .hint("Pack it into one file, and attach that.")
}

fn too_large(name: &str) -> Problem {
    Problem::new(
        Code::Invalid,
        format!("“{name}” is larger than 100 MiB, which is the most an attachment may be."),
    )
    .hint("Cut or pack it, or put it elsewhere and write its address.")
}

fn unreadable(name: &str, error: io::Error) -> Problem {
    Problem::new(Code::Invalid, format!("“{name}” cannot be read."))
        .hint("Choose another file.")
        .because(error)
}

/// What the disk under the attachments says, in words.
pub(super) fn disk(error: io::Error) -> Problem {
    let problem = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Problem::new(Code::DiskFull, "The disk is full, so the attachment could not be kept.")
                .hint("Free some space and try again.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Problem::new(Code::ReadOnly, "Outtray’s folder of attachments cannot be written.")
                .hint("Check who owns it and whether the disk is mounted for writing.")
        }
        _ => Problem::new(Code::Internal, "Outtray’s folder of attachments could not be used.")
            .hint("Try again; outtrayctl doctor tells more."),
    };
    problem.because(error)
}
