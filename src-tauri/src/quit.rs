//! Leaving: by the menu, a window, a signal or the end of the session.
//!
//! A person who quits loses no word: every window saves what is typed first, and one that cannot keeps the app here,
//! comes to the front and says why. A signal or the end of the session cannot be put off: windows save what they can,
//! the drainer gives its leases back, and five seconds later at the latest the process is gone, whatever hangs.

use std::process::exit;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use outtray_core::Engine;
use tauri::{AppHandle, Manager as _, Runtime};

use crate::asking::{self, Verdict};
use crate::dialogs::{self, Question};
use crate::windows;

/// Whether the app is leaving.
#[derive(Default)]
pub(crate) struct Leaving(Mutex<Stage>);

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    #[default]
    Stays,
    /// The windows are asked whether they may go.
    Asks,
    /// There is no way back.
    Leaves,
}

/// How long windows may take to save when a person waits for it: longer than the store waits for another process.
const TO_SAVE: Duration = Duration::from_secs(8);
/// How long they may take when nobody waits.
const TO_SAVE_AT_LAST: Duration = Duration::from_millis(1000);
/// How long stages in flight may take to end.
const TO_STOP: Duration = Duration::from_millis(2800);
/// How long the toolkit may take to end. It does not while a dialog of the desktop is open.
const TO_END: Duration = Duration::from_millis(300);
/// When the process is told to exit, whatever hangs, and when it is killed because exiting hangs.
const AT_LAST: [Duration; 2] = [Duration::from_millis(4300), Duration::from_millis(300)];

const SILENT: Question<'_> = Question {
    title: "Outtray has not quit",
    words: "A window does not answer, so its last words may not be saved.",
    yes: "Quit anyway",
    no: "Keep it open",
};

/// Whether the app is leaving for good.
pub(crate) fn is_leaving<R: Runtime>(app: &AppHandle<R>) -> bool {
    *lock(app) == Stage::Leaves
}

/// Leaves as a person asks for it: once all that is typed is safe. A second call meanwhile changes nothing.
pub(crate) fn ask<R: Runtime>(app: &AppHandle<R>) {
    if !advance(app, Stage::Asks) {
        return;
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let verdict = asking::ask_all(&app, TO_SAVE).await;
        if verdict == Verdict::Safe {
            return leave(&app);
        }
        tracing::info!(?verdict, "a window holds words that are not saved: Outtray stays");
        asking::call_off(&app);
        {
            let mut stage = lock(&app);
            if *stage == Stage::Asks {
                *stage = Stage::Stays;
            }
        }
        // The window itself says why it stays, unless it says nothing any more.
        if verdict == Verdict::Silent && dialogs::ask(&app, SILENT).await {
            leave(&app);
        }
    });
}

/// Leaves now; a second call changes nothing.
pub(crate) fn leave<R: Runtime>(app: &AppHandle<R>) {
    if !advance(app, Stage::Leaves) {
        return;
    }
    std::thread::spawn(|| {
        std::thread::sleep(AT_LAST[0]);
        tracing::warn!("something hangs: ending without it");
        end_at_once();
    });
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tracing::debug!("leaving");
        let verdict = asking::ask_all(&app, TO_SAVE_AT_LAST).await;
        if verdict != Verdict::Safe {
            tracing::warn!(?verdict, "the last words in a window could not be saved");
        }
        windows::destroy_all(&app);
        if let Some(engine) = app.try_state::<Engine>().map(|engine| engine.inner().clone()) {
            engine.stop(TO_STOP).await;
        }
        tracing::debug!("the drainer has stopped");
        app.exit(0);
        tokio::time::sleep(TO_END).await;
        end_at_once();
    });
}

/// Leaves when the session or somebody at a terminal says so.
#[cfg(unix)]
pub(crate) fn on_signals<R: Runtime>(app: &AppHandle<R>) {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            match signal(kind) {
                Ok(mut signals) => {
                    while signals.recv().await.is_some() {
                        leave(&app);
                    }
                }
                Err(error) => tracing::warn!(%error, "a signal cannot be heard"),
            }
        });
    }
}

/// Goes on to a later stage; says whether it was one.
fn advance<R: Runtime>(app: &AppHandle<R>, to: Stage) -> bool {
    let mut stage = lock(app);
    let is_later = *stage < to;
    *stage = to.max(*stage);
    is_later
}

/// Exits, and sees to it that this ends too: what libraries do on the way out may hang.
fn end_at_once() {
    std::thread::spawn(|| {
        std::thread::sleep(AT_LAST[1]);
        #[cfg(unix)]
        // Nobody is left to hear that this did not work.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    });
    exit(0);
}

fn lock<R: Runtime>(app: &AppHandle<R>) -> std::sync::MutexGuard<'_, Stage> {
    app.state::<Leaving>().inner().0.lock().unwrap_or_else(PoisonError::into_inner)
}
