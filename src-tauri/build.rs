//! Turns every command into a permission, and the capability files into what each window may ask for.

use std::fmt::Write as _;
use std::path::PathBuf;

/// Every command of `src/commands`. One that is missing here cannot be granted to a window.
const COMMANDS: &[&str] = &[
    "app_quit",
    "attention_now",
    "capture_screen",
    "catalogue_open",
    "clipboard_files",
    "destination_add",
    "destination_certificate",
    "destination_list",
    "destination_remembered",
    "destination_remove",
    "destination_sign_in",
    "destination_test",
    "destination_try",
    "draft_attach",
    "draft_attach_path",
    "draft_attach_pick",
    "draft_detach",
    "draft_discard",
    "draft_file",
    "draft_list",
    "draft_new",
    "draft_open",
    "draft_preview",
    "draft_reattach",
    "draft_save",
    "entry_files_show",
    "entry_leave",
    "entry_list",
    "entry_move",
    "entry_open",
    "entry_preview",
    "entry_resolve_there",
    "entry_restore",
    "entry_retry",
    "entry_retry_all",
    "entry_save",
    "entry_send_again",
    "entry_show",
    "entry_withdraw",
    "outbox_export",
    "outbox_import",
    "project_list",
    "setting_list",
    "setting_set",
    "shortcut_list",
    "similar_list",
    "similar_show",
    "window_close",
    "window_open",
    "window_stay",
    "work_pause",
    "work_resume",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=src-tauri/build.rs");
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/*.json")
        .app_manifest(tauri_build::AppManifest::new().permissions_path_pattern(permissions()?));
    tauri_build::try_build(attributes)?;
    Ok(())
}

/// Writes one permission a command and returns where. Tauri can do so by itself, but only into the source tree.
fn permissions() -> Result<&'static str, Box<dyn std::error::Error>> {
    let mut text = String::new();
    for command in COMMANDS {
        let name = command.replace('_', "-");
        write!(text, "[[permission]]\nidentifier = \"allow-{name}\"\ncommands.allow = [\"{command}\"]\n\n")?;
    }
    let dir = PathBuf::from(std::env::var("OUT_DIR")?).join("commands");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("commands.toml"), text)?;
    let pattern = dir.join("*.toml").to_str().ok_or("the build directory's name is not UTF-8")?.to_owned();
    Ok(Box::leak(pattern.into_boxed_str()))
}
