//! Clocks as after a suspend: processes in a time namespace whose boot clock is eight hours ahead, with the awake clock
//! where it was, beside processes that took their leases before "the night".
//!
//! *What this shows*: the real program, on the kernel's own clocks, takes a lease from before the night for over; does not
//! take its sender for gone; and counts quiet time on the clock that did not jump. Also the reverse: a lease that seems
//! to end in eight hours goes with its owner.
//!
//! *What it cannot show*: a jump in the middle of a process's life (a namespace is entered at the start), timers on the
//! boot clock that are overdue at resume, and connections that the network forgot meanwhile. Those are the simulator's,
//! with a clock of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "what is skipped says so")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use outtray_chaos::{Home, Process, Wanted, Watch, judge, judge_store, until};
use outtray_support::{PracticeTracker, Route, What};

const PROGRAM: &str = env!("CARGO_BIN_EXE_outtrayctl-faults");
const NIGHT_S: &str = "28800";
const PATIENCE: Duration = Duration::from_secs(30);
const SETTINGS: &[(&str, &str)] = &[
    ("drain.lease_ms", "60000"),
    ("drain.quiet_ms", "2000"),
    ("drain.backoff_base_ms", "20"),
    ("drain.backoff_cap_ms", "100"),
    ("drain.stage_timeout_ms", "20000"),
];

struct Scene {
    tracker: PracticeTracker,
    home: Home,
    wanted: Vec<Wanted>,
    watch: Watch,
}

impl Scene {
    /// A scene, or nothing where no process can be given another boot clock; then it says why.
    async fn new() -> Option<Self> {
        let asked = Command::new("unshare").args(["--time", "--boottime", NIGHT_S, "true"]).output();
        let why = match asked {
            Ok(ran) if ran.status.success() => None,
            Ok(ran) => Some(String::from_utf8_lossy(&ran.stderr).trim().to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = why {
            println!("skipped: a time namespace needs root, unshare of util-linux and Linux 5.6: {why}");
            return None;
        }
        let tracker = PracticeTracker::start().await.unwrap();
        let home = Home::new(PROGRAM, &tracker, SETTINGS).await;
        let wanted = home.save_one(1).await;
        let watch = Watch::new(&home.data());
        Some(Self { tracker, home, wanted, watch })
    }

    /// Starts a drain of today.
    fn today(&self) -> Process {
        self.home.drain(60, "")
    }

    /// Starts a drain after the night.
    fn after_the_night(&self) -> Process {
        let mut command = self.home.command(Path::new("/usr/bin/unshare"));
        command.args(["--time", "--boottime", NIGHT_S, PROGRAM, "drain", "--until-idle", "--deadline", "60"]);
        Process::start(command, &self.home.told())
    }

    /// Waits until the create is on its way.
    async fn sent(&self) {
        let sent = || self.tracker.requests().iter().any(|request| request.method == "POST");
        assert!(until(PATIENCE, sent).await, "nothing is sent");
    }

    fn creates(&self) -> usize {
        let is_create = |method: &str, target: &str| method == "POST" && target.ends_with("/issues");
        let requests = self.tracker.requests();
        requests.iter().filter(|request| is_create(&request.method, &request.target)).count()
    }

    async fn is_right(&self) {
        let mut wrong = judge(&self.tracker, &self.wanted);
        wrong.extend(judge_store(&self.home, &self.tracker, &self.wanted).await);
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_from_before_the_night_is_over_and_its_sender_is_not_gone() {
    let Some(scene) = Scene::new().await else { return };
    scene.tracker.fault(Route::Create, What::DelayBefore { ms: 4_000 });
    let mut sender = scene.today();
    scene.sent().await;
    let mut heir = scene.after_the_night();
    let heir_id = heir.id();
    let taken = || scene.watch.owner_of_the_first() == Some(heir_id) || scene.watch.waiting() == 0;
    assert!(until(PATIENCE, taken).await, "the lease was waited for");
    assert!(scene.tracker.issues().is_empty(), "it is taken over while the create is still on its way");
    let (heir, sender) = (heir.end(Duration::from_secs(60)).await, sender.end(Duration::from_secs(90)).await);
    assert_eq!(
        (heir.code, scene.creates()),
        (Some(0), 1),
        "looked for, and not sent again: {heir:?} {sender:?}"
    );
    scene.is_right().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_night_is_no_quiet_time() {
    let Some(scene) = Scene::new().await else { return };
    scene.tracker.fault(Route::Create, What::CommitLate { ms: 1_000 });
    let mut sender = scene.home.drain(60, "send_create.after=kill");
    assert_eq!(sender.end(PATIENCE).await.signal, Some(9));
    let heir = scene.after_the_night().end(Duration::from_secs(60)).await;
    assert_eq!((heir.code, scene.creates()), (Some(0), 1), "the kernel's bytes slept as well: {heir:?}");
    scene.is_right().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_seems_to_end_in_eight_hours_goes_with_its_owner() {
    let Some(scene) = Scene::new().await else { return };
    scene.tracker.fault(Route::Create, What::Stall);
    let sender = scene.after_the_night();
    scene.sent().await;
    sender.kill();
    let heir = scene.today().end(Duration::from_secs(60)).await;
    assert_eq!(heir.code, Some(0), "{heir:?}");
    scene.is_right().await;
}
