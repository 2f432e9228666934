//! What leaves an outbox: previewed offline, saved as files, and moved away while work is going on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod computer;

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use computer::desk::{refused, settle};
use computer::{Computer, Live, attachments, draft, file};
use outtray_core::Code;
use outtray_core::archive::Kind;
use outtray_core::engine::Imported;
use outtray_core::issue::TrackerKind;
use outtray_core::view::{Act, DraftEdit, EntryState, NewDestination};
use outtray_support::{PracticeTracker, Route, What};

/// An entry that its tracker has refused, with two files.
fn refused_one(computer: &Computer) -> i64 {
    let dir = computer.desk.dir.path();
    let saved =
        file(&computer.engine, dir, "The till / stands", &[("till.png", b"till"), ("log.txt", b"a log")]);
    let lease = computer.desk.claim().unwrap();
    let _noted = computer.desk.intend(&lease);
    let _settled = settle(&computer.desk.outbox, &lease, &refused(), &computer.desk.now());
    assert_eq!(computer.engine.entry(saved.id).unwrap().entry.state, EntryState::Attention);
    saved.id
}

/// Adds a folder destination called `Folder`.
async fn with_folder(computer: &Computer) {
    let folder = NewDestination {
        name: "Folder".into(),
        tracker: TrackerKind::Folder,
        url: None,
        project: None,
        path: Some(computer.path("Documents").to_string_lossy().into_owned()),
        branch: None,
        honours_key: false,
        ca: None,
    };
    computer.engine.add_destination(&folder, None).await.unwrap();
}

#[tokio::test]
async fn a_draft_and_its_entry_are_previewed_alike_and_offline() {
    let computer = Computer::new();
    let written = draft(&computer.engine, "  A title  ");
    let preview = computer.engine.preview_draft(written.id).unwrap();
    assert_eq!((preview.destination.as_str(), preview.title.as_str()), ("work", "A title"));
    assert_eq!(preview.place, "Gitea, ada/demo on 127.0.0.1:1");
    assert_eq!(preview.text, format!("Not yet whole.\n\n<!-- outtray:{} -->", written.key));
    assert_eq!(
        (preview.labels.as_slice(), preview.files[0].name.as_str()),
        (&["later".to_owned()][..], "note.txt")
    );

    let saved = computer.engine.file_draft(written.id, written.revision).unwrap();
    assert_eq!(computer.engine.preview_entry(saved.id).unwrap(), preview);
    assert_eq!(computer.engine.preview_draft(written.id).unwrap_err().code, Code::AlreadyFiled);
    assert_eq!(computer.engine.preview_entry(4711).unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn a_draft_without_a_destination_is_previewed_for_the_default_one() {
    let computer = Computer::new();
    with_folder(&computer).await;
    let blank = computer.engine.new_draft().unwrap();
    computer.engine.set_default_destination("Folder").unwrap();
    let preview = computer.engine.preview_draft(blank.id).unwrap();
    assert_eq!((preview.destination.as_str(), preview.title.as_str()), ("Folder", ""));
    let edit = DraftEdit {
        id: blank.id,
        revision: blank.revision,
        destination: Some("work".into()),
        title: String::new(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    computer.engine.save_draft(&edit).unwrap();
    assert_eq!(computer.engine.preview_draft(blank.id).unwrap().destination, "work");
}

#[tokio::test]
async fn a_refused_issue_is_saved_as_the_files_that_a_folder_would_have() {
    let computer = Computer::new();
    let id = refused_one(&computer);
    let to = computer.path("Reports");

    let saved = computer.engine.save_as_files(id, &to).unwrap();

    let made = std::path::Path::new(&saved.path);
    assert_eq!((made.parent(), saved.files, saved.missing.len()), (Some(to.as_path()), 2, 0));
    let key = computer.engine.entry(id).unwrap().entry.key.to_string();
    let name = made.file_name().unwrap().to_str().unwrap();
    assert!(name.contains("the-till-stands") && name.ends_with(&key), "{name}");
    let page = std::fs::read_to_string(made.join("issue.md")).unwrap();
    let head = "# The till / stands\n\nLabels: bug\n\nMilestone: 2.0\n\nAssignees: ada, grace\n\nWords of";
    assert!(page.starts_with(head), "{page}");
    assert_eq!(std::fs::read(made.join("till.png")).unwrap(), b"till");
    assert_eq!(std::fs::read(made.join("log.txt")).unwrap(), b"a log");
    assert_eq!(computer.engine.entry(id).unwrap().entry.state, EntryState::Attention, "it stays as it is");
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1, "nothing half-made is left");
}

#[tokio::test]
async fn what_was_saved_is_never_written_over() {
    let computer = Computer::new();
    let id = refused_one(&computer);
    let to = computer.path("Reports");
    let saved = computer.engine.save_as_files(id, &to).unwrap();
    let page = std::path::Path::new(&saved.path).join("issue.md");
    std::fs::write(&page, "My own words").unwrap();

    let problem = computer.engine.save_as_files(id, &to).unwrap_err();

    assert_eq!(
        (problem.code, problem.message),
        (Code::Refused, format!("It is saved there already: {}.", saved.path))
    );
    assert!(problem.hint.unwrap().contains("Choose another folder"));
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "My own words");
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1);
    let elsewhere = computer.engine.save_as_files(id, &computer.path("Elsewhere")).unwrap();
    assert!(
        std::fs::read_to_string(std::path::Path::new(&elsewhere.path).join("issue.md"))
            .unwrap()
            .contains("Words")
    );
}

#[tokio::test]
async fn what_is_gone_from_this_computer_does_not_hold_up_the_rest() {
    let computer = Computer::new();
    let id = refused_one(&computer);
    let beside = computer.desk.dir.path().join("outtray/attachments");
    for name in attachments(computer.desk.dir.path()) {
        if std::fs::read(beside.join(&name)).unwrap() == b"a log" {
            std::fs::remove_file(beside.join(&name)).unwrap();
        }
    }
    let saved = computer.engine.save_as_files(id, &computer.path("Reports")).unwrap();
    assert_eq!((saved.files, saved.missing.as_slice()), (1, &["log.txt".to_owned()][..]));
    let page = std::fs::read_to_string(std::path::Path::new(&saved.path).join("issue.md")).unwrap();
    assert!(page.contains("Not on this computer any more: log.txt") && !page.contains("(log.txt)"), "{page}");
}

#[tokio::test]
async fn a_folder_that_takes_nothing_is_told_and_nothing_is_left_there() {
    let computer = Computer::new();
    let id = refused_one(&computer);
    let file = computer.path("a file");
    std::fs::write(&file, "in the way").unwrap();
    let problem = computer.engine.save_as_files(id, &file).unwrap_err();
    assert_eq!(problem.code, Code::Refused);
    assert!(problem.message.contains("a file is in its place") && problem.hint.is_some(), "{problem:?}");
    let closed = computer.path("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o500)).unwrap();
    let tried = computer.engine.save_as_files(id, &closed);
    // Whoever may write everywhere may write here, too.
    if let Err(problem) = tried {
        assert!(problem.message.contains("may not write"), "{problem:?}");
        assert_eq!(std::fs::read_dir(&closed).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn what_can_be_moved_says_so_and_goes_to_the_other_destination() {
    let computer = Computer::new();
    with_folder(&computer).await;
    let id = refused_one(&computer);
    let entry = computer.engine.entry(id).unwrap().entry;
    assert_eq!(entry.acts, [Act::Retry, Act::Withdraw, Act::MoveTo]);
    let acted = computer.engine.move_to(id, "folder").unwrap();
    assert_eq!((acted.wish, acted.words.as_str()), (false, "It goes to Folder."));
    let entry = computer.engine.entry(id).unwrap().entry;
    assert_eq!((entry.destination.as_str(), entry.state), ("Folder", EntryState::Waiting));

    let saved = file(&computer.engine, computer.desk.dir.path(), "In hand", &[]);
    let lease = computer.desk.claim().filter(|lease| lease.entry == saved.id);
    let lease = lease.or_else(|| computer.desk.claim()).unwrap();
    let acted = computer.engine.move_to(lease.entry, "work").unwrap();
    assert_eq!((acted.wish, acted.words.as_str()), (true, "It goes to work at the next safe moment."));
    assert_eq!(computer.engine.entry(lease.entry).unwrap().entry.wish.as_deref(), Some("move"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_waits_for_what_is_being_sent_and_work_goes_on_afterwards() {
    let tracker = PracticeTracker::start().await.unwrap();
    let live = Live::new(&tracker.url()).await;
    tracker.fault(Route::Create, What::DelayBefore { ms: 700 });
    let first = file(&live.engine, live.dir.path(), "Being sent", &[]);
    live.engine.start();
    tracker.until(|log| log.iter().any(|asked| asked.method == "POST")).await;
    live.engine.pause(Some("work"), None).unwrap();
    let second = file(&live.engine, live.dir.path(), "Waiting", &[("till.png", b"till")]);

    let moved = live.engine.move_away(&live.path("outbox.tar")).await.unwrap();

    assert_eq!((moved.kind, moved.unfiled, moved.files), (Kind::Move, 1, 1));
    let state = |id| live.engine.entry(id).unwrap().entry.state;
    assert_eq!((state(first.id), state(second.id)), (EntryState::Filed, EntryState::Withdrawn));
    assert_eq!(tracker.issues().len(), 1);
    assert!(!live.engine.status().unwrap().paused, "work goes on");
    assert!(
        live.engine.destinations().unwrap().iter().any(|lane| lane.name == "work" && lane.paused),
        "as it was"
    );

    // Put back where it came from.
    let Imported { put_back, .. } = live.engine.import(&live.path("outbox.tar")).unwrap();
    assert_eq!(put_back, 1);
    live.engine.stop(Duration::from_secs(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_cannot_be_written_leaves_work_as_it_was() {
    let tracker = PracticeTracker::start().await.unwrap();
    let live = Live::new(&tracker.url()).await;
    live.engine.pause(None, None).unwrap();
    let saved = file(&live.engine, live.dir.path(), "Stays", &[]);
    let nowhere = live.path("no such folder/outbox.tar");
    assert!(live.engine.move_away(&nowhere).await.is_err());
    assert!(live.engine.status().unwrap().paused, "the person's own pause stays");
    assert_eq!(live.engine.entry(saved.id).unwrap().entry.state, EntryState::Waiting);
    live.engine.resume(None).unwrap();
    assert!(live.engine.move_away(&nowhere).await.is_err());
    assert!(!live.engine.status().unwrap().paused);
}

#[tokio::test]
async fn a_copy_that_is_held_says_so_and_offers_both_ways() {
    let from = Computer::new();
    file(&from.engine, from.desk.dir.path(), "Copied", &[]);
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Copy, false).unwrap();
    let to = Computer::new();
    to.engine.import(&path).unwrap();
    let entry = to.engine.entries(None).unwrap().remove(0);
    assert!(entry.is_held_copy && !from.engine.entries(None).unwrap()[0].is_held_copy);
    assert_eq!(entry.acts, [Act::Retry, Act::Withdraw, Act::MoveTo]);
    to.engine.retry(entry.id).unwrap();
    assert!(!to.engine.entries(None).unwrap()[0].is_held_copy);
}
