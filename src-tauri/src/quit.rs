//! Leaving: by the menu, a window, a signal or the end of the session. Windows save what is typed, the drainer gives
//! its leases back, and five seconds later at the latest the process is gone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use outtray_core::Engine;
use tauri::{AppHandle, Manager as _, Runtime};

use crate::windows;

/// Whether the app is leaving.
#[derive(Default)]
pub(crate) struct Leaving(AtomicBool);

/// How long windows may take to save.
const TO_SAVE: Duration = Duration::from_millis(1200);
/// How long stages in flight may take to end.
const TO_STOP: Duration = Duration::from_millis(3000);
/// When the process ends, whatever hangs.
const AT_LAST: Duration = Duration::from_millis(4800);

/// Whether the app is leaving.
pub(crate) fn is_leaving<R: Runtime>(app: &AppHandle<R>) -> bool {
    app.state::<Leaving>().0.load(Ordering::Acquire)
}

/// Leaves; a second call changes nothing.
pub(crate) fn leave<R: Runtime>(app: &AppHandle<R>) {
    if app.state::<Leaving>().0.swap(true, Ordering::AcqRel) {
        return;
    }
    std::thread::spawn(|| {
        std::thread::sleep(AT_LAST);
        std::process::exit(0);
    });
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tracing::debug!("leaving");
        windows::close_all(&app, TO_SAVE).await;
        tracing::debug!("windows are gone");
        if let Some(engine) = app.try_state::<Engine>().map(|engine| engine.inner().clone()) {
            engine.stop(TO_STOP).await;
        }
        tracing::debug!("the drainer has stopped");
        app.exit(0);
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
