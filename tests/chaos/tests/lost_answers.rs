//! Answers that get lost: at every stage, in every way. One issue, each picture once, each shown once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use outtray_chaos::{Home, each, judge, judge_store, until};
use outtray_support::{Logged, PracticeTracker, Route, What};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outtrayctl-faults");
/// How long one stage may take.
const STAGE_MS: u64 = 700;
/// How long after our first look a late commit comes; well within the quiet time.
const LATE_MS: u64 = 900;
const SETTINGS: &[(&str, &str)] = &[
    ("drain.lease_ms", "1000"),
    ("drain.quiet_ms", "2500"),
    ("drain.backoff_base_ms", "20"),
    ("drain.backoff_cap_ms", "100"),
    ("drain.stage_timeout_ms", "700"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Create,
    FirstUpload,
    SecondUpload,
    Embed,
}

impl Stage {
    fn route(self) -> Route {
        match self {
            Self::Create => Route::Create,
            Self::FirstUpload | Self::SecondUpload => Route::Upload,
            Self::Embed => Route::Embed,
        }
    }

    /// How often a look was taken that would have found it: through lists, never by search.
    fn looks(self, requests: &[Logged]) -> usize {
        let is_a_look = |request: &&Logged| {
            let path = request.target.split('?').next().unwrap_or_default();
            request.method == "GET"
                && match self {
                    Self::Create => path.ends_with("/issues"),
                    Self::FirstUpload | Self::SecondUpload => path.ends_with("/assets"),
                    Self::Embed => path.ends_with("/issues/1"),
                }
        };
        requests.iter().filter(is_a_look).count()
    }
}

fn ways() -> [What; 9] {
    [
        What::CutAfterHead,
        What::CutAfterBody,
        What::TroubleBefore { status: 503 },
        What::TroubleAfter { status: 500 },
        What::Html { status: 502 },
        What::HtmlAfter { status: 502 },
        What::CutAfterAnswer { bytes: 120 },
        What::DelayAfter { ms: 2 * STAGE_MS },
        What::CommitLate { ms: LATE_MS },
    ]
}

async fn play((stage, what): (Stage, What)) -> Result<(), String> {
    let tracker = PracticeTracker::start().await.unwrap();
    let home = Home::new(PROGRAM, &tracker, SETTINGS).await;
    let wanted = home.save_one(2).await;
    if stage == Stage::SecondUpload {
        tracker.fault(Route::Upload, What::DelayBefore { ms: 0 });
    }
    tracker.fault(stage.route(), what.clone());
    let mut looked_early = true;
    let mut draining = home.drain(30, "");
    if matches!(what, What::CommitLate { .. }) && stage != Stage::Embed {
        // The first look comes and goes before anything is there.
        until(Duration::from_secs(10), || stage.looks(&tracker.requests()) > 0).await;
        looked_early = is_missing(stage, &tracker);
    }
    let drained = draining.end(Duration::from_secs(60)).await;
    if matches!(what, What::CommitLate { .. }) {
        // Whatever was done meanwhile, it comes by then.
        tokio::time::sleep(Duration::from_millis(LATE_MS)).await;
    }
    let mut wrong = judge(&tracker, &wanted);
    wrong.extend(judge_store(&home, &tracker, &wanted).await);
    if drained.code != Some(0) {
        wrong.push(format!("something is left: {drained:?}"));
    }
    if !tracker.faults_left().is_empty() {
        wrong.push("the answer was not lost".to_owned());
    }
    if !looked_early {
        wrong.push("it was there before the first look".to_owned());
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{stage:?}, {what:?}: {}", wrong.join("; "))) }
}

fn is_missing(stage: Stage, tracker: &PracticeTracker) -> bool {
    let issues = tracker.issues();
    let pictures = issues.first().map_or(0, |issue| issue.assets.len());
    match stage {
        Stage::Create => issues.is_empty(),
        Stage::FirstUpload => pictures == 0,
        Stage::SecondUpload => pictures == 1,
        Stage::Embed => true,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_makes_no_second_issue_and_no_second_picture() {
    let stages = [Stage::Create, Stage::FirstUpload, Stage::SecondUpload, Stage::Embed];
    let cases = stages.into_iter().flat_map(|stage| ways().into_iter().map(move |what| (stage, what)));
    each(cases.collect(), play).await;
}

/// Looks that go wrong after an answer was lost, with nothing else to wait for.
async fn play_a_failed_look((stage, look, what): (Stage, Route, What)) -> Result<(), String> {
    let tracker = PracticeTracker::start().await.unwrap();
    let settings: Vec<_> = SETTINGS.iter().copied().chain([("drain.quiet_ms", "0")]).collect();
    let home = Home::new(PROGRAM, &tracker, &settings).await;
    let wanted = home.save_one(2).await;
    tracker.fault(stage.route(), What::CutAfterBody);
    tracker.faults(look, what.clone(), 2);
    let drained = home.drain(30, "").end(Duration::from_secs(60)).await;
    let mut wrong = judge(&tracker, &wanted);
    wrong.extend(judge_store(&home, &tracker, &wanted).await);
    if drained.code != Some(0) || !tracker.faults_left().is_empty() {
        wrong.push(format!("{:?} did not happen; {drained:?}", tracker.faults_left()));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{stage:?}, {look:?} {what:?}: {}", wrong.join("; "))) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_that_fails_is_no_look() {
    let stages = [(Stage::Create, Route::List), (Stage::FirstUpload, Route::Assets)];
    let cases = stages.into_iter().flat_map(|(stage, look)| {
        let ways = [
            What::CutAfterHead,
            What::TroubleBefore { status: 503 },
            What::Html { status: 502 },
            What::LoginPage,
            What::CutAfterAnswer { bytes: 120 },
            What::DelayAfter { ms: 2 * STAGE_MS },
        ];
        ways.map(|what| (stage, look, what))
    });
    each(cases.collect(), play_a_failed_look).await;
}
