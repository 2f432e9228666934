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
