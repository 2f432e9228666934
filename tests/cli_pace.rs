//! GitHub's second between two creations, kept by all processes together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/mod.rs"]
mod cli;

use cli::{Home, Ran};
use outtray_support::{Dialect, PracticeTracker, TOKEN};

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_leave_a_second_between_any_two_creations() {
    let tracker = PracticeTracker::start_as(Dialect::GitHub).await.unwrap();
    let home = Home::new().with("OUTTRAY_TOKEN_ONE", TOKEN).with("OUTTRAY_TOKEN_TWO", TOKEN);
    for name in ["one", "two"] {
        let url = tracker.url();
        home.json(&[
            "destination",
            "add",
            name,
            "--tracker",
            "github",
            "--url",
            &url,
            "--project",
            "ada/demo",
        ]);
        for number in 0..3 {
            home.json(&["file", "--to", name, "--title", &format!("{name} {number}")]);
        }
    }
    let drain = || home.start(&["drain", "--until-idle", "--deadline", "60"]);
    let (first, second) = (drain(), drain());
    for ran in [Ran::of(first), Ran::of(second)] {
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let mut made: Vec<i64> = tracker.issues().iter().map(|issue| issue.created_ms).collect();
    made.sort_unstable();
    assert_eq!(made.len(), 6);
    let apart: Vec<i64> = made.windows(2).map(|two| two[1] - two[0]).collect();
    // A turn is taken before the request is made, which takes its own time.
    assert!(apart.iter().all(|ms| *ms >= 800), "{apart:?}");
    let pace = std::fs::read_dir(home.data()).unwrap().flatten();
    let files: Vec<_> = pace.filter(|file| file.file_name().to_string_lossy().starts_with("pace-")).collect();
    assert_eq!(files.len(), 1, "one file for the host");
}
