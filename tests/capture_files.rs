//! Attachments beside the store: copied whole, kept private, reached by plain names only.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use outtray_core::Code;
use outtray_core::capture::{Files, Kept, LARGEST};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A home with a directory of attachments.
struct Desk {
    home: TempDir,
    files: Files,
}

impl Desk {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        let files = Files::open(home.path()).unwrap();
        Self { home, files }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(name)
    }

    /// What lies in the directory now.
    fn lying(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.files.dir())
            .unwrap()
            .map(|found| found.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn refused(&self, path: &Path) -> (Code, String, String) {
        let problem = self.files.keep_file(path).expect_err("this cannot be attached");
        assert_eq!(self.lying(), Vec::<String>::new(), "a refusal leaves nothing behind");
        (problem.code, problem.message, problem.hint.expect("a refusal has a next step"))
    }
}

#[test]
fn bytes_come_back_as_they_were_given() {
    let desk = Desk::new();
    let Kept { name, media_type, size, sha256, file, picture } =
        desk.files.keep("crash.log", b"it broke").unwrap();
    assert_eq!((name.as_str(), media_type.as_str(), size, picture), ("crash.log", "text/plain", 8, None));
    assert_eq!(
        sha256,
        Sha256::digest(b"it broke").iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    );
    assert_eq!(desk.files.bytes(&file).unwrap(), b"it broke");
    assert_eq!(desk.lying(), [file], "no passing file is left");
}

#[test]
fn a_copy_outlives_its_original() {
    let desk = Desk::new();
    let original = desk.path("späte Mühe.txt");
    fs::write(&original, "before").unwrap();
    let kept = desk.files.keep_file(&original).unwrap();
    fs::write(&original, "after").unwrap();
    fs::remove_file(&original).unwrap();
    assert_eq!(kept.name, "späte Mühe.txt");
    assert_eq!(desk.files.bytes(&kept.file).unwrap(), b"before");
}

#[test]
fn files_are_private_to_the_person() {
    let desk = Desk::new();
    let kept = desk.files.keep("a.txt", b"a").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(desk.files.dir()), 0o700);
    assert_eq!(mode(&desk.files.dir().join(kept.file)), 0o600);

    fs::set_permissions(desk.files.dir(), fs::Permissions::from_mode(0o755)).unwrap();
    Files::open(desk.home.path()).unwrap();
    assert_eq!(mode(desk.files.dir()), 0o700, "a directory left open is closed");
}

#[test]
fn a_directory_that_is_a_link_is_refused() {
    let (home, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    symlink(elsewhere.path(), home.path().join("attachments")).unwrap();
    assert_eq!(Files::open(home.path()).unwrap_err().code, Code::ReadOnly);
}

#[test]
fn what_is_no_file_is_refused_in_words() {
    let desk = Desk::new();
    let (code, message, _) = desk.refused(&desk.path("gone.log"));
    assert_eq!(code, Code::NotFound);
    assert!(message.starts_with("There is no file ") && message.ends_with("gone.log."), "{message}");

    fs::create_dir(desk.path("logs")).unwrap();
    assert_eq!(desk.refused(&desk.path("logs")).1, "“logs” is a folder, and only files can be attached.");

    fs::write(desk.path("x.log"), "").unwrap();
    assert_eq!(desk.refused(&desk.path("x.log")).1, "“x.log” is empty, so there is nothing to attach.");
    assert_eq!(desk.refused(Path::new("/dev/zero")).1, "“zero” is not a file but a device or a pipe.");
    assert_eq!(desk.refused(Path::new("/")).0, Code::Invalid);
}

#[test]
fn a_pipe_without_a_writer_is_refused_at_once() {
    let desk = Desk::new();
    let pipe = desk.path("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    let started = Instant::now();
    assert_eq!(desk.refused(&pipe).1, "“pipe” is not a file but a device or a pipe.");
    assert!(started.elapsed() < Duration::from_secs(2), "it must not wait for a writer");
}

#[test]
fn a_file_that_may_not_be_read_is_refused_in_words() {
    let desk = Desk::new();
    let path = desk.path("secret.txt");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser reads everything, so there it is taken.
    if rustix::process::geteuid().is_root() {
        assert!(desk.files.keep_file(&path).is_ok());
    } else {
        assert_eq!(desk.refused(&path).1, "“secret.txt” may not be read by you.");
    }
}

#[test]
fn more_than_the_bound_is_refused_in_words() {
    let desk = Desk::new();
    let path = desk.path("core.dump");
    // A hole in a file costs no disk.
    File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
    let (code, message, _) = desk.refused(&path);
    assert_eq!(code, Code::Invalid);
    assert_eq!(message, "“core.dump” is larger than 100 MiB, which is the most an attachment may be.");
}

#[test]
fn an_empty_paste_is_refused() {
    let desk = Desk::new();
    let problem = desk.files.keep("paste.png", b"").unwrap_err();
    assert_eq!(problem.message, "“paste.png” is empty, so there is nothing to attach.");
    assert_eq!(desk.lying(), Vec::<String>::new());
}

#[test]
fn only_plain_names_of_our_own_reach_a_file() {
    let desk = Desk::new();
    fs::write(desk.path("outside"), "private").unwrap();
    fs::write(desk.files.dir().join("stray"), "stray").unwrap();
    let absolute = desk.path("outside").to_string_lossy().into_owned();
    for name in ["../outside", "", ".", "..", "stray", "/etc/passwd", &absolute, "a/b", "x\0y"] {
        assert_eq!(desk.files.bytes(name).unwrap_err().code, Code::NotFound, "of {name:?}");
        assert_eq!(desk.files.thumbnail(name, 64).unwrap_err().code, Code::NotFound, "of {name:?}");
        assert_eq!(desk.files.erase(name).unwrap_err().code, Code::NotFound, "of {name:?}");
    }
    assert!(desk.path("outside").exists());
}

#[test]
fn a_planted_link_or_pipe_is_never_followed() {
    let desk = Desk::new();
    fs::write(desk.path("outside"), "private").unwrap();
    let link = "01890000-0000-7000-8000-000000000001";
    symlink(desk.path("outside"), desk.files.dir().join(link)).unwrap();
    assert_eq!(desk.files.bytes(link).unwrap_err().code, Code::NotFound);
    let pipe = "01890000-0000-7000-8000-000000000002";
    rustix::fs::mkfifoat(rustix::fs::CWD, desk.files.dir().join(pipe), 0o600.into()).unwrap();
    assert_eq!(desk.files.bytes(pipe).unwrap_err().code, Code::NotFound);
    desk.files.erase(link).unwrap();
    assert!(desk.path("outside").exists(), "erasing a link leaves what it points to");
}

#[test]
fn erasing_twice_is_fine() {
    let desk = Desk::new();
    let kept = desk.files.keep("a.txt", b"a").unwrap();
    desk.files.erase(&kept.file).unwrap();
    desk.files.erase(&kept.file).unwrap();
    assert_eq!(desk.files.bytes(&kept.file).unwrap_err().code, Code::NotFound);
}

#[test]
fn a_sweep_takes_old_files_without_a_row_and_nothing_else() {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    let desk = Desk::new();
    let keep = |name: &str, age: Duration| {
        let file = desk.files.keep(name, name.as_bytes()).unwrap().file;
        let opened = File::options().write(true).open(desk.files.dir().join(&file)).unwrap();
        opened.set_modified(SystemTime::now() - age).unwrap();
        file
    };
    let named = keep("named.txt", 3 * DAY);
    let fresh = keep("fresh.txt", Duration::ZERO);
    let orphan = keep("orphan.txt", 3 * DAY);
    let half = format!("{}.part", orphan.split_once('.').unwrap().0);
    fs::rename(desk.files.dir().join(keep("half.txt", 3 * DAY)), desk.files.dir().join(&half)).unwrap();
    let stray = desk.files.dir().join("README");
    fs::write(&stray, "not ours").unwrap();
    File::options().write(true).open(&stray).unwrap().set_modified(SystemTime::now() - 3 * DAY).unwrap();

    let known = HashSet::from([named.clone()]);
    assert_eq!(desk.files.sweep(&known, DAY).unwrap(), 2, "the orphan, and what a crash left half written");
    let mut left = vec![named, fresh, "README".to_owned()];
    left.sort();
    assert_eq!(desk.lying(), left);
}

#[test]
fn a_full_disk_is_told_in_words_and_leaves_nothing_half_written() {
    // Only who may mount can have a small disk; elsewhere there is nothing to try it on.
    let desk = Desk::new();
    let Ok(small) = small_disk(desk.files.dir()) else { return };
    let problem = desk.files.keep("big.bin", &vec![7; 4 << 20]).unwrap_err();
    assert_eq!(problem.code, Code::DiskFull);
    assert_eq!(problem.message, "The disk is full, so the attachment could not be kept.");
    assert_eq!(desk.lying(), Vec::<String>::new());
    drop(small);
}

/// Mounts a disk of a mebibyte over `dir`, where this process may.
fn small_disk(dir: &Path) -> std::io::Result<impl Drop> {
    struct Mounted(std::path::PathBuf);
    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ended = std::process::Command::new("umount").arg(&self.0).status();
        }
    }
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs"])
        .arg(dir)
        .stderr(std::process::Stdio::null())
        .status()?;
    if mounted.success() {
        Ok(Mounted(dir.to_owned()))
    } else {
        Err(std::io::ErrorKind::PermissionDenied.into())
    }
}
