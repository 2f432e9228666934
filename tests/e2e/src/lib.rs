//! A desk for the journeys: a whole desktop of its own for each test, with the real application in a real window.
//!
//! [`Desk`] is an X server, a session bus, a window manager, a notification daemon, a keyring and a tray, all private
//! and all gone when it is dropped. [`App`] is the application on that desk, driven by WebDriver as a person would drive
//! it: by the names that stand on buttons and fields. [`Tray`] and [`Notices`] are what a person sees outside of the
//! windows. [`Tracker`] is the service that issues are filed to, [`Ctl`] is `outtrayctl` in another process.
//!
//! Nothing here waits for a time to pass: [`until`] looks again and again until what was promised is there.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a desk that cannot be set up is a failed test, and says why"
)]

mod app;
mod ctl;
mod desk;
mod kept;
mod keyring;
mod notices;
mod tracker;
mod tray;
mod webdriver;

use std::time::{Duration, Instant};

pub use app::{App, Window};
pub use ctl::Ctl;
pub use desk::{Desk, Host};
pub use notices::{Notice, Notices};
pub use tracker::{Picture, Tracker};
pub use tray::{Icon, Line, Tray};

/// How long a promise may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(40);

/// Looks until there is something, and returns it.
///
/// # Panics
/// When it does not come, with what was waited for.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain for {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Looks until it is so, and returns how long that took.
///
/// # Panics
/// When it does not become so.
pub fn until_so(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    until(what, || is_so().then_some(()));
    start.elapsed()
}
