//! Drafts and what is attached to them.

use std::path::PathBuf;

use outtray_core::Engine;
use outtray_core::problem::{Code, Problem, Result};
use outtray_core::view::{AttachmentView, DraftEdit, DraftView, Preview, Saved};
use serde::Serialize;
use tauri::ipc::{InvokeBody, Request};
use tauri::{AppHandle, Runtime, State, WebviewWindow};

use super::off_main;
use crate::{capture, clipboard, dialogs, windows};

#[tauri::command]
pub(crate) async fn draft_new<R: Runtime>(
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<DraftView> {
    let draft = off_main(&engine, Engine::new_draft).await?;
    windows::holds(&window, draft.id);
    Ok(draft)
}

#[tauri::command]
pub(crate) async fn draft_list(engine: State<'_, Engine>) -> Result<Vec<DraftView>> {
    off_main(&engine, Engine::drafts).await
}

#[tauri::command]
pub(crate) async fn draft_open<R: Runtime>(
    id: i64,
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<DraftView> {
    let draft = off_main(&engine, move |engine| engine.draft(id)).await?;
    windows::holds(&window, draft.id);
    Ok(draft)
}

/// What leaves of a draft if it is filed as it was saved.
#[tauri::command]
pub(crate) async fn draft_preview(id: i64, engine: State<'_, Engine>) -> Result<Preview> {
    off_main(&engine, move |engine| engine.preview_draft(id)).await
}

#[tauri::command]
pub(crate) async fn draft_save(edit: DraftEdit, engine: State<'_, Engine>) -> Result<DraftView> {
    off_main(&engine, move |engine| engine.save_draft(&edit)).await
}

#[tauri::command]
pub(crate) async fn draft_discard(id: i64, engine: State<'_, Engine>) -> Result<()> {
    off_main(&engine, move |engine| engine.discard_draft(id)).await
}

/// The bytes are the body of the request as they are; what names them travels in headers.
#[tauri::command]
pub(crate) async fn draft_attach(request: Request<'_>, engine: State<'_, Engine>) -> Result<AttachmentView> {
    let malformed =
        || Problem::new(Code::Invalid, "This attachment did not arrive whole.").hint("Add it again.");
    let header =
        |name| request.headers().get(name).and_then(|value| value.to_str().ok()).ok_or_else(malformed);
    let draft: i64 = header("x-draft")?.parse().map_err(|_| malformed())?;
    let name =
        percent_encoding::percent_decode_str(header("x-name")?).decode_utf8().map_err(|_| malformed())?;
    let name = name.into_owned();
    let InvokeBody::Raw(bytes) = request.body() else { return Err(malformed()) };
    let bytes = bytes.clone();
    off_main(&engine, move |engine| engine.attach_bytes(draft, &name, &bytes)).await
}

/// Attaches what the person picks in the system's dialog; nothing when they cancel.
#[tauri::command]
pub(crate) async fn draft_attach_pick<R: Runtime>(
    draft: i64,
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<Vec<AttachmentView>> {
    let files = dialogs::pick_files(&window).await;
    off_main(&engine, move |engine| files.iter().map(|file| engine.attach_file(draft, file)).collect()).await
}

/// Attaches a file that was dropped on this window. No other path is taken from a window.
#[tauri::command]
pub(crate) async fn draft_attach_path<R: Runtime>(
    draft: i64,
    path: PathBuf,
    window: WebviewWindow<R>,
    engine: State<'_, Engine>,
) -> Result<AttachmentView> {
    if !windows::take_drop(&window, &path) {
        return Err(
            Problem::new(Code::Refused, "This file was not dropped here.").hint("Attach it by the button.")
        );
    }
    off_main(&engine, move |engine| engine.attach_file(draft, &path)).await
}

/// What came of pasting files.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Pasted {
    attached: Vec<AttachmentView>,
    /// Why others were not; one that cannot be read stops no other.
    refused: Vec<Problem>,
}

/// Attaches the files that were copied in a file manager. The window neither names them nor learns where they are.
#[tauri::command]
pub(crate) async fn clipboard_files<R: Runtime>(
    draft: i64,
    app: AppHandle<R>,
    engine: State<'_, Engine>,
) -> Result<Pasted> {
    let files = clipboard::files(&app).await;
    off_main(&engine, move |engine| {
        let mut pasted = Pasted::default();
        for file in files {
            match engine.attach_file(draft, &file) {
                Ok(attachment) => pasted.attached.push(attachment),
                Err(problem) => pasted.refused.push(problem),
            }
        }
        Ok(pasted)
    })
    .await
}

#[tauri::command]
pub(crate) async fn draft_detach(draft: i64, attachment: i64, engine: State<'_, Engine>) -> Result<()> {
    off_main(&engine, move |engine| engine.detach(draft, attachment)).await
}

#[tauri::command]
pub(crate) async fn draft_reattach(draft: i64, attachment: i64, engine: State<'_, Engine>) -> Result<()> {
    off_main(&engine, move |engine| engine.reattach(draft, attachment)).await
}

#[tauri::command]
pub(crate) async fn draft_file(draft: i64, revision: i64, engine: State<'_, Engine>) -> Result<Saved> {
    off_main(&engine, move |engine| engine.file_draft(draft, revision)).await
}

/// Hides the app's windows, takes the whole screen, shows them again.
#[tauri::command]
pub(crate) async fn capture_screen<R: Runtime>(draft: i64, app: AppHandle<R>) -> Result<AttachmentView> {
    capture::into_draft(&app, draft).await
}
