//! Opening and closing windows, and leaving.

use outtray_core::problem::Result;
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
    windows::open(&app, page)
}

/// Closes the window that asks. It has saved by now.
#[tauri::command]
pub(crate) async fn window_close<R: Runtime>(window: WebviewWindow<R>) -> Result<()> {
    windows::close(&window);
    Ok(())
}

#[tauri::command]
pub(crate) async fn app_quit<R: Runtime>(app: AppHandle<R>) -> Result<()> {
    quit::leave(&app);
    Ok(())
}
