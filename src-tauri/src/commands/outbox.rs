//! Entries, and the work on them as a whole.

use outtray_core::Engine;
use outtray_core::attention::Attention;
use outtray_core::problem::{Code, Problem, Result};
use outtray_core::view::{Acted, EntryDetails, EntryState, EntryView, Preview, SavedFiles};
use tauri::{Runtime, State, WebviewWindow};
use url::Url;

use super::off_main;
use crate::dialogs;
use crate::open::open;

#[tauri::command]
pub(crate) async fn attention_now(engine: State<'_, Engine>) -> Result<Attention> {
    off_main(&engine, Engine::status).await
}

#[tauri::command]
pub(crate) async fn entry_list(
    state: Option<EntryState>,
    engine: State<'_, Engine>,
) -> Result<Vec<EntryView>> {
    off_main(&engine, move |engine| engine.entries(state)).await
}

#[tauri::command]
pub(crate) async fn entry_open(id: i64, engine: State<'_, Engine>) -> Result<EntryDetails> {
    off_main(&engine, move |engine| engine.entry(id)).await
}

#[tauri::command]
pub(crate) async fn entry_retry(id: i64, engine: State<'_, Engine>) -> Result<Acted> {
    off_main(&engine, move |engine| engine.retry(id)).await
}

#[tauri::command]
pub(crate) async fn entry_retry_all(engine: State<'_, Engine>) -> Result<Vec<Acted>> {
    off_main(&engine, Engine::retry_all).await
}

#[tauri::command]
pub(crate) async fn entry_withdraw(id: i64, engine: State<'_, Engine>) -> Result<Acted> {
    off_main(&engine, move |engine| engine.withdraw(id)).await
}

#[tauri::command]
pub(crate) async fn entry_restore(id: i64, engine: State<'_, Engine>) -> Result<Acted> {
    off_main(&engine, move |engine| engine.restore(id)).await
}

#[tauri::command]
pub(crate) async fn entry_resolve_there(id: i64, url: String, engine: State<'_, Engine>) -> Result<Acted> {
    engine.resolve_there(id, &url).await
}

#[tauri::command]
pub(crate) async fn entry_send_again(id: i64, engine: State<'_, Engine>) -> Result<Acted> {
    off_main(&engine, move |engine| engine.resolve_send_again(id)).await
}

#[tauri::command]
pub(crate) async fn entry_leave(id: i64, engine: State<'_, Engine>) -> Result<Acted> {
    off_main(&engine, move |engine| engine.leave_at_that(id)).await
}

/// Shows the files that the tracker did not take, in a folder of their own.
#[tauri::command]
pub(crate) async fn entry_files_show(id: i64, engine: State<'_, Engine>) -> Result<()> {
    off_main(&engine, move |engine| {
        let dir = engine.lay_out_missing(id)?;
        let address = Url::from_directory_path(&dir)
            .map_err(|()| Problem::new(Code::Internal, format!("{} cannot be opened.", dir.display())))?;
        open(address.as_str())
    })
    .await
}

/// Sends it to another destination.
#[tauri::command]
pub(crate) async fn entry_move(id: i64, destination: String, engine: State<'_, Engine>) -> Result<Acted> {
    off_main(&engine, move |engine| engine.move_to(id, &destination)).await
}

/// What leaves of it, or has left.
#[tauri::command]
pub(crate) async fn entry_preview(id: i64, engine: State<'_, Engine>) -> Result<Preview> {
    off_main(&engine, move |engine| engine.preview_entry(id)).await
}

/// Saves it as files in a folder that the person chooses; nothing when they cancel.
#[tauri::command]
pub(crate) async fn entry_save<R: Runtime>(
    id: i64,
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<Option<SavedFiles>> {
    let Some(folder) = dialogs::pick_folder(&window, "Save as files").await else { return Ok(None) };
    off_main(&engine, move |engine| engine.save_as_files(id, &folder)).await.map(Some)
}

/// Opens the filed issue: in the browser, or as a folder. The address is the receipt's, never the window's.
#[tauri::command]
pub(crate) async fn entry_show(id: i64, engine: State<'_, Engine>) -> Result<()> {
    off_main(&engine, move |engine| {
        let receipt = engine.entry(id)?.entry.receipt;
        let receipt = receipt.ok_or_else(|| Problem::new(Code::Refused, "This issue is not filed yet."))?;
        open(&receipt.url)
    })
    .await
}

#[tauri::command]
pub(crate) async fn work_pause(
    destination: Option<String>,
    minutes: Option<u32>,
    engine: State<'_, Engine>,
) -> Result<()> {
    off_main(&engine, move |engine| engine.pause(destination.as_deref(), minutes)).await
}

#[tauri::command]
pub(crate) async fn work_resume(destination: Option<String>, engine: State<'_, Engine>) -> Result<()> {
    off_main(&engine, move |engine| engine.resume(destination.as_deref())).await
}
