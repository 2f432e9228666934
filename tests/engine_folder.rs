//! The engine whole, with the destination that every new store has: a folder.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use outtray_core::attention::Level;
use outtray_core::clock::SystemClock;
use outtray_core::engine::Options;
use outtray_core::fault::{self, Fault, Moment};
use outtray_core::secrets::Environment;
use outtray_core::store::Adoption;
use outtray_core::tracker::Known;
use outtray_core::view::{DraftEdit, EntryState, NewIssue, Saved};
use outtray_core::{Code, Engine};

fn options(dir: &Path) -> Options {
    Options {
        home: dir.join("home"),
        documents: dir.join("Documents"),
        secrets: Arc::new(Environment),
        clock: Arc::new(SystemClock::new()),
        trackers: Arc::new(Known),
        adoption: Adoption::No,
    }
}

fn file(engine: &Engine, title: &str, attachment: Option<(&str, &[u8])>) -> Saved {
    let draft = engine.new_draft().unwrap();
    if let Some((name, bytes)) = attachment {
        engine.attach_bytes(draft.id, name, bytes).unwrap();
    }
    let edit = DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: None,
        title: title.into(),
        body: "It went wrong.".into(),
        labels: vec!["bug".into()],
        milestone: None,
        assignees: Vec::new(),
    };
    let draft = engine.save_draft(&edit).unwrap();
    engine.file_draft(draft.id, draft.revision).unwrap()
}

fn directories(dir: &Path) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(dir.join("Documents/Outtray")).unwrap();
    folder.map(|found| found.unwrap().path()).filter(|path| path.is_dir()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_store_files_the_first_issue_before_anything_is_configured() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(options(dir.path())).unwrap();
    let mut attention = engine.attention();
    engine.start();
    let saved = file(&engine, "The first issue", Some(("notes é.txt", b"what happened")));
    assert_eq!(engine.wait_for(saved.id, Some(Duration::from_secs(20))).await.unwrap(), EntryState::Filed);
    let entry = engine.entry(saved.id).unwrap();
    let receipt = entry.entry.receipt.unwrap();
    assert!(receipt.number.ends_with(&saved.key.to_string()), "the directory's name ends in the key");
    let made = directories(dir.path());
    assert_eq!(made.len(), 1);
    assert_eq!(std::fs::read(made[0].join(&entry.files[0].name)).unwrap(), b"what happened");
    assert!(std::fs::read_to_string(made[0].join("issue.md")).unwrap().contains("It went wrong."));
    tokio::time::timeout(
        Duration::from_secs(5),
        attention.wait_for(|now| now.level == Level::Calm && now.revision > 0),
    )
    .await
    .expect("attention ends calm")
    .unwrap();
    engine.stop(Duration::from_secs(5)).await;
    engine.stop(Duration::from_secs(5)).await;
    let log = std::fs::metadata(dir.path().join("home/outtray.db-wal")).unwrap();
    assert_eq!(log.len(), 0, "a copy of the database alone is whole");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_attached_is_what_travels_even_if_the_file_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(options(dir.path())).unwrap();
    let path = dir.path().join("trace.log");
    std::fs::write(&path, "line").unwrap();
    let draft = engine.new_draft().unwrap();
    engine.attach_file(draft.id, &path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let problem = engine.attach_file(draft.id, &path).unwrap_err();
    assert_eq!(problem.code, Code::NotFound);
    let edit = DraftEdit {
        id: draft.id,
        revision: draft.revision,
        destination: None,
        title: "Trace".into(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    let draft = engine.save_draft(&edit).unwrap();
    let saved = engine.file_draft(draft.id, draft.revision).unwrap();
    let report = engine.drain(true, None).await.unwrap();
    assert_eq!((report.filed, report.left_waiting), (1, 0));
    assert_eq!(engine.entry(saved.id).unwrap().entry.state, EntryState::Filed);
    assert_eq!(std::fs::read(directories(dir.path())[0].join("trace.log")).unwrap(), b"line");
}

#[tokio::test]
async fn what_was_saved_without_an_answer_is_there_whole() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(options(dir.path())).unwrap();
    let lost = |point: &'static str| {
        let lose = move |name, moment| (name == point && moment == Moment::After).then_some(Fault::Error);
        fault::script(Some(Box::new(lose)));
    };
    let draft = engine.new_draft().unwrap();
    lost("attach");
    let attached = engine.attach_bytes(draft.id, "trace.log", b"line").unwrap();
    assert_eq!(engine.picture(attached.id, None).unwrap().0, b"line", "its bytes were not taken for waste");
    lost("file_new");
    let new = NewIssue {
        destination: engine.destinations().unwrap()[0].name.clone(),
        title: "Trace".into(),
        body: String::new(),
        labels: Vec::new(),
        milestone: None,
        assignees: Vec::new(),
    };
    let path = dir.path().join("trace.log");
    std::fs::write(&path, b"line").unwrap();
    let saved = engine.file_new(&new, &[&path]).unwrap();
    assert_eq!(engine.entry(saved.id).unwrap().entry.attachments, 1);
    fault::script(None);
    let gone = NewIssue { destination: "gone".into(), ..new };
    engine.file_new(&gone, &[&path]).unwrap_err();
    let copies = std::fs::read_dir(dir.path().join("home/attachments")).unwrap().count();
    assert_eq!(copies, 2, "what was not saved leaves no copy");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_drainers_on_one_store_file_each_issue_once() {
    let dir = tempfile::tempdir().unwrap();
    let first = Engine::open(options(dir.path())).unwrap();
    let second = Engine::open(options(dir.path())).unwrap();
    for n in 0..40 {
        file(&first, &format!("Issue {n}"), None);
    }
    let (a, b) = tokio::join!(first.drain(true, None), second.drain(true, None));
    a.unwrap();
    b.unwrap();
    // The one that ended first may have left what the other still held.
    first.drain(true, Some(Duration::from_secs(20))).await.unwrap();
    assert_eq!(first.status().unwrap().waiting, 0);
    assert_eq!(directories(dir.path()).len(), 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_cannot_be_written_needs_the_person_and_retry_sends_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("Documents")).unwrap();
    let blocked = dir.path().join("Documents/Outtray");
    std::fs::write(&blocked, "a file stands where the folder should be").unwrap();
    let engine = Engine::open(options(dir.path())).unwrap();
    let saved = file(&engine, "Blocked", None);
    engine.drain(true, None).await.unwrap();
    let entry = engine.entry(saved.id).unwrap().entry;
    assert_eq!(entry.state, EntryState::Attention, "{:?}", entry.reason);
    assert_eq!(engine.status().unwrap().level, Level::NeedsYou);
    std::fs::remove_file(&blocked).unwrap();
    engine.retry(saved.id).unwrap();
    engine.drain(true, None).await.unwrap();
    let filed = engine.entry(saved.id).unwrap().entry;
    assert_eq!((filed.state, filed.key), (EntryState::Filed, saved.key));
}
