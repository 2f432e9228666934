//! Every point on an issue's way, made to fail, to stand still past the lease, or to be the last thing its process does:
//! before it and after it. In the end there is one issue with one picture, and nobody is bothered.
//!
//! The list of points is held against the source, so that a new write cannot be forgotten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use outtray_chaos::{Ended, Home, QUICK, Watch, each, judge, judge_store, until};
use outtray_support::{PracticeTracker, Route, What};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outtrayctl-faults");
/// Longer than three leases of [`QUICK`].
const STALL: &str = "stall:1000";

/// A lease long enough that nothing but the create is renewed in the middle of it, however busy the computer is.
const UNHURRIED: &[(&str, &str)] = &[
    ("drain.lease_ms", "1500"),
    ("drain.quiet_ms", "300"),
    ("drain.backoff_base_ms", "20"),
    ("drain.backoff_cap_ms", "100"),
    ("drain.stage_timeout_ms", "5000"),
];

/// What leads to a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Nothing goes wrong but what the case asks for.
    Straight,
    /// The answer to the create is lost, so the process looks.
    AnswerLost,
    /// The answer to the upload is lost.
    UploadLost,
    /// The create is slow, and a renewal comes too late: it is cancelled in flight.
    Cancelled,
    /// The outcome of the create cannot be written, so the owner gives the lease up for the worker.
    Unwritten,
    /// A process died before: the one of the case buries it.
    Buries,
    /// The create is sent twice, so that a look is owed; the upload is slow enough for it to fall due.
    SentTwice,
}

/// Each point, the time at which it is passed (`@2`: the second), and what leads there.
const POINTS: &[(&str, &str, Way)] = &[
    ("enter", "@1", Way::Straight),
    ("credential_seen", "@1", Way::Straight),
    ("claim", "@1", Way::Straight),
    ("renew", "@1", Way::Straight),
    ("renew", "@2", Way::Straight),
    ("renew", "@3", Way::Straight),
    ("learn_login", "@1", Way::Straight),
    ("intend", "@1", Way::Straight),
    ("intend", "@2", Way::AnswerLost),
    ("settle_and_intend", "@1", Way::Straight),
    ("send_create", "@1", Way::Straight),
    ("send_upload", "@1", Way::Straight),
    ("send_embed", "@1", Way::Straight),
    ("settle", "@1", Way::Straight),
    ("settle", "@2", Way::Straight),
    ("leave", "@1", Way::Straight),
    ("look", "@1", Way::AnswerLost),
    ("look", "@1", Way::UploadLost),
    ("sight", "@1", Way::AnswerLost),
    ("settle", "@2", Way::AnswerLost),
    ("close", "@1", Way::Cancelled),
    ("abandon", "@1", Way::Unwritten),
    ("bury", "@1", Way::Buries),
    ("late_look", "@1", Way::SentTwice),
    ("looked_late", "@1", Way::SentTwice),
];

/// Points that an issue does not pass between *Saved* and its receipt, or only on ways that others play.
const ELSEWHERE: &[(&str, &str)] = &[
    ("act", "a person's act"),
    ("add_destination", "a person's act"),
    ("add_first_destination", "the first start of all, before anything is saved"),
    ("attach", "before it is saved: `what_dies_while_it_is_being_saved_is_whole_or_not_there`"),
    ("begin_generation", "a restore, alone with the store; the simulator plays it"),
    ("call_back", "a move whose file could not be put in its place"),
    ("discard_blank", "a person's act"),
    ("discard_draft", "a person's act"),
    ("edit", "a person's act"),
    ("file_draft", "as `file_new`, which outtrayctl plays"),
    ("file_new", "before it is saved: `what_dies_while_it_is_being_saved_is_whole_or_not_there`"),
    ("follow", "after a restore only, when it was moved before; the simulator plays it"),
    ("has_gone", "a move to another computer: `engine_archive` plays it"),
    ("import", "a person’s act: `engine_archive` plays it"),
    ("keep_catalogue", "a cache, read again when it is lost"),
    ("move_to", "a person's act"),
    ("network_changed", "a hint: lanes are probed at their time without it"),
    ("new_draft", "before it is saved: `what_dies_while_it_is_being_saved_is_whole_or_not_there`"),
    ("no_token", "the app's words for a lane that it cannot serve"),
    ("pause", "a person's act"),
    ("remove_destination", "a person's act"),
    ("resolve_send_again", "a person's act"),
    ("resume", "a person's act"),
    ("save_draft", "before it is saved: `what_dies_while_it_is_being_saved_is_whole_or_not_there`"),
    ("set_ca", "a person's act"),
    ("set_default_destination", "a person's act"),
    ("set_out", "a move to another computer: `engine_archive` plays it"),
    ("set_removed", "a person's act"),
    ("set_setting", "a person's act"),
    ("signed_in", "a person's act"),
    ("stumble", "after a panic of ours, which no fault asks for; the simulator plays it"),
    ("strays", "after a claim that did not work; it writes nothing"),
    ("tidy_drafts", "housekeeping at the start, of drafts only"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Error,
    Stall,
    Kill,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    point: &'static str,
    nth: &'static str,
    way: Way,
    side: &'static str,
    kind: Kind,
}

fn cases(kind: Kind) -> Vec<Case> {
    let sides = ["before", "after"];
    POINTS
        .iter()
        .flat_map(|(point, nth, way)| sides.map(|side| Case { point, nth, way: *way, side, kind }))
        .collect()
}

impl Case {
    fn faults(self) -> String {
        let Self { point, nth, side, .. } = self;
        let what = match self.kind {
            Kind::Error => "error",
            Kind::Stall => STALL,
            Kind::Kill => "kill",
        };
        let leading = match self.way {
            // The second renewal is the one in the middle of the create.
            Way::Cancelled => "renew.before=stall:1600@2,",
            Way::Unwritten => "settle_and_intend.before=error@1,",
            _ => "",
        };
        format!("{leading}{point}.{side}={what}{nth}")
    }

    fn prepare(self, tracker: &PracticeTracker) {
        match self.way {
            Way::Straight | Way::Buries | Way::Unwritten => {}
            Way::AnswerLost => tracker.fault(Route::Create, What::CutAfterBody),
            Way::UploadLost => tracker.fault(Route::Upload, What::CutAfterBody),
            Way::Cancelled => tracker.fault(Route::Create, What::DelayAfter { ms: 3_000 }),
            Way::SentTwice => {
                tracker.fault(Route::Create, What::Html { status: 502 });
                tracker.fault(Route::Upload, What::DelayAfter { ms: 1_200 });
            }
        }
    }

    /// Whether it shows that what was asked for happened; nothing where it cannot show.
    fn happened(self, first: &Ended) -> Option<bool> {
        match self.kind {
            Kind::Error => Some(first.err.contains(&format!("{} was made to fail.", self.point))),
            Kind::Kill => Some(first.signal == Some(9)),
            // A second process is beside it, and may have taken the work before the point was reached.
            Kind::Stall => None,
        }
    }
}

async fn play(case: Case) -> Result<(), String> {
    let tracker = PracticeTracker::start().await.unwrap();
    let settings = if case.way == Way::Cancelled { UNHURRIED } else { QUICK };
    let home = Home::new(PROGRAM, &tracker, settings).await;
    let wanted = home.save_one(1).await;
    case.prepare(&tracker);
    if case.way == Way::Buries {
        home.drain(3, "send_create.after=kill").end(Duration::from_secs(30)).await;
    }
    let watch = Watch::new(&home.data());
    let mut first = home.drain(3, &case.faults());
    let mut early = None;
    if case.kind == Kind::Stall {
        // Beside it, as soon as it has the entry; what stands still before that holds nothing.
        let mut ended = false;
        until(Duration::from_millis(500), || {
            ended = ended || first.ended().is_some();
            ended || watch.claimed() > 0
        })
        .await;
    } else {
        early = Some(first.end(Duration::from_secs(30)).await);
    }
    let second = home.drain(30, "").end(Duration::from_secs(40)).await;
    let first = match early {
        Some(ended) => ended,
        None => first.end(Duration::from_secs(30)).await,
    };
    let mut wrong = judge(&tracker, &wanted);
    wrong.extend(judge_store(&home, &tracker, &wanted).await);
    if second.code != Some(0) {
        wrong.push(format!("the second process left something: {:?} {}", second.code, second.err));
    }
    if case.happened(&first) == Some(false) {
        wrong.push("nothing was made to fail".to_owned());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} ({:?}): {}\n  the first process: {first:?}", case.faults(), case.way, wrong.join("; ")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_fails_once_is_made_good() {
    each(cases(Kind::Error), play).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_stands_still_past_its_lease_does_no_harm() {
    each(cases(Kind::Stall), play).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_dies_at_any_step_is_made_good() {
    each(cases(Kind::Kill), play).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_does_not_work_is_tried_again_before_the_deadline() {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = Home::new(PROGRAM, &tracker, QUICK).await;
    home.save_one(0).await;
    let drained = home.drain(30, "claim.before=error@1").end(Duration::from_secs(40)).await;
    assert_eq!((drained.code, tracker.issues().len()), (Some(0), 1), "{drained:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_dies_while_it_is_being_saved_is_whole_or_not_there() {
    let points = ["file_new"];
    let cases = points.into_iter().flat_map(|point| {
        ["before", "after"].into_iter().flat_map(move |side| {
            ["error", "kill"].into_iter().map(move |what| format!("{point}.{side}={what}"))
        })
    });
    each(cases.collect(), |faults: String| async move {
        let tracker = PracticeTracker::start().await.unwrap();
        let home = Home::new(PROGRAM, &tracker, QUICK).await;
        let picture = home.data().join("../user/a.png");
        std::fs::write(&picture, outtray_chaos::PICTURE).unwrap();
        let file = ["file", "--to", "work", "--title", "One", "--attach", picture.to_str().unwrap()];
        let saving = home.run(&file, &faults).await;
        let list = home.json(&["list"]).await?;
        let drained = home.drain(20, "").end(Duration::from_secs(40)).await;
        let issues = tracker.issues();
        let saved = list.as_array().map_or(0, Vec::len);
        let whole = issues.iter().all(|issue| issue.assets.len() == 1);
        let said_saved = saving.code == Some(0);
        if saved <= 1
            && issues.len() == saved
            && whole
            && (saved == 1 || !said_saved)
            && drained.code == Some(0)
        {
            return Ok(());
        }
        Err(format!("{faults}: {saved} saved, {} issues, whole: {whole}; {saving:?}", issues.len()))
    })
    .await;
}

#[test]
fn no_point_is_forgotten() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/core/src");
    let mut named = BTreeSet::new();
    read(&source, &mut named);
    assert!(named.len() > 30, "the source is not where this test looks: {named:?}");
    let played: BTreeSet<String> = POINTS.iter().map(|(point, ..)| (*point).to_owned()).collect();
    let elsewhere: BTreeSet<String> = ELSEWHERE.iter().map(|(point, _)| (*point).to_owned()).collect();
    let both: Vec<_> = played.intersection(&elsewhere).collect();
    assert!(both.is_empty(), "played, and said not to be: {both:?}");
    let told: BTreeSet<String> = played.union(&elsewhere).cloned().collect();
    let forgotten: Vec<_> = named.difference(&told).collect();
    assert!(forgotten.is_empty(), "new points: play them, or say why not: {forgotten:?}");
    let gone: Vec<_> = told.difference(&named).collect();
    assert!(gone.is_empty(), "the source has no such points any more: {gone:?}");
}

/// Collects the names of points below a folder. A call whose name cannot be read is one that nobody could play.
fn read(folder: &Path, named: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read(&path, named);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("fault.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for call in [".write(", ".write_within(", "fault::point("] {
                for at in text.match_indices(call).map(|(at, _)| at + call.len()) {
                    named.extend(names(text, at, &path));
                }
            }
        }
    }
}

/// The names that the call whose arguments begin at `at` may have.
fn names(text: &str, at: usize, path: &Path) -> Vec<String> {
    let arguments = text[at..].trim_start();
    if let Some(name) = arguments.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
        return vec![name.to_owned()];
    }
    // What opens a file is no write of the store.
    if arguments.starts_with("true)") {
        return Vec::new();
    }
    // The store's own calls carry on the name that they were given.
    if arguments.starts_with("name, ") && path.ends_with("store/mod.rs") {
        return Vec::new();
    }
    if arguments.starts_with("sending(") {
        let words = text.split("const fn sending(").nth(1).and_then(|rest| rest.split("\n}").next());
        let words = words.expect("the function that names what is sent").split('"').skip(1).step_by(2);
        return words.map(str::to_owned).collect();
    }
    // An attachment being written to its file.
    assert!(
        path.components()
            .any(|part| ["capture", "tracker"].contains(&part.as_os_str().to_str().unwrap_or(""))),
        "{}: no name can be read in …{}",
        path.display(),
        arguments.get(..60).unwrap_or(arguments)
    );
    Vec::new()
}
