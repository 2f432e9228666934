//! Keys that work in every window of the desktop, on X11. On Wayland only the desktop binds such keys: there a person
//! binds `outtray --new` and `outtray --capture` in its settings.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use tauri::{AppHandle, Manager as _, Runtime};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};

use crate::act::{Ask, act};
use crate::verb::Verb;

/// The keys as the desktop has bound them.
#[derive(Default)]
pub(crate) struct Shortcuts(Mutex<Vec<Shortcut>>);

/// One key, as a window shows it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Shortcut {
    /// `new` or `capture`; `outtray --new` does the same.
    verb: &'static str,
    /// As it is written on the keyboard.
    keys: &'static str,
    standing: Standing,
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    /// It is ours.
    Bound,
    /// Another program has it.
    Taken,
    /// Only the desktop itself can bind it.
    Desktop,
}

const KEYS: [(&str, &str, Verb); 2] =
    [("ctrl+shift+KeyI", "Ctrl+Shift+I", Verb::New), ("ctrl+shift+KeyS", "Ctrl+Shift+S", Verb::Capture)];

/// Binds the keys; one that somebody else holds is left to them.
pub(crate) fn bind<R: Runtime>(app: &AppHandle<R>) {
    let can_bind = !crate::desktop::is_wayland() && has_plugin(app);
    let bound = KEYS.map(|(code, keys, verb)| {
        let standing = if can_bind { bind_one(app, code, verb) } else { Standing::Desktop };
        Shortcut { verb: verb.name(), keys, standing }
    });
    *lock(app) = bound.to_vec();
}

/// The keys and whether they work.
pub(crate) fn list<R: Runtime>(app: &AppHandle<R>) -> Vec<Shortcut> {
    lock(app).clone()
}

fn has_plugin<R: Runtime>(app: &AppHandle<R>) -> bool {
    let plugged = app.plugin(tauri_plugin_global_shortcut::Builder::new().build());
    if let Err(error) = &plugged {
        tracing::warn!(%error, "no keys can be bound");
    }
    plugged.is_ok()
}

fn bind_one<R: Runtime>(app: &AppHandle<R>, code: &str, verb: Verb) -> Standing {
    let bound = app.global_shortcut().on_shortcut(code, move |app, _, event| {
        if event.state == ShortcutState::Pressed
            && let Some(ask) = Ask::of(verb)
        {
            act(app, ask);
        }
    });
    match bound {
        Ok(()) => Standing::Bound,
        Err(error) => {
            tracing::warn!(%error, code, "somebody else holds these keys");
            Standing::Taken
        }
    }
}

fn lock<R: Runtime>(app: &AppHandle<R>) -> std::sync::MutexGuard<'_, Vec<Shortcut>> {
    app.state::<Shortcuts>().inner().0.lock().unwrap_or_else(PoisonError::into_inner)
}
