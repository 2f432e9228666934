//! An outbox that travels: what a copy and a move hold, what arrives, and that nothing is filed twice or lost on the way.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod computer;

use std::process::Command;

use computer::desk::{Desk, doubt, filed, receipt, refused, settle};
use computer::{Computer, Live, attachments, draft, file, gitea, shown};
use outtray_core::Code;
use outtray_core::archive::Kind;
use outtray_core::engine::Imported;
use outtray_core::fault::{Fault, script};
use outtray_core::outbox::doubt::{Readiness, readiness};
use outtray_core::outbox::lease::Fenced;
use outtray_core::outbox::{Intended, Outbox};
use outtray_core::view::{Act, EntryEdit, EntryState, Row, StageState};
use outtray_support::{PracticeTracker, Route, TOKEN, What};
use serde_json::{Value, json};

/// A one-pixel PNG.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0,
    1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8,
    0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x56, 0xc7, 0x2f, 0x0d, 0, 0, 0, 0, b'I', b'E', b'N', b'D',
    0xae, 0x42, 0x60, 0x82,
];

/// An outbox with a row of every kind, by their titles. Nothing of it is held by a worker.
fn full() -> Computer {
    let computer = Computer::new();
    let dir = computer.desk.dir.path();
    let (engine, desk) = (&computer.engine, &computer.desk);
    let now = || desk.now();

    file(engine, dir, "filed", &[("a.png", PIXEL)]);
    let lease = desk.claim().unwrap();
    assert_eq!(
        computer::desk::made_and_intend(&desk.outbox, &lease, 7, &now()),
        Fenced::Held(Intended::Noted)
    );
    let rest = |ordinal, end| outtray_core::outbox::fate::Settlement {
        stage: outtray_core::outbox::fate::StageMark::Done {
            reference: Some(format!("ref-{ordinal}")),
            receipt: None,
            login: None,
            told: None,
        },
        end,
        lane: outtray_core::outbox::fate::LaneMark::Reached,
    };
    let done = Some(outtray_core::outbox::fate::End::Complete);
    let held = |fenced| assert_eq!(fenced, Fenced::Held(()));
    held(desk.outbox.settle(&lease, Some((2, None)), &rest(2, None), 0, &now()).unwrap());
    held(desk.outbox.settle(&lease, Some((3, None)), &rest(3, done), 0, &now()).unwrap());

    file(engine, dir, "refused", &[]);
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    held(settle(&desk.outbox, &lease, &refused(), &now()));

    file(engine, dir, "in doubt", &[]);
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    held(settle(&desk.outbox, &lease, &doubt(i64::MAX / 2), &now()));

    let wished = file(engine, dir, "wished away", &[]);
    let lease = desk.claim().unwrap();
    assert_eq!(desk.intend(&lease), Fenced::Held(Intended::Noted));
    held(settle(&desk.outbox, &lease, &doubt(i64::MAX / 2), &now()));
    let text = engine.entry(wished.id).unwrap();
    let edit = EntryEdit {
        id: wished.id,
        revision: text.revision,
        title: "wished away, and otherwise".into(),
        body: text.body,
        labels: vec![],
        milestone: None,
        assignees: Vec::new(),
    };
    assert!(engine.edit(&edit).unwrap().wish && engine.withdraw(wished.id).unwrap().wish);
    let lease = desk.claim().unwrap();
    held(settle(&desk.outbox, &lease, &doubt(i64::MAX / 2), &now()));

    file(engine, dir, "made, its file is to come", &[("log.txt", b"a log")]);
    let lease = desk.claim().unwrap();
    assert_eq!(
        computer::desk::made_and_intend(&desk.outbox, &lease, 8, &now()),
        Fenced::Held(Intended::Noted)
    );
    held(desk.outbox.settle(&lease, Some((2, None)), &doubt(i64::MAX / 2), 0, &now()).unwrap());

    let taken = file(engine, dir, "taken back", &[]);
    engine.withdraw(taken.id).unwrap();

    let seen = file(engine, dir, "seen", &[]);
    let work = desk.outbox.destination("work").unwrap().id;
    desk.outbox.sight(seen.id, work, &receipt(9), &now()).unwrap();

    file(engine, dir, "waiting", &[("b.png", PIXEL), ("c.txt", b"c")]);
    draft(engine, "a draft");
    computer
}

fn export(computer: &Computer, kind: Kind) -> std::path::PathBuf {
    let path = computer.path("outbox.tar");
    computer.engine.export(&path, kind, true).unwrap();
    path
}

fn by_title<'a>(shown: &'a [Value], title: &str) -> &'a Value {
    shown.iter().find(|entry| entry["title"] == title).unwrap_or_else(|| panic!("{title} is there"))
}

/// What is the same wherever an entry is.
fn essence(entry: &Value) -> Value {
    let files = entry["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| json!([file["name"], file["media_type"], file["size"], file["is_picture"]]));
    let tries: Vec<_> = entry["tries"].as_array().unwrap().iter().map(|attempt| attempt.to_owned()).collect();
    let mut same = json!({ "files": files.collect::<Vec<_>>(), "tries": tries });
    for name in [
        "key",
        "destination",
        "project",
        "tracker",
        "title",
        "body",
        "labels",
        "milestone",
        "assignees",
        "revision",
        "attempts",
        "saved_at",
        "filed_at",
        "receipt",
        "attachments",
        "wish",
    ] {
        same[name] = entry[name].clone();
    }
    same
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_arrives_as_it_was() {
    for kind in [Kind::Copy, Kind::Move] {
        let (from, to) = (full(), Computer::new());
        let before = from.shown();
        let drafts = from.engine.drafts().unwrap();
        let imported = to.engine.import(&export(&from, kind)).unwrap();
        assert_eq!((imported.entries, imported.drafts, imported.already), (8, 1, 0));
        assert_eq!(imported.destinations, [], "work is here: the same name, tracker, address and project");
        let after = to.shown();
        assert_eq!(before.len(), after.len());
        for (was, is) in before.iter().zip(&after) {
            assert_eq!(essence(was), essence(is));
            // Filed is filed.
            if was["state"] == "filed" {
                for name in ["state", "row", "reason", "stages", "acts", "not_before", "stage"] {
                    assert_eq!(was[name], is[name], "{name} of {}", was["title"]);
                }
            }
        }
        let arrived = to.engine.drafts().unwrap();
        assert_eq!(
            (
                drafts[0].key,
                &drafts[0].title,
                &drafts[0].body,
                &drafts[0].labels,
                (&drafts[0].milestone, &drafts[0].assignees),
                drafts[0].attachments.len()
            ),
            (
                arrived[0].key,
                &arrived[0].title,
                &arrived[0].body,
                &arrived[0].labels,
                (&arrived[0].milestone, &arrived[0].assignees),
                arrived[0].attachments.len()
            )
        );
        let waiting = by_title(&after, "waiting");
        let picture = waiting["files"][0]["id"].as_i64().unwrap();
        assert_eq!(to.engine.picture(picture, None).unwrap(), (PIXEL.to_vec(), "image/png".to_owned()));
        assert_eq!(to.attachments().len(), 5, "each file once");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_filed_arrives_in_doubt_and_a_copy_is_held() {
    let (from, to) = (full(), Computer::new());
    let imported = to.engine.import(&export(&from, Kind::Copy)).unwrap();
    assert_eq!((imported.held, imported.kind), (6, Kind::Copy));
    let after = to.shown();
    for entry in &after {
        match entry["title"].as_str().unwrap() {
            "filed" => continue,
            "taken back" => assert_eq!(entry["state"], "withdrawn"),
            title => {
                assert_eq!(
                    (&entry["state"], &entry["row"]),
                    (&json!("attention"), &json!("needs_you")),
                    "{title}"
                );
                let words = "This came as a copy. File it here, or withdraw it if the other computer does.";
                assert_eq!(entry["reason"], words);
                assert_eq!(entry["acts"][0], "retry", "{title}");
            }
        }
        let open = entry["stages"].as_array().unwrap().iter().find(|stage| stage["state"] != "done").unwrap();
        assert_eq!(open["state"], "doubt", "{}", entry["title"]);
    }
    assert_eq!(to.desk.claim(), None, "nothing goes by itself");
    assert!(to.engine.retry_all().unwrap().is_empty(), "nor with what else is tried again");
    assert_eq!(to.engine.status().unwrap().items[0].step, "Retry");

    // One is taken back at once, since nothing of it was sent from here.
    let waiting = by_title(&after, "waiting")["id"].as_i64().unwrap();
    assert!(!to.engine.withdraw(waiting).unwrap().wish);
    assert_eq!(to.engine.entry(waiting).unwrap().entry.row, Row::Withdrawn);
    assert_eq!(to.engine.release_copies().unwrap().len(), 5);
    assert!(to.desk.claim().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_goes_on_by_itself_and_its_quiet_time_counts_from_its_arrival() {
    let (from, to) = (full(), Computer::new());
    to.desk.pass(5_000_000);
    let path = export(&from, Kind::Move);
    for entry in from.shown() {
        let expected = if entry["title"] == "filed" { "filed" } else { "withdrawn" };
        assert_eq!(entry["state"], expected, "{}", entry["title"]);
    }
    assert_eq!(from.desk.claim(), None, "nothing is left to be filed there");
    assert!(from.engine.drafts().unwrap().is_empty(), "a draft moves too");

    assert_eq!(to.engine.import(&path).unwrap().held, 0);
    let after = to.shown();
    for (title, state) in [
        ("waiting", "waiting"),
        ("in doubt", "waiting"),
        ("wished away", "waiting"),
        ("seen", "waiting"),
        ("made, its file is to come", "waiting"),
        ("refused", "attention"),
        ("taken back", "withdrawn"),
        ("filed", "filed"),
    ] {
        assert_eq!(by_title(&after, title)["state"], state, "{title}");
    }
    let wished = by_title(&after, "wished away");
    assert_eq!(wished["wish"], "withdraw", "wishes come along");
    let lease = to.desk.claim().unwrap();
    let work = to.desk.outbox.work(&lease).unwrap();
    assert_eq!(work.issue.title, "in doubt");
    let stage = &work.stages[0];
    let intent = stage.intent.as_ref().unwrap();
    assert_eq!(stage.state, StageState::Doubt);
    assert_eq!(
        readiness(intent, stage.gone.as_ref(), &to.desk.now(), 60_000),
        Readiness::QuietIn { left_ms: 60_000 },
        "whoever sent it there may have done so until now"
    );
    assert!(intent.first_sent_at_ms <= from.desk.now().wall_ms, "looks go back to the first of all sends");
    assert_eq!(intent.login, None, "under whatever account");
}

/// An entry whose sender is silent: it may be alive, and its lease is over.
fn silent() -> (Computer, Outbox) {
    let computer = Computer::new();
    file(&computer.engine, computer.desk.dir.path(), "silent", &[]);
    let peer = computer.desk.peer();
    let lease = peer.claim(&computer.desk.now()).unwrap();
    assert_eq!(
        computer::desk::intend(&peer.outbox, &lease, &computer.desk.now()),
        Fenced::Held(Intended::Noted)
    );
    (computer, peer.outbox)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_being_sent_cannot_move_and_nothing_else_does_then() {
    let (from, _peer) = silent();
    file(&from.engine, from.desk.dir.path(), "another", &[]);
    let (rows, path) = (from.rows(), from.path("outbox.tar"));
    let problem = from.engine.export(&path, Kind::Move, false).unwrap_err();
    assert_eq!((problem.code, &*problem.message), (Code::Refused, "1 issue is being sent right now."));
    assert!(problem.hint.unwrap().starts_with("Nothing was moved."));
    assert_eq!((from.rows(), path.exists()), (rows, false));
    assert!(from.engine.export(&path, Kind::Copy, false).is_ok(), "a copy takes nothing away");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_senders_doubt_moves_along() {
    let (from, _peer) = silent();
    from.desk.pass(31_000);
    let to = Computer::new();
    to.engine.import(&export(&from, Kind::Move)).unwrap();
    assert_eq!(to.shown()[0]["row"], "doubt");
    let lease = to.desk.claim().unwrap();
    let work = to.desk.outbox.work(&lease).unwrap();
    let stage = &work.stages[0];
    let ready = |at: &Desk| readiness(stage.intent.as_ref().unwrap(), stage.gone.as_ref(), &at.now(), 60_000);
    assert_eq!(ready(&to.desk), Readiness::QuietIn { left_ms: 60_000 });
    to.desk.pass(60_000);
    assert_eq!(ready(&to.desk), Readiness::Quiet);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_while_it_is_exported_is_not_given_away() {
    let from = Computer::new();
    let saved = file(&from.engine, from.desk.dir.path(), "one", &[]);
    let path = from.path("outbox.tar");
    let outbox = from.desk.outbox.clone();
    let now = from.desk.now();
    let mut done = false;
    script(Some(Box::new(move |name, moment| {
        if name == "set_out" && moment == outtray_core::fault::Moment::Before && !done {
            done = true;
            let (outbox, now) = (outbox.clone(), now.clone());
            // On a thread of its own, for which nothing is scripted.
            std::thread::spawn(move || outbox.withdraw(saved.id, &now).unwrap()).join().unwrap();
        }
        None
    })));
    let problem = from.engine.export(&path, Kind::Move, false).unwrap_err();
    script(None);
    assert_eq!((problem.code, path.exists()), (Code::Stale, false));
    assert_eq!(from.engine.restore(saved.id).unwrap().state, EntryState::Waiting);
    assert_eq!(from.engine.entry(saved.id).unwrap().entry.row, Row::Waiting, "nothing of it is in doubt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn importing_twice_changes_nothing() {
    for kind in [Kind::Copy, Kind::Move] {
        let (from, to) = (full(), Computer::new());
        let path = export(&from, kind);
        to.engine.import(&path).unwrap();
        let (before, files) = (to.shown(), to.attachments());
        let imported = to.engine.import(&path).unwrap();
        assert_eq!(
            (imported.entries, imported.held, imported.put_back, imported.drafts, imported.already),
            (0, 0, 0, 0, 9)
        );
        assert_eq!((to.shown(), to.attachments()), (before, files));
    }
    // A copy of one's own is here already.
    let from = full();
    let before = from.shown();
    assert_eq!(from.engine.import(&export(&from, Kind::Copy)).unwrap().already, 9);
    assert_eq!(from.shown(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_comes_back_is_put_back_in_doubt() {
    let from = full();
    let before = from.shown();
    let path = export(&from, Kind::Move);
    let imported = from.engine.import(&path).unwrap();
    assert_eq!((imported.entries, imported.put_back, imported.drafts, imported.already), (0, 6, 1, 2));
    let after = from.shown();
    for (was, is) in before.iter().zip(&after) {
        assert_eq!(
            (&was["id"], &was["key"], &was["state"]),
            (&is["id"], &is["key"], &is["state"]),
            "{}",
            was["title"]
        );
        assert_eq!((&was["body"], &was["wish"]), (&is["body"], &is["wish"]), "{}", was["title"]);
    }
    assert_eq!(by_title(&after, "waiting")["row"], "doubt", "it may have been filed elsewhere meanwhile");
    assert_eq!(from.engine.import(&path).unwrap().already, 9, "and that once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_went_on_elsewhere_comes_back_as_it_is_by_then() {
    let (here, there) = (Computer::new(), Computer::new());
    let one = file(&here.engine, here.desk.dir.path(), "one", &[("a.txt", b"a")]);
    let two = file(&here.engine, here.desk.dir.path(), "two", &[]);
    there.engine.import(&export(&here, Kind::Move)).unwrap();
    // There, one is filed, and the other waits still.
    let lease = there.desk.claim().unwrap();
    let settled =
        there.desk.outbox.settle(&lease, Some((1, None)), &filed(12), 0, &there.desk.now()).unwrap();
    assert_eq!(settled, Fenced::Held(()));
    let imported = here.engine.import(&export(&there, Kind::Move)).unwrap();
    assert_eq!((imported.entries, imported.put_back), (0, 2));
    let entry = here.engine.entry(one.id).unwrap();
    assert_eq!((entry.entry.state, entry.entry.key), (EntryState::Filed, one.key));
    assert_eq!(entry.entry.receipt.unwrap().number, "12");
    assert_eq!(here.engine.entry(two.id).unwrap().entry.row, Row::Doubt);
    assert_eq!(attachments(here.desk.dir.path()).len(), 1, "one file, not two");
}

/// The archive of a tracker that is reached, and what drains at both ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_both_computers_file_is_one_issue() {
    let tracker = PracticeTracker::start().await.unwrap();
    let (from, to) = (Live::new(&tracker.url()).await, Live::new(&tracker.url()).await);
    file(&from.engine, from.dir.path(), "both", &[("a.png", PIXEL)]);
    let drafted = draft(&from.engine, "drafted");
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Copy, false).unwrap();
    to.engine.import(&path).unwrap();
    to.drain().await;
    assert_eq!(tracker.issues().len(), 0, "a copy is held");
    from.drain().await;
    let revision = from.engine.draft(drafted.id).unwrap().revision;
    from.engine.file_draft(drafted.id, revision).unwrap();
    from.drain().await;
    assert_eq!(tracker.issues().len(), 2);

    to.engine.release_copies().unwrap();
    let arrived = to.engine.drafts().unwrap().remove(0);
    to.engine.file_draft(arrived.id, arrived.revision).unwrap();
    to.drain().await;
    assert_eq!(tracker.issues().len(), 2, "each was looked for, and found by its marker");
    for entry in shown(&to.engine) {
        assert_eq!(entry["state"], "filed", "{entry}");
    }
    let assets: usize = tracker.issues().iter().map(|issue| issue.assets.len()).sum();
    assert_eq!(assets, 2, "nor is a file there twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_filed_here_when_it_is_not_there() {
    let tracker = PracticeTracker::start().await.unwrap();
    let (from, to) = (Live::new(&tracker.url()).await, Live::new(&tracker.url()).await);
    file(&from.engine, from.dir.path(), "only here", &[("a.png", PIXEL)]);
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Copy, false).unwrap();
    to.engine.import(&path).unwrap();
    to.engine.release_copies().unwrap();
    to.drain().await;
    let issues = tracker.issues();
    assert_eq!((issues.len(), issues[0].assets.len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_is_filed_there_and_not_here_even_when_it_is_put_back() {
    let tracker = PracticeTracker::start().await.unwrap();
    let (from, to) = (Live::new(&tracker.url()).await, Live::new(&tracker.url()).await);
    let saved = file(&from.engine, from.dir.path(), "moves", &[("a.png", PIXEL), ("b.txt", b"b")]);
    tracker.fault(Route::Create, What::CutAfterBody);
    let lost = file(&from.engine, from.dir.path(), "answer lost", &[]);
    from.engine.drain(false, None).await.unwrap();
    let unsent = file(&from.engine, from.dir.path(), "never sent from here", &[]);
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Move, false).unwrap();
    from.drain().await;
    let there = tracker.issues().len();
    to.engine.import(&path).unwrap();
    to.drain().await;
    assert_eq!(tracker.issues().len(), 3, "{there} before");
    assert!(shown(&to.engine).iter().all(|entry| entry["state"] == "filed"));

    for id in [saved.id, lost.id, unsent.id] {
        if from.engine.entry(id).unwrap().entry.state == EntryState::Withdrawn {
            from.engine.restore(id).unwrap();
        }
    }
    from.drain().await;
    assert_eq!(tracker.issues().len(), 3, "put back, it is looked for and found");
    assert!(shown(&from.engine).iter().all(|entry| entry["state"] == "filed"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_travels() {
    let tracker = PracticeTracker::start().await.unwrap();
    let from = Live::new(&tracker.url()).await;
    file(&from.engine, from.dir.path(), "one", &[]);
    from.drain().await;
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Copy, false).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.windows(8).any(|part| part == b"ada/demo"), "it is the whole outbox");
    assert!(!bytes.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_is_found_or_made_under_a_name_of_its_own() {
    let from = Computer::new();
    from.engine.add_destination(&gitea("client", "https://client.example"), None).await.unwrap();
    let mut hook = gitea("hook", "https://hook.example/in");
    (hook.tracker, hook.project) = (outtray_core::issue::TrackerKind::Webhook, None);
    from.engine.add_destination(&hook, None).await.unwrap();
    file(&from.engine, from.desk.dir.path(), "one", &[]);
    let path = export(&from, Kind::Copy);

    // Here “work” is another tracker, and the token of “cli-ent” would be that of “cli ent”.
    let to = Computer::new();
    to.engine.remove_destination("work").await.unwrap();
    to.engine.add_destination(&gitea("Work", "https://other.example"), None).await.unwrap();
    let imported: Imported = to.engine.import(&path).unwrap();
    let told: Vec<_> = imported.destinations.iter().map(|place| (&*place.name, place.paused)).collect();
    assert_eq!(
        told,
        [("work 2", false), ("client", false), ("hook", true)],
        "what asks for no token is paused"
    );
    let listed = to.engine.destinations().unwrap();
    let paused: Vec<_> = listed.iter().filter(|place| place.paused).map(|place| &*place.name).collect();
    assert_eq!(paused, ["hook"]);
    assert_eq!(to.shown()[0]["destination"], "work 2");
    assert_eq!(to.engine.import(&path).unwrap().destinations, [], "and is found by that name");

    let clash = Computer::new();
    clash.engine.add_destination(&gitea("CLIENT", "https://other.example"), None).await.unwrap();
    let names: Vec<_> =
        clash.engine.import(&path).unwrap().destinations.into_iter().map(|place| place.name).collect();
    assert_eq!(names, ["client 2", "hook"], "no token is shared");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_folder_is_the_first_folder_there_too() {
    let url = "http://127.0.0.1:1";
    let (from, to) = (Live::new(url).await, Live::new(url).await);
    let new = outtray_core::view::NewIssue {
        destination: "Folder".into(),
        title: "one".into(),
        body: String::new(),
        labels: vec![],
        milestone: None,
        assignees: Vec::new(),
    };
    let none: [&str; 0] = [];
    from.engine.file_new(&new, &none).unwrap();
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Move, false).unwrap();
    assert_eq!(to.engine.import(&path).unwrap().destinations, []);
    to.drain().await;
    let written = std::fs::read_dir(to.path("Documents/Outtray")).unwrap().count();
    assert_eq!((written, from.path("Documents/Outtray").exists()), (1, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_cannot_be_written_leaves_nothing() {
    let from = full();
    let path = export(&from, Kind::Move);
    let to = Computer::new();
    to.engine.set_setting("outbox.max_entries", "3").unwrap();
    let (rows, files) = (to.rows(), to.attachments());
    assert_eq!(to.engine.import(&path).unwrap_err().code, Code::OutboxFull);
    assert_eq!((to.rows(), to.attachments()), (rows.clone(), files.clone()));

    script(Some(Box::new(|name, moment| {
        (name == "import" && moment == outtray_core::fault::Moment::Before).then_some(Fault::Error)
    })));
    assert!(to.engine.import(&path).is_err());
    script(None);
    assert_eq!((to.rows(), to.attachments()), (rows, files), "what was brought beside the store is erased");

    // When only the answer is lost, what came is whole.
    to.engine.set_setting("outbox.max_entries", "unset").unwrap();
    script(Some(Box::new(|name, moment| {
        (name == "import" && moment == outtray_core::fault::Moment::After).then_some(Fault::Error)
    })));
    assert!(to.engine.import(&path).is_err());
    script(None);
    let waiting = to.shown().into_iter().find(|entry| entry["title"] == "waiting").unwrap();
    assert_eq!(to.engine.picture(waiting["files"][0]["id"].as_i64().unwrap(), None).unwrap().0, PIXEL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_gone_is_told_and_does_not_stop_the_rest() {
    let from = full();
    std::fs::write(from.path("outtray/attachments").join(&from.attachments()[0]), b"rotten").unwrap();
    let path = from.path("outbox.tar");
    let exported = from.engine.export(&path, Kind::Copy, false).unwrap();
    assert_eq!(exported.missing, 1);
    let to = Computer::new();
    assert_eq!(to.engine.import(&path).unwrap().entries, 8);
    assert_eq!(to.shown().len(), 8);
}

/// The part of the process that is killed: see the next test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a process of its own, which another test starts and kills"]
async fn one_that_moves_and_is_killed() {
    let Some(home) = std::env::var_os("OUTTRAY_TEST_HOME") else { return };
    let home = std::path::PathBuf::from(home);
    let clock = std::sync::Arc::new(outtray_core::clock::SystemClock::new());
    let engine = outtray_core::Engine::open(computer::options(&home, clock)).unwrap();
    let _killed_before = engine.export(&home.join("outbox.tar"), Kind::Move, false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_killed_loses_nothing_and_files_nothing_twice() {
    for point in ["set_out.before", "set_out.after", "has_gone.before", "has_gone.after"] {
        let tracker = PracticeTracker::start().await.unwrap();
        let (from, to) = (Live::new(&tracker.url()).await, Live::new(&tracker.url()).await);
        for title in ["one", "two"] {
            file(&from.engine, from.dir.path(), title, &[("a.txt", b"a")]);
        }
        draft(&from.engine, "drafted");
        let killed = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "one_that_moves_and_is_killed"])
            .env("OUTTRAY_TEST_HOME", from.dir.path())
            .env("OUTTRAY_FAULTS", format!("{point}=kill"))
            .output()
            .unwrap();
        assert!(!killed.status.success(), "{point}: {killed:?}");
        let path = from.path("outbox.tar");
        let is_there = path.exists();
        assert_eq!(is_there, point.starts_with("has_gone"), "{point}");
        let given_away = shown(&from.engine).iter().filter(|entry| entry["state"] == "withdrawn").count();
        assert_eq!(given_away, if point == "set_out.before" { 0 } else { 2 }, "{point}: all or nothing");
        // Never is there a file to be imported while both are still filed here.
        assert!(!is_there || given_away == 2, "{point}");

        if !is_there {
            from.engine.export(&path, Kind::Move, false).unwrap();
        }
        from.drain().await;
        let imported = to.engine.import(&path).unwrap();
        assert_eq!((imported.entries, imported.drafts), (2, 1), "{point}: nothing is lost");
        to.drain().await;
        from.drain().await;
        assert_eq!(tracker.issues().len(), 2, "{point}");
        assert!(tracker.issues().iter().all(|issue| issue.assets.len() == 1), "{point}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_released_counts_its_quiet_time_from_then() {
    let (from, to) = (Computer::new(), Computer::new());
    file(&from.engine, from.desk.dir.path(), "one", &[]);
    to.engine.import(&export(&from, Kind::Copy)).unwrap();
    to.desk.pass(3_600_000);
    let id = to.shown()[0]["id"].as_i64().unwrap();
    assert_eq!(to.engine.entry(id).unwrap().entry.acts, [Act::Retry, Act::Withdraw, Act::MoveTo]);
    to.engine.retry(id).unwrap();
    let work = to.desk.outbox.work(&to.desk.claim().unwrap()).unwrap();
    let stage = &work.stages[0];
    let ready = readiness(stage.intent.as_ref().unwrap(), stage.gone.as_ref(), &to.desk.now(), 60_000);
    assert_eq!(
        ready,
        Readiness::QuietIn { left_ms: 60_000 },
        "the other computer may have sent it until now"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_takes_the_place_of_its_held_copy() {
    let (from, to) = (Computer::new(), Computer::new());
    let one = file(&from.engine, from.desk.dir.path(), "one", &[("a.txt", b"a")]);
    to.engine.import(&export(&from, Kind::Copy)).unwrap();
    let text = from.engine.entry(one.id).unwrap();
    let edit = EntryEdit {
        id: one.id,
        revision: text.revision,
        title: "one, in better words".into(),
        body: text.body,
        labels: vec![],
        milestone: None,
        assignees: Vec::new(),
    };
    assert!(!from.engine.edit(&edit).unwrap().wish);
    let imported = to.engine.import(&export(&from, Kind::Move)).unwrap();
    assert_eq!((imported.entries, imported.already, imported.put_back), (1, 0, 0));
    let shown = to.shown();
    assert_eq!((shown.len(), &shown[0]["title"]), (1, &json!("one, in better words")));
    assert_eq!(shown[0]["state"], "waiting", "it is held no more: nobody else files it");
    assert_eq!(to.attachments().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_in_the_way_of_a_move_brings_everything_back() {
    let from = Computer::new();
    file(&from.engine, from.desk.dir.path(), "one", &[]);
    draft(&from.engine, "a draft");
    let path = from.path("outbox.tar");
    let in_the_way = path.clone();
    script(Some(Box::new(move |name, moment| {
        if name == "set_out" && moment == outtray_core::fault::Moment::After {
            std::fs::write(&in_the_way, b"somebody else's").unwrap();
        }
        None
    })));
    let problem = from.engine.export(&path, Kind::Move, false).unwrap_err();
    script(None);
    assert_eq!(problem.code, Code::Refused);
    assert_eq!(std::fs::read(&path).unwrap(), b"somebody else's");
    assert_eq!(
        (from.shown()[0]["state"].clone(), from.engine.drafts().unwrap().len()),
        (json!("waiting"), 1)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destination_of_every_kind_is_found_again() {
    use outtray_core::issue::TrackerKind::{Folder, GitHub, GitLab, Redmine, Webhook};
    let (from, to) = (Computer::new(), Computer::new());
    let places = [
        ("gh", GitHub, None, Some("ada/demo"), None),
        ("ghe", GitHub, Some("https://git.example.org/github/"), Some("ada/demo"), None),
        ("gl", GitLab, Some("https://gitlab.example.org"), Some("team/below/demo"), None),
        ("rm", Redmine, Some("https://example.org/redmine/"), Some("demo"), None),
        ("wh", Webhook, Some("https://hook.example.org/in/channel"), None, None),
        ("reports", Folder, None, None, Some("/srv/reports")),
    ];
    for (name, tracker, url, project, path) in places {
        let new = outtray_core::view::NewDestination {
            tracker,
            url: url.map(str::to_owned),
            project: project.map(str::to_owned),
            path: path.map(str::to_owned),
            ..gitea(name, "")
        };
        from.engine.add_destination(&new, None).await.unwrap();
    }
    let path = export(&from, Kind::Copy);
    let added = to.engine.import(&path).unwrap().destinations;
    assert_eq!(added.len(), places.len());
    assert_eq!(to.engine.import(&path).unwrap().destinations, []);
    let listed = |computer: &Computer| {
        let mut all = computer.engine.destinations().unwrap();
        all.iter_mut().for_each(|place| place.paused = false);
        all
    };
    assert_eq!(listed(&from), listed(&to));
}
