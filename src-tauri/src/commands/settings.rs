//! Settings, and the keys that work everywhere.

use outtray_core::Engine;
use outtray_core::problem::Result;
use outtray_core::view::SettingView;
use tauri::{AppHandle, Runtime, State};

use super::off_main;
use crate::shortcuts::{self, Shortcut};

#[tauri::command]
pub(crate) async fn setting_list(engine: State<'_, Engine>) -> Result<Vec<SettingView>> {
    off_main(&engine, Engine::settings).await
}

#[tauri::command]
pub(crate) async fn setting_set(
    key: String,
    value: String,
    engine: State<'_, Engine>,
) -> Result<SettingView> {
    off_main(&engine, move |engine| engine.set_setting(&key, &value)).await
}

#[tauri::command]
pub(crate) async fn shortcut_list<R: Runtime>(app: AppHandle<R>) -> Result<Vec<Shortcut>> {
    Ok(shortcuts::list(&app))
}
