//! The windows: which there are, how they open and how they close.
//!
//! All are built here, load pages of our own and nothing else, and cannot open others. Closing the last one leaves the
//! tray and the drainer at work; where no panel shows a tray icon, the outbox stays, minimised, so that there is always
//! a way back.
//! A compose window is asked before it goes: `asking.rs`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use outtray_core::Engine;
use outtray_core::problem::{Code, Problem, Result};
use tauri::webview::NewWindowResponse;
use tauri::{
    AppHandle, DragDropEvent, Emitter as _, Manager as _, PhysicalPosition, Runtime, Url, WebviewUrl,
    WebviewWindow, WebviewWindowBuilder, Window, WindowEvent,
};

use crate::asking::{self, Answer};
use crate::{quit, tray};

/// What a window shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Page {
    /// A draft to write on, or a new one.
    Compose(Option<i64>),
    /// The outbox.
    Outbox,
    /// The outbox, what needs the person first.
    NeedsYou,
    /// Settings.
    Settings,
    /// Settings, where the token of this destination is taken.
    SignIn(String),
}

impl Page {
    /// What of its window a page shows, as the address of the window names it and the window is told.
    fn view(&self) -> Option<String> {
        match self {
            Self::NeedsYou => Some("needs-you".to_owned()),
            Self::SignIn(destination) => Some(format!("sign-in/{destination}")),
            Self::Compose(_) | Self::Outbox | Self::Settings => None,
        }
    }
}

/// What is known of the windows beside what the toolkit knows.
#[derive(Default)]
pub(crate) struct Windows {
    /// Held while a window is looked for and built, so that two who ask at once get one. Never held by the main thread,
    /// which builds it.
    opening: Mutex<()>,
    /// Numbers given to compose windows so far.
    compose: AtomicU32,
    /// Which draft each compose window holds.
    drafts: Mutex<HashMap<String, i64>>,
    /// Compose windows that have saved and are about to go.
    saved: Mutex<HashSet<String>>,
    /// Files dropped on each window and not yet attached. Only these may be attached by path.
    drops: Mutex<HashMap<String, Vec<PathBuf>>>,
    /// Where the webview keeps what it must.
    data: OnceLock<PathBuf>,
}

/// The event that has a window show something else.
const TURN: &str = "turned-to";

const OUTBOX: &str = "outbox";
const SETTINGS: &str = "settings";
const COMPOSE: &str = "compose-";

/// At the start of a session the panel may come after us, and a panel that is started anew is back by then.
pub(crate) const FOR_A_PANEL: Duration = Duration::from_secs(8);
/// A person drops a handful of files, not thousands.
const MOST_DROPS: usize = 100;

/// Has the webview keep what it must in `dir`, with everything else of ours, and not where the toolkit would.
pub(crate) fn keep_data_in<R: Runtime>(app: &AppHandle<R>, dir: PathBuf) {
    // Said once, before the first window.
    let _ = app.state::<Windows>().data.set(dir);
}

/// Opens a page, or brings the window that shows it to the front. Not called on the main thread.
///
/// # Errors
/// `Internal` when the toolkit cannot.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>, page: &Page) -> Result<()> {
    let windows = app.state::<Windows>();
    let _alone = lock(&windows.opening);
    let opened = match standing(app, page) {
        Some(window) => turn(&window, page),
        None => build(app, page).and_then(|window| window.set_focus()),
    };
    opened.map_err(|error| Problem::new(Code::Internal, "The window cannot be opened.").because(error))
}

/// Brings a window that stands already to the front, and has it show what the page is about.
fn turn<R: Runtime>(window: &WebviewWindow<R>, page: &Page) -> tauri::Result<()> {
    if let Some(view) = page.view() {
        window.emit_to(window.label(), TURN, view)?;
    }
    front(window)
}

/// Brings any window to the front; says whether there was one.
pub(crate) fn front_any<R: Runtime>(app: &AppHandle<R>) -> bool {
    let windows = app.webview_windows();
    let first = [OUTBOX, SETTINGS].into_iter().find_map(|label| windows.get(label));
    first.or_else(|| windows.values().next()).is_some_and(|window| front(window).is_ok())
}

/// Notes which draft a compose window holds, so that the same draft never stands in two windows.
pub(crate) fn holds<R: Runtime>(window: &WebviewWindow<R>, draft: i64) {
    lock(&window.state::<Windows>().drafts).insert(window.label().to_owned(), draft);
}

/// Notes that all that is typed in a compose window is saved: its draft is what its page says it is.
pub(crate) fn has_saved<R: Runtime>(window: &WebviewWindow<R>) {
    lock(&window.state::<Windows>().saved).insert(window.label().to_owned());
}

/// Says whether the file at `path` was dropped on this window, once for each drop.
pub(crate) fn take_drop<R: Runtime>(window: &WebviewWindow<R>, path: &Path) -> bool {
    let windows = window.state::<Windows>();
    let mut drops = lock(&windows.drops);
    let Some(dropped) = drops.get_mut(window.label()) else { return false };
    dropped.iter().position(|dropped| dropped == path).map(|at| dropped.swap_remove(at)).is_some()
}

/// Closes a window that has nothing more to save.
pub(crate) fn close<R: Runtime>(window: &WebviewWindow<R>) {
    if !asking::hears(window, Answer::Saved) && !stays(window) {
        let _ = window.destroy();
    }
}

/// Keeps a window whose words are not safe, in front.
pub(crate) fn stay<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    if asking::hears(window, Answer::Stays) { Ok(()) } else { front(window) }
}

/// Takes every window away.
pub(crate) fn destroy_all<R: Runtime>(app: &AppHandle<R>) {
    for window in app.webview_windows().values() {
        let _ = window.destroy();
    }
}

/// The windows that somebody may be writing in.
pub(crate) fn written_in<R: Runtime>(app: &AppHandle<R>) -> impl Iterator<Item = WebviewWindow<R>> {
    app.webview_windows().into_values().filter(|window| window.label().starts_with(COMPOSE))
}

/// A window that was hidden, and where it stood.
pub(crate) struct Hidden {
    label: String,
    at: Option<PhysicalPosition<i32>>,
    focused: bool,
}

/// Hides every window that can be seen.
pub(crate) fn hide_all<R: Runtime>(app: &AppHandle<R>) -> Vec<Hidden> {
    app.webview_windows().values().filter_map(hide).collect()
}

/// Hides a window that can be seen.
pub(crate) fn hide<R: Runtime>(window: &WebviewWindow<R>) -> Option<Hidden> {
    if !window.is_visible().unwrap_or(false) || window.is_minimized().unwrap_or(false) {
        return None;
    }
    let (at, focused) = (window.outer_position().ok(), window.is_focused().unwrap_or(false));
    window.hide().ok()?;
    Some(Hidden { label: window.label().to_owned(), at, focused })
}

/// Shows them again, where they stood, the focused one last.
pub(crate) fn show_again<R: Runtime>(app: &AppHandle<R>, hidden: &[Hidden]) {
    let (focused, others): (Vec<_>, Vec<_>) = hidden.iter().partition(|hidden| hidden.focused);
    for hidden in others.into_iter().chain(focused) {
        let Some(window) = app.get_webview_window(&hidden.label) else { continue };
        // It may be written in again.
        lock(&app.state::<Windows>().saved).remove(&hidden.label);
        // Placed before it is shown: afterwards, a window manager has put it where it likes.
        let placed = hidden.at.map_or(Ok(()), |at| window.set_position(at));
        let shown = placed.and_then(|()| window.show());
        let shown = shown.and_then(|()| if hidden.focused { window.set_focus() } else { Ok(()) });
        if let Err(error) = shown {
            tracing::warn!(%error, window = hidden.label, "a window cannot be shown again");
        }
    }
}

/// Where no panel shows a tray icon, and none comes within `patience`, sees to it that a window can be found: the
/// outbox, minimised.
pub(crate) fn stay_reachable<R: Runtime>(app: &AppHandle<R>, patience: Duration) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(patience).await;
        let windows = app.state::<Windows>();
        let _alone = lock(&windows.opening);
        if tray::is_shown(&app) || quit::is_leaving(&app) || in_sight(&app).next().is_some() {
            return;
        }
        let window = match app.get_webview_window(OUTBOX) {
            Some(window) => window.show().map(|()| window),
            None => build(&app, &Page::Outbox),
        };
        if let Err(error) = window.and_then(|window| window.minimize()) {
            tracing::error!(%error, "no window can be kept within reach");
        }
    });
}

/// What the toolkit tells of a window.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    let windows = window.state::<Windows>();
    let label = window.label().to_owned();
    match event {
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            let Some(window) = window.app_handle().get_webview_window(&label) else { return };
            if label.starts_with(COMPOSE) {
                asking::ask_to_close(&window);
            } else {
                close(&window);
            }
        }
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
            let mut drops = lock(&windows.drops);
            let dropped = drops.entry(label).or_default();
            dropped.extend(paths.iter().cloned());
            let surplus = dropped.len().saturating_sub(MOST_DROPS);
            dropped.drain(..surplus);
        }
        WindowEvent::Destroyed => {
            let held = lock(&windows.drafts).remove(&label);
            // One that went without an answer may still be saving.
            if lock(&windows.saved).remove(&label) {
                discard_blank(window.app_handle(), held);
            }
            lock(&windows.drops).remove(&label);
            asking::forget(window.app_handle(), &label);
            stay_reachable(window.app_handle(), Duration::ZERO);
        }
        _ => {}
    }
}

/// Throws the draft of a closed window away if nothing was ever written or attached: there is nothing to come back to.
fn discard_blank<R: Runtime>(app: &AppHandle<R>, held: Option<i64>) {
    let (Some(draft), Some(engine)) = (held, app.try_state::<Engine>()) else { return };
    let engine = engine.inner().clone();
    tauri::async_runtime::spawn_blocking(move || {
        if let Err(problem) = engine.discard_blank(draft) {
            tracing::warn!(problem = problem.chain(), draft, "a blank draft stays");
        }
    });
}

/// Minimises the outbox instead of closing it where it would be the last way back.
fn stays<R: Runtime>(window: &WebviewWindow<R>) -> bool {
    let app = window.app_handle();
    let others = || in_sight(app).any(|other| other.label() != window.label());
    window.label() == OUTBOX
        && !quit::is_leaving(app)
        && !tray::is_shown(app)
        && !others()
        && window.minimize().is_ok()
}

/// Windows that a person can find.
fn in_sight<R: Runtime>(app: &AppHandle<R>) -> impl Iterator<Item = WebviewWindow<R>> {
    app.webview_windows().into_values().filter(|window| window.is_visible().unwrap_or(false))
}

/// The window that shows `page` already.
fn standing<R: Runtime>(app: &AppHandle<R>, page: &Page) -> Option<WebviewWindow<R>> {
    let label = match page {
        Page::Compose(None) => return None,
        Page::Compose(Some(draft)) => {
            let windows = app.state::<Windows>();
            let drafts = lock(&windows.drafts);
            drafts.iter().find(|(_, held)| *held == draft).map(|(label, _)| label.clone())?
        }
        Page::Outbox | Page::NeedsYou => OUTBOX.to_owned(),
        Page::Settings | Page::SignIn(_) => SETTINGS.to_owned(),
    };
    app.get_webview_window(&label)
}

/// Brings a window to the front.
pub(crate) fn front<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    // One that was about to go stays.
    asking::forget(window.app_handle(), window.label());
    window.show()?;
    window.unminimize()?;
    window.set_focus()
}

fn build<R: Runtime>(app: &AppHandle<R>, page: &Page) -> tauri::Result<WebviewWindow<R>> {
    let (mut address, title, size, least) = match page {
        Page::Compose(None) => ("compose.html".to_owned(), "New issue", (560.0, 640.0), (280.0, 320.0)),
        Page::Compose(Some(draft)) => {
            (format!("compose.html?draft={draft}"), "New issue", (560.0, 640.0), (280.0, 320.0))
        }
        Page::Outbox | Page::NeedsYou => ("outbox.html".to_owned(), "Outbox", (980.0, 640.0), (320.0, 320.0)),
        Page::Settings | Page::SignIn(_) => {
            ("settings.html".to_owned(), "Settings", (860.0, 640.0), (320.0, 320.0))
        }
    };
    if let Some(view) = page.view() {
        let view = percent_encoding::utf8_percent_encode(&view, percent_encoding::NON_ALPHANUMERIC);
        address = format!("{address}#{view}");
    }
    let label = match page {
        Page::Compose(_) => {
            format!("{COMPOSE}{}", app.state::<Windows>().compose.fetch_add(1, Ordering::Relaxed) + 1)
        }
        Page::Outbox | Page::NeedsYou => OUTBOX.to_owned(),
        Page::Settings | Page::SignIn(_) => SETTINGS.to_owned(),
    };
    let mut builder = WebviewWindowBuilder::new(app, &label, WebviewUrl::App(address.into()))
        .title(format!("{title} – Outtray"))
        .inner_size(size.0, size.1)
        .min_inner_size(least.0, least.1)
        .prevent_overflow()
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny);
    if let Some(dir) = app.state::<Windows>().data.get() {
        builder = builder.data_directory(dir.clone());
    }
    let window = builder.build()?;
    if let Page::Compose(Some(draft)) = page {
        holds(&window, *draft);
    }
    Ok(window)
}

/// Whether an address is a page of the app itself.
fn is_ours(address: &Url) -> bool {
    let page = matches!(address.path(), "/compose.html" | "/outbox.html" | "/settings.html");
    match address.scheme() {
        "tauri" => page && address.host_str() == Some("localhost"),
        "http" | "https" if cfg!(windows) => page && address.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn windows_go_to_pages_of_the_app_only() {
        let ours = |address: &str| is_ours(&address.parse().expect("an address"));
        for address in
            ["tauri://localhost/compose.html?draft=3", "tauri://localhost/settings.html#destinations"]
        {
            assert!(ours(address), "{address}");
        }
        for address in [
            "https://evil.example/compose.html",
            "tauri://evil.example/compose.html",
            "tauri://localhost/other.html",
            "picture://localhost/1",
            "file:///etc/passwd",
            "data:text/html,x",
            "about:blank",
        ] {
            assert!(!ours(address), "{address}");
        }
    }
}
