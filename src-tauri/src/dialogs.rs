//! The system's dialogs: picking files, and what has to be said or asked where no window can. Windows cannot ask for
//! them; only Rust can.

use std::path::PathBuf;

use outtray_core::problem::Problem;
use tauri::{AppHandle, Runtime, WebviewWindow};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons, MessageDialogKind};
use tokio::sync::oneshot;

/// Registers what the dialogs need.
pub(crate) fn plugin<R: Runtime>() -> tauri::plugin::TauriPlugin<R> {
    tauri_plugin_dialog::init()
}

/// Lets the person pick files; empty when they do not.
pub(crate) async fn pick_files<R: Runtime>(window: &WebviewWindow<R>) -> Vec<PathBuf> {
    let (tell, picked) = oneshot::channel();
    window.dialog().file().set_title("Attach").set_parent(window).pick_files(move |files| {
        // The window may have gone meanwhile; then nobody listens.
        let _ = tell.send(files.unwrap_or_default());
    });
    picked.await.unwrap_or_default().into_iter().filter_map(|file| file.into_path().ok()).collect()
}

/// Lets the person pick one file that is there; nothing when they do not.
pub(crate) async fn pick_file<R: Runtime>(window: &WebviewWindow<R>, title: &str) -> Option<PathBuf> {
    let (tell, picked) = oneshot::channel();
    window.dialog().file().set_title(title).set_parent(window).pick_file(move |file| {
        let _ = tell.send(file);
    });
    picked.await.ok().flatten()?.into_path().ok()
}

/// Lets the person name a file to write; nothing when they do not. Whether one that is there may be replaced, the dialog
/// asks.
pub(crate) async fn pick_new_file<R: Runtime>(
    window: &WebviewWindow<R>,
    title: &str,
    name: &str,
) -> Option<PathBuf> {
    let (tell, picked) = oneshot::channel();
    window.dialog().file().set_title(title).set_file_name(name).set_parent(window).save_file(move |file| {
        let _ = tell.send(file);
    });
    picked.await.ok().flatten()?.into_path().ok()
}

/// Lets the person pick a folder; nothing when they do not.
pub(crate) async fn pick_folder<R: Runtime>(window: &WebviewWindow<R>, title: &str) -> Option<PathBuf> {
    let (tell, picked) = oneshot::channel();
    window.dialog().file().set_title(title).set_parent(window).pick_folder(move |folder| {
        let _ = tell.send(folder);
    });
    picked.await.ok().flatten()?.into_path().ok()
}

/// A question with two answers.
pub(crate) struct Question<'a> {
    /// The dialog's title.
    pub title: &'a str,
    /// What is so, and what is asked.
    pub words: &'a str,
    /// The answer that does it.
    pub yes: &'a str,
    /// The answer that does not; also what closing the dialog means.
    pub no: &'a str,
}

/// Asks where no window can; says whether the answer is yes.
pub(crate) async fn ask<R: Runtime>(app: &AppHandle<R>, question: Question<'_>) -> bool {
    let (tell, answered) = oneshot::channel();
    let Question { title, words, yes, no } = question;
    app.dialog()
        .message(words)
        .title(title)
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::OkCancelCustom(yes.to_owned(), no.to_owned()))
        .show(move |is_yes| {
            // Whoever asked may be gone meanwhile.
            let _ = tell.send(is_yes);
        });
    answered.await.unwrap_or(false)
}

/// Says what went wrong where no window is at hand to say it.
pub(crate) fn say<R: Runtime>(app: &AppHandle<R>, problem: &Problem) {
    app.dialog().message(words(problem)).title("Outtray").kind(MessageDialogKind::Warning).show(|_| {});
}

/// Says why the app cannot start, then ends it.
pub(crate) fn refuse_to_start<R: Runtime>(app: &AppHandle<R>, problem: &Problem) {
    let leaving = app.clone();
    app.dialog()
        .message(words(problem))
        .title("Outtray cannot start")
        .kind(MessageDialogKind::Error)
        .show(move |_| leaving.exit(1));
}

/// Both sentences of a problem, as a dialog shows them.
pub(crate) fn words(problem: &Problem) -> String {
    match &problem.hint {
        Some(hint) => format!("{}\n\n{hint}", problem.message),
        None => problem.message.clone(),
    }
}
