//! Keys that work in every window of the desktop, on X11. On Wayland only the desktop binds such keys: there a person
//! binds `outtray --new` and `outtray --capture` in its settings.

use tauri::{AppHandle, Runtime};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};

use crate::act::{Ask, act};

const KEYS: [(&str, Ask); 2] = [("ctrl+shift+KeyI", Ask::New), ("ctrl+shift+KeyS", Ask::Capture)];

/// Binds the keys; one that somebody else holds is left to them.
pub(crate) fn bind<R: Runtime>(app: &AppHandle<R>) {
    if crate::desktop::is_wayland() {
        return;
    }
    if let Err(error) = app.plugin(tauri_plugin_global_shortcut::Builder::new().build()) {
        tracing::warn!(%error, "no keys can be bound");
        return;
    }
    for (keys, ask) in KEYS {
        let bound = app.global_shortcut().on_shortcut(keys, move |app, _, event| {
            if event.state == ShortcutState::Pressed {
                act(app, ask);
            }
        });
        if let Err(error) = bound {
            tracing::warn!(%error, keys, "somebody else holds these keys");
        }
    }
}
