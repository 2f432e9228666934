//! Carries attention upstairs: from the engine's watch channel to the tray, to a notification and to every window. It
//! asks for nothing; who wants to know more asks the engine.

use std::pin::Pin;
use std::time::Duration;

use outtray_core::Engine;
use outtray_core::attention::Attention;
use tauri::{AppHandle, Emitter as _, Runtime};
use tokio::sync::mpsc;
use tokio::time::{Sleep, sleep};

use crate::notice::{Step, Told};
use crate::{notify, tray};

/// The one event that windows hear.
const EVENT: &str = "attention-changed";
/// The least time between two pieces of news: a drain changes the store many times a second, and windows ask anew each
/// time.
const BREATH: Duration = Duration::from_millis(60);
/// A burst of changes within this time is one change to a person.
const BURST: Duration = Duration::from_secs(1);

/// Starts carrying.
pub(crate) fn start<R: Runtime>(app: &AppHandle<R>, engine: &Engine) {
    let mut attention = engine.attention();
    let now = attention.borrow_and_update().clone();
    tray::render(app, &now);
    let notices = notify::start(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut told = Told::of(&now);
        let mut look: Option<Pin<Box<Sleep>>> = None;
        loop {
            tokio::select! {
                changed = attention.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let now = attention.borrow_and_update().clone();
                    spread(&app, &now);
                    told.glance(&now);
                    look.get_or_insert_with(|| Box::pin(sleep(BURST)));
                    sleep(BREATH).await;
                }
                () = over(&mut look) => {
                    look = None;
                    let step = told.look(&attention.borrow());
                    tell(&notices, step);
                }
            }
        }
    });
}

fn spread<R: Runtime>(app: &AppHandle<R>, attention: &Attention) {
    tray::render(app, attention);
    if let Err(error) = app.emit(EVENT, attention) {
        tracing::warn!(%error, "windows do not hear the news");
    }
}

fn tell(notices: &mpsc::Sender<Step>, step: Option<Step>) {
    if let Some(step) = step
        && notices.try_send(step).is_err()
    {
        tracing::info!("the notification server is too slow to be told");
    }
}

async fn over(wait: &mut Option<Pin<Box<Sleep>>>) {
    match wait {
        Some(wait) => wait.await,
        None => std::future::pending().await,
    }
}
