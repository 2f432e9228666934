//! Opening and closing windows, and leaving.

use outtray_core::problem::{Code, Problem, Result};
use serde::Deserialize;
use tauri::{AppHandle, Runtime, WebviewWindow};

use crate::quit;
use crate::windows::{self, Page};

/// A window by its kind.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Which {
    Compose,
    Outbox,
    Settings,
}

#[tauri::command]
pub(crate) async fn window_open<R: Runtime>(
    which: Which,
    draft: Option<i64>,
    app: AppHandle<R>,
) -> Result<()> {
    let page = match which {
        Which::Compose => Page::Compose(draft),
        Which::Outbox => Page::Outbox,
        Which::Settings => Page::Settings,
    };
    windows::open(&app, &page)
}

/// Closes the window that asks. It has saved by now.
#[tauri::command]
pub(crate) async fn window_close<R: Runtime>(window: WebviewWindow<R>) -> Result<()> {
    windows::has_saved(&window);
    windows::close(&window);
    Ok(())
}

/// Keeps the window that asks, in front: its words are not safe.
#[tauri::command]
pub(crate) async fn window_stay<R: Runtime>(window: WebviewWindow<R>) -> Result<()> {
    windows::stay(&window)
        .map_err(|error| Problem::new(Code::Internal, "The window does not come back.").because(error))
}

/// Quits once all that is typed is safe; `anyway` quits now.
#[tauri::command]
pub(crate) async fn app_quit<R: Runtime>(anyway: bool, app: AppHandle<R>) -> Result<()> {
    if anyway {
        quit::leave(&app);
    } else {
        quit::ask(&app);
    }
    Ok(())
}
