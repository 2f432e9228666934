//! The file work: blocking, synced, in one rename.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use url::Url;

use super::{name, page};
use crate::issue::{Issue, Key, Receipt};
use crate::tracker::{Cause, CauseKind, Reply, file};

/// Writes the issue, or finds that it has been written.
pub(super) fn issue(
    folder: &Path,
    attachments: &Path,
    issue: &Issue,
    cancelled: &AtomicBool,
) -> Result<Receipt, Reply> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    if let Some(receipt) = find(folder, issue.key)?.into_iter().next() {
        return Ok(receipt);
    }
    clear_stale(folder, issue.key).map_err(|error| unwritable(folder, &error))?;
    // That it is there already means that another try of the same issue was faster.
    make(folder, attachments, issue, cancelled)?;
    Ok(receipt(folder, &name::directory(issue)))
}

/// Writes the issue for a person to keep, and never over anything. Says whether it was not there before.
pub(super) fn save(folder: &Path, attachments: &Path, issue: &Issue) -> Result<bool, Reply> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    if !find(folder, issue.key)?.is_empty() {
        return Ok(false);
    }
    clear_stale(folder, issue.key).map_err(|error| unwritable(folder, &error))?;
    make(folder, attachments, issue, &AtomicBool::new(false))
}

/// Makes the directory, whole. Says whether it was not there before.
fn make(folder: &Path, attachments: &Path, issue: &Issue, cancelled: &AtomicBool) -> Result<bool, Reply> {
    let making = folder.join(format!("{}{:08x}", making(issue.key), fastrand::u32(..)));
    let made = fill(&making, folder, attachments, issue, cancelled).and_then(|()| {
        if cancelled.load(Ordering::SeqCst) {
            return Err(broken_off());
        }
        publish(&making, &folder.join(name::directory(issue))).map_err(|error| unwritable(folder, &error))
    });
    if made.is_err() {
        // What cannot be removed now is removed as stale by the next try.
        let _ = fs::remove_dir_all(&making);
    }
    let is_new = made?;
    // From here on it is there; only whether it survives a power cut is open until the folder is synced.
    sync(folder).map_err(|error| Reply::Doubt(cause(folder, &error)))?;
    Ok(is_new)
}

/// Every directory of this issue, oldest name first. Directories appear whole, so a name is proof.
pub(super) fn find(folder: &Path, key: Key) -> Result<Vec<Receipt>, Reply> {
    let end = name::end(key);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unwritable(folder, &error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| unwritable(folder, &error))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.ends_with(&end) && !name.starts_with('.') && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names.iter().map(|name| receipt(folder, name)).collect())
}

/// Whether issues can be written here: makes the folder and something in it.
pub(super) fn probe(folder: &Path) -> Result<(), Reply> {
    let probe = folder.join(format!(".outtray-probe-{:08x}", fastrand::u32(..)));
    fs::create_dir_all(folder)
        .and_then(|()| fs::create_dir(&probe))
        .and_then(|()| fs::remove_dir(&probe))
        .map_err(|error| unwritable(folder, &error))
}

fn fill(
    making: &Path,
    folder: &Path,
    attachments: &Path,
    issue: &Issue,
    cancelled: &AtomicBool,
) -> Result<(), Reply> {
    let wrong = |error: io::Error| unwritable(folder, &error);
    fs::create_dir(making).map_err(wrong)?;
    let given: Vec<&str> = issue.attachments.iter().map(|attachment| attachment.name.as_str()).collect();
    let files = name::files(&given);
    for (attachment, name) in issue.attachments.iter().zip(&files) {
        if cancelled.load(Ordering::SeqCst) {
            return Err(broken_off());
        }
        put(&making.join(name), &file::read(attachments, attachment)?).map_err(wrong)?;
    }
    put(&making.join(name::PAGE), page::markdown(issue, &files).as_bytes()).map_err(wrong)?;
    sync(making).map_err(wrong)
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives the directory its name, and never takes the place of another one. Says whether the name was free.
fn publish(making: &Path, place: &Path) -> io::Result<bool> {
    let renamed = match renameat_with(CWD, making, CWD, place, RenameFlags::NOREPLACE) {
        // Some network file systems do not know the flag; a rename onto a directory with files in it fails by itself.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => fs::rename(making, place),
        renamed => renamed.map_err(io::Error::from),
    };
    match renamed {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty) =>
        {
            // Another try may be clearing it away already.
            fs::remove_dir_all(making).or_else(is_gone)?;
            Ok(false)
        }
        renamed => renamed.map(|()| true),
    }
}

/// What an earlier try of this issue left half-made.
fn clear_stale(folder: &Path, key: Key) -> io::Result<()> {
    let making = making(key);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(&making)) {
            remove_whole(folder, &entry.path(), key)?;
        }
    }
    Ok(())
}

/// Removes a half-made directory under a name that nobody else knows. Whoever still fills it cannot give it its final name
/// any more, so that nothing appears with half of it removed.
fn remove_whole(folder: &Path, half: &Path, key: Key) -> io::Result<()> {
    let cleared = folder.join(format!("{}{}", making(key), uuid::Uuid::new_v4().simple()));
    fs::rename(half, &cleared).and_then(|()| fs::remove_dir_all(&cleared)).or_else(is_gone)
}

/// It is no trouble that something is not there that was to be removed.
fn is_gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// How a directory is called while it is being made: hidden, and by its key.
fn making(key: Key) -> String {
    format!(".outtray-{key}-")
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

fn receipt(folder: &Path, name: &str) -> Receipt {
    let path = folder.join(name);
    // Only a path that is not whole has no address, and those are refused at the door.
    let url = Url::from_file_path(&path).map(String::from).unwrap_or_default();
    Receipt { number: name.to_owned(), url }
}

/// Sorts what goes wrong with the folder: its set-up is the person's to mend, the rest may pass.
fn unwritable(folder: &Path, error: &io::Error) -> Reply {
    let cause = cause(folder, error);
    if cause.kind == CauseKind::Setup { Reply::Refused(cause) } else { Reply::NotSent(cause) }
}

fn cause(folder: &Path, error: &io::Error) -> Cause {
    use io::ErrorKind::{
        AlreadyExists, NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    let place = folder.display();
    let (kind, words) = match error.kind() {
        StorageFull | QuotaExceeded => {
            (CauseKind::Local, format!("There is no room left on the disk of {place}."))
        }
        PermissionDenied => (CauseKind::Setup, format!("Outtray may not write in {place}.")),
        ReadOnlyFilesystem => (CauseKind::Setup, format!("{place} is on a disk that cannot be written.")),
        NotADirectory | AlreadyExists => {
            (CauseKind::Setup, format!("{place} cannot be a folder: a file is in its place."))
        }
        _ => (CauseKind::Local, format!("Writing in {place} did not work.")),
    };
    Cause { kind, words, detail: format!("folder: {error}") }
}

fn broken_off() -> Reply {
    let words = "Writing the issue was broken off.".to_owned();
    Reply::NotSent(Cause { kind: CauseKind::Local, words, detail: "the attempt was cancelled".to_owned() })
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_may_pass_and_a_closed_folder_is_the_persons() {
        let folder = Path::new("/home/ada/Issues");
        for (errno, kind, words) in [
            (Errno::NOSPC, CauseKind::Local, "There is no room left on the disk of /home/ada/Issues."),
            (Errno::DQUOT, CauseKind::Local, "There is no room left on the disk of /home/ada/Issues."),
            (Errno::ACCESS, CauseKind::Setup, "Outtray may not write in /home/ada/Issues."),
            (Errno::ROFS, CauseKind::Setup, "/home/ada/Issues is on a disk that cannot be written."),
            (Errno::NOTDIR, CauseKind::Setup, "/home/ada/Issues cannot be a folder: a file is in its place."),
            (Errno::IO, CauseKind::Local, "Writing in /home/ada/Issues did not work."),
        ] {
            let reply = unwritable(folder, &io::Error::from(errno));
            let (Reply::NotSent(cause) | Reply::Refused(cause)) = reply else { panic!("{errno}: {reply:?}") };
            assert_eq!((cause.kind, cause.words.as_str()), (kind, words), "{errno}");
        }
    }
}
