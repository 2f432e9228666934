//! The whole outbox as one file. Which file is the person's choice in the system's dialog; a window never names a path.

use outtray_core::Engine;
use outtray_core::archive::Kind;
use outtray_core::engine::{Exported, Imported};
use outtray_core::problem::Result;
use tauri::{Runtime, State, WebviewWindow};

use super::off_main;
use crate::dialogs;

/// Writes the outbox into a file that the person chooses; nothing when they cancel.
#[tauri::command]
pub(crate) async fn outbox_export<R: Runtime>(
    kind: Kind,
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<Option<Exported>> {
    let name = match kind {
        Kind::Copy => "outtray-copy.tar",
        Kind::Move => "outtray-move.tar",
    };
    let Some(path) = dialogs::pick_new_file(&window, "Export", name).await else { return Ok(None) };
    match kind {
        // The dialog has asked whether a file that is there may be replaced.
        Kind::Copy => off_main(&engine, move |engine| engine.export(&path, kind, true)).await,
        Kind::Move => engine.move_away(&path).await,
    }
    .map(Some)
}

/// Takes in what an archive holds that the person chooses; nothing when they cancel.
#[tauri::command]
pub(crate) async fn outbox_import<R: Runtime>(
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<Option<Imported>> {
    let Some(path) = dialogs::pick_file(&window, "Import").await else { return Ok(None) };
    off_main(&engine, move |engine| engine.import(&path)).await.map(Some)
}
