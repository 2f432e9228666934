//! A folder takes an issue whole, once, and says what is wrong in words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/tracker_case.rs"]
mod case;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use case::{Case, cause, done, kind};
use outtray_core::issue::Key;
use outtray_core::tracker::{CauseKind, Reply, Step};
use tempfile::TempDir;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn an_issue_becomes_one_directory_with_a_page_and_its_files() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("not yet/there");
    let mut case = Case::new();
    case.issue.title = "Größe is wrong\nagain".into();
    case.issue.labels = vec!["bug".into(), "ui".into()];
    case.attach("shot é \"q\".png", "image/png", b"picture").attach("log.txt", "text/plain", b"");
    let tracker = case.folder(folder.to_str().unwrap()).unwrap();

    let receipt = case.created(&*tracker).await;

    let today = jiff::Timestamp::now().to_zoned_datetime(jiff::tz::TimeZone::system()).date().to_string();
    assert_eq!(receipt.number, format!("{today}-groesse-is-wrong-again-{}", case.issue.key));
    assert_eq!(names(&folder), [receipt.number.as_str()], "nothing half-made is left beside it");
    let directory = folder.join(&receipt.number);
    assert_eq!(names(&directory), ["issue.md", "log.txt", "shot é \"q\".png"]);
    assert_eq!(fs::read(directory.join("shot é \"q\".png")).unwrap(), b"picture");
    assert_eq!(fs::read(directory.join("log.txt")).unwrap(), b"", "an empty file is a file");
    assert_eq!(
        fs::read_to_string(directory.join("issue.md")).unwrap(),
        "# Größe is wrong again\n\nLabels: bug, ui\n\nIt crashed.\r\nTwice. 🦀\n\n\
         ![shot é \"q\".png](shot%20é%20%22q%22.png)\n\n[log.txt](log.txt)\n"
    );
    let url = url::Url::parse(&receipt.url).unwrap();
    assert_eq!(url.to_file_path().unwrap(), directory, "the link leads there: {url}");
    assert!(url.as_str().contains("not%20yet"));
}

#[tokio::test]
async fn filing_again_finds_what_is_there() {
    let home = TempDir::new().unwrap();
    let case = Case::new();
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();
    let first = case.created(&*tracker).await;
    // As it would be called had it been filed on another day, under another title.
    let other = format!("2001-01-01-another-title-{}", case.issue.key);
    fs::rename(home.path().join(&first.number), home.path().join(&other)).unwrap();

    assert_eq!(case.created(&*tracker).await.number, other, "an existing directory of the key means done");
    assert_eq!(names(home.path()), [other]);
}

#[tokio::test]
async fn many_tries_at_once_make_one_directory() {
    let home = TempDir::new().unwrap();
    let mut case = Case::new();
    case.attach("shot.png", "image/png", &vec![7; 300_000]);
    let tries = (0..8).map(|_| case.folder(home.path().to_str().unwrap()).unwrap()).collect::<Vec<_>>();

    let mut set = tokio::task::JoinSet::new();
    for tracker in tries {
        let issue = case.issue.clone();
        set.spawn(async move { tracker.send(&issue, Step::Create { uploaded: &[] }).await });
    }
    let replies = set.join_all().await;

    assert!(replies.iter().any(|reply| kind(reply) == "done"), "{replies:?}");
    let left: Vec<String> = names(home.path()).into_iter().filter(|name| !name.starts_with('.')).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(fs::read(home.path().join(&left[0]).join("shot.png")).unwrap().len(), 300_000);
}

#[tokio::test]
async fn a_half_made_directory_is_no_issue_and_is_cleared_away() {
    let home = TempDir::new().unwrap();
    let case = Case::new();
    let stale = home.path().join(format!(".outtray-{}-deadbeef", case.issue.key));
    let of_another = home.path().join(format!(".outtray-{}-deadbeef", Key::fresh()));
    for directory in [&stale, &of_another] {
        fs::create_dir(directory).unwrap();
        fs::write(directory.join("issue.md"), "half").unwrap();
    }
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();

    assert!(case.find(&*tracker).await.unwrap().issues.is_empty(), "half is nothing");
    let receipt = case.created(&*tracker).await;

    assert!(!stale.exists() && of_another.exists(), "only this issue's own is cleared");
    assert_eq!(case.find(&*tracker).await.unwrap().issues, [receipt]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_cleared_away_loses_its_name_before_it_loses_a_file() {
    const FILES: usize = 3_000;
    let home = TempDir::new().unwrap();
    let case = Case::new();
    let half = home.path().join(format!(".outtray-{}-deadbeef", case.issue.key));
    fs::create_dir(&half).unwrap();
    (0..FILES).for_each(|n| fs::write(half.join(n.to_string()), "").unwrap());
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();

    // Whoever was still filling it could give it its final name at any moment.
    let watched = std::thread::spawn(move || {
        while half.exists() {
            let files = fs::read_dir(&half).map_or(FILES, Iterator::count);
            if files < FILES && half.exists() {
                return files;
            }
        }
        FILES
    });
    case.created(&*tracker).await;
    assert_eq!(watched.join().unwrap(), FILES);
}

#[tokio::test]
async fn a_look_sees_exactly_the_directories_of_the_key() {
    let home = TempDir::new().unwrap();
    let case = Case::new();
    let tracker = case.folder(home.path().join("nowhere").to_str().unwrap()).unwrap();
    assert!(case.find(&*tracker).await.unwrap().issues.is_empty(), "no folder, no issue");

    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();
    let key = case.issue.key;
    for name in [
        format!("2026-01-02-b-{key}"),
        format!("2026-01-01-a-{key}"),
        format!("2026-01-01-a-{}", Key::fresh()),
    ] {
        fs::create_dir(home.path().join(name)).unwrap();
    }
    fs::write(home.path().join(format!("a-file-{key}")), "").unwrap();
    let seen: Vec<String> =
        case.find(&*tracker).await.unwrap().issues.into_iter().map(|receipt| receipt.number).collect();
    assert_eq!(seen, [format!("2026-01-01-a-{key}"), format!("2026-01-02-b-{key}")], "oldest first");
}

#[tokio::test]
async fn a_dropped_send_leaves_no_issue_behind_later() {
    let home = TempDir::new().unwrap();
    let mut case = Case::new();
    for n in 0..20 {
        case.attach(&format!("{n}.bin"), "application/octet-stream", &vec![1; 200_000]);
    }
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();
    {
        let send = tracker.send(&case.issue, Step::Create { uploaded: &[] });
        tokio::pin!(send);
        // Once, so that the work has begun.
        assert!(poll_once(send.as_mut()).await.is_none());
    }
    // A blocking task is waited for by the runtime's end only, so wait for its traces to be gone.
    let settled = || names(home.path()).iter().all(|name| !name.starts_with('.'));
    for _ in 0..500 {
        if settled() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(settled(), "{:?}", names(home.path()));
    assert!(names(home.path()).is_empty(), "a cancelled attempt must not file: {:?}", names(home.path()));
}

/// Polls once.
async fn poll_once<T>(mut future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test]
async fn names_cannot_lead_out_of_the_directory() {
    let home = TempDir::new().unwrap();
    let mut case = Case::new();
    case.issue.title = "../../\u{202e}../etc\0/passwd".into();
    case.attach("../../escape.png", "image/png", b"a")
        .attach(".bashrc", "text/plain", b"b")
        .attach("issue.md", "text/markdown", b"c")
        .attach(&format!("{}.png", "天".repeat(200)), "image/png", b"d");
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();
    let receipt = case.created(&*tracker).await;

    assert_eq!(names(home.path()), [receipt.number.as_str()]);
    let files = names(&home.path().join(&receipt.number));
    assert_eq!(files.len(), 5, "{files:?}");
    assert!(
        files.iter().all(|name| !name.starts_with('.') && !name.contains('/') && name.len() <= 255),
        "{files:?}"
    );
    assert!(
        fs::read_to_string(home.path().join(&receipt.number).join("issue.md"))
            .unwrap()
            .starts_with("# ../../")
    );
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_told_in_words() {
    let home = TempDir::new().unwrap();
    let case = Case::new();
    let file = home.path().join("a file");
    fs::write(&file, "").unwrap();
    for place in [file.clone(), file.join("below")] {
        let tracker = case.folder(place.to_str().unwrap()).unwrap();
        let reply = case.create(&*tracker).await;
        assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Setup), "{reply:?}");
        assert!(cause(&reply).words.contains("a file is in its place"), "{reply:?}");
        assert!(tracker.account().await.is_err());
    }
    for (typed, words) in
        [("", "missing"), ("issues", "whole path"), ("./issues", "whole path"), ("~eve/x", "whole")]
    {
        let cause = case.folder(typed).err().expect(typed);
        assert_eq!(cause.kind, CauseKind::Setup);
        assert!(cause.words.contains(words), "{typed}: {}", cause.words);
    }
    assert!(case.folder("~/Documents/Outtray").is_ok());
}

#[tokio::test]
async fn a_folder_that_may_not_be_written_is_told_in_words() {
    let home = TempDir::new().unwrap();
    let closed = home.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere but where nobody can.
    let place =
        if fs::write(closed.join("probe"), "").is_ok() { Path::new("/proc/outtray") } else { &closed };
    let case = Case::new();
    let tracker = case.folder(place.to_str().unwrap()).unwrap();
    let reply = case.create(&*tracker).await;
    assert!(matches!(reply, Reply::Refused(_) | Reply::NotSent(_)), "{reply:?}");
    assert!(cause(&reply).words.contains(place.to_str().unwrap()), "{reply:?}");
}

#[tokio::test]
async fn a_copy_that_is_changed_or_gone_is_told_and_leaves_nothing() {
    let home = TempDir::new().unwrap();
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    fs::write(case.attachments.path().join("file-1"), b"other bytes").unwrap();
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();
    let reply = case.create(&*tracker).await;
    assert_eq!((kind(&reply), cause(&reply).kind), ("refused", CauseKind::Local), "{reply:?}");
    assert!(cause(&reply).words.contains("has been changed"), "{reply:?}");
    assert!(names(home.path()).is_empty(), "nothing half-made stays: {:?}", names(home.path()));

    fs::remove_file(case.attachments.path().join("file-1")).unwrap();
    let reply = case.create(&*tracker).await;
    assert!(cause(&reply).words.contains("is gone"), "{reply:?}");
}

#[tokio::test]
async fn an_account_is_a_folder_that_can_be_written() {
    let home = TempDir::new().unwrap();
    let place = home.path().join("a/b");
    let case = Case::new();
    let account = case.folder(place.to_str().unwrap()).unwrap().account().await.unwrap();
    assert_eq!(account.login, None);
    assert!(account.words.contains(place.to_str().unwrap()), "{}", account.words);
    assert!(names(&place).is_empty());
}

#[tokio::test]
async fn everything_travels_with_the_create() {
    let home = TempDir::new().unwrap();
    let mut case = Case::new();
    case.attach("shot.png", "image/png", b"picture");
    let tracker = case.folder(home.path().to_str().unwrap()).unwrap();
    let receipt = case.created(&*tracker).await;
    let step = Step::Upload { receipt: Some(&receipt), attachment: &case.issue.attachments[0] };
    assert_eq!(done(tracker.send(&case.issue, step).await).receipt, None);
}
