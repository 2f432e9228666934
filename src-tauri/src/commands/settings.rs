//! Settings.

use outtray_core::Engine;
use outtray_core::problem::Result;
use outtray_core::view::SettingView;
use tauri::State;

use super::off_main;

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
