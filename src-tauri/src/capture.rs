//! A picture of the screen without our own windows in it.

use std::time::Duration;

use jiff::ZonedDateTime;
use outtray_core::Engine;
use outtray_core::problem::{Code, Problem, Result};
use outtray_core::view::{AttachmentView, DraftView};
use tauri::{AppHandle, Manager as _, Runtime, State};
use tokio::sync::Mutex;

use crate::commands::off_main;
use crate::{screen, windows};

/// Two captures at once would hide each other's windows for good.
#[derive(Default)]
pub(crate) struct Camera(Mutex<()>);

/// How long a compositor may take until hidden windows are gone from the picture.
const UNTIL_GONE: Duration = Duration::from_millis(300);

/// Captures the screen and attaches the picture to `draft`.
pub(crate) async fn into_draft<R: Runtime>(app: &AppHandle<R>, draft: i64) -> Result<AttachmentView> {
    let picture = take(app).await?;
    let engine: State<'_, Engine> = app.state();
    off_main(&engine, move |engine| engine.attach_bytes(draft, &name(&ZonedDateTime::now()), &picture)).await
}

/// Captures the screen into a draft of its own.
pub(crate) async fn into_new_draft<R: Runtime>(app: &AppHandle<R>) -> Result<DraftView> {
    let picture = take(app).await?;
    let engine: State<'_, Engine> = app.state();
    off_main(&engine, move |engine| {
        let draft = engine.new_draft()?;
        engine.attach_bytes(draft.id, &name(&ZonedDateTime::now()), &picture)?;
        engine.draft(draft.id)
    })
    .await
}

/// Hides our windows, takes the picture, and shows them again whatever came of it.
async fn take<R: Runtime>(app: &AppHandle<R>) -> Result<Vec<u8>> {
    let camera: State<'_, Camera> = app.state();
    let Ok(_held) = camera.0.try_lock() else {
        return Err(Problem::new(Code::Capture, "The screen is being captured already."));
    };
    let hidden = windows::hide_all(app);
    if !hidden.is_empty() {
        tokio::time::sleep(UNTIL_GONE).await;
    }
    let picture = screen::grab().await;
    windows::show_again(app, &hidden);
    picture
}

/// The name of a picture taken at `now`: sorts by time, and is a file name everywhere.
fn name(now: &ZonedDateTime) -> String {
    format!("Screenshot {}.png", now.strftime("%Y-%m-%d %H.%M.%S"))
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    #[test]
    fn a_picture_is_named_after_its_moment() {
        let now: jiff::ZonedDateTime = "2026-11-30T14:02:11.5[UTC]".parse().expect("a time");
        assert_eq!(super::name(&now), "Screenshot 2026-11-30 14.02.11.png");
    }
}
