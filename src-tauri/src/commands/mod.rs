//! What windows may ask for, one thin function each. `build.rs` lists them all, and a capability file says which window
//! may ask for which.

mod archive;
mod catalogue;
mod destinations;
mod drafts;
mod outbox;
mod settings;
mod windows;

use outtray_core::Engine;
use outtray_core::problem::{Code, Problem, Result};
use tauri::Runtime;
use tauri::ipc::Invoke;

/// Every command.
pub(crate) fn all<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        archive::outbox_export,
        archive::outbox_import,
        catalogue::catalogue_open,
        catalogue::project_list,
        catalogue::similar_list,
        catalogue::similar_show,
        destinations::destination_add,
        destinations::destination_certificate,
        destinations::destination_list,
        destinations::destination_remembered,
        destinations::destination_remove,
        destinations::destination_sign_in,
        destinations::destination_test,
        destinations::destination_try,
        drafts::capture_screen,
        drafts::clipboard_files,
        drafts::draft_attach,
        drafts::draft_attach_path,
        drafts::draft_attach_pick,
        drafts::draft_detach,
        drafts::draft_discard,
        drafts::draft_file,
        drafts::draft_list,
        drafts::draft_new,
        drafts::draft_open,
        drafts::draft_preview,
        drafts::draft_reattach,
        drafts::draft_save,
        outbox::attention_now,
        outbox::entry_list,
        outbox::entry_move,
        outbox::entry_open,
        outbox::entry_preview,
        outbox::entry_resolve_there,
        outbox::entry_restore,
        outbox::entry_save,
        outbox::entry_retry,
        outbox::entry_retry_all,
        outbox::entry_send_again,
        outbox::entry_leave,
        outbox::entry_files_show,
        outbox::entry_show,
        outbox::entry_withdraw,
        outbox::work_pause,
        outbox::work_resume,
        settings::setting_list,
        settings::setting_set,
        settings::shortcut_list,
        windows::app_quit,
        windows::window_close,
        windows::window_open,
        windows::window_stay,
    ]
}

/// Runs a blocking act of the engine where it may block: the main thread draws.
pub(crate) async fn off_main<T: Send + 'static>(
    engine: &Engine,
    act: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
) -> Result<T> {
    let engine = engine.clone();
    let done = tauri::async_runtime::spawn_blocking(move || act(&engine)).await;
    let result = done
        .unwrap_or_else(|error| Err(Problem::new(Code::Internal, "Something went wrong.").because(error)));
    if let Err(problem) = &result
        && problem.code == Code::Internal
    {
        tracing::error!(problem = problem.chain(), "an act of the engine did not work");
    }
    result
}
