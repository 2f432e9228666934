//! The tray icon and its menu: `face.rs` says what to show, this shows it. The only file that knows the tray.
//!
//! A desktop may have no place for tray icons, may get one later, and may lose it again. The icon is built when a panel
//! is there (building it without one fails) and comes back by itself when a panel does.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use outtray_core::attention::{Attention, Level};
use outtray_core::clock::{Clock as _, SystemClock};
use tauri::image::Image;
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _, Runtime};

use crate::act::{Ask, act};
use crate::desktop;
use crate::face::{Face, face};

/// The tray as it is now.
pub(crate) struct Tray<R: Runtime>(Mutex<Inner<R>>);

struct Inner<R: Runtime> {
    /// Whether a panel shows tray icons.
    panel: bool,
    icon: Option<TrayIcon<R>>,
    face: Option<Face>,
    /// Whether the icon is moving.
    moves: bool,
}

impl<R: Runtime> Default for Tray<R> {
    fn default() -> Self {
        Self(Mutex::new(Inner { panel: false, icon: None, face: None, moves: false }))
    }
}

impl<R: Runtime> Tray<R> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Inner<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Also the item's `Id` on the bus.
const ID: &str = "org.outtray.Outtray";
/// While something is sent, the arrow rises in these pictures.
const MOVING: [&str; 4] = ["sending-1", "sending-2", "sending-3", "sending-2"];
const STEP: Duration = Duration::from_millis(400);

const MENU: [(&str, &str, Ask); 7] = [
    ("new", "New issue", Ask::New),
    ("capture", "Capture screen", Ask::Capture),
    ("outbox", "Open outbox", Ask::Outbox),
    ("retry", "Retry all", Ask::RetryAll),
    ("pause", "Pause", Ask::Pause),
    ("settings", "Settings", Ask::Settings),
    ("quit", "Quit", Ask::Quit),
];

/// What the ids of items that need the person begin with.
const RETRY: &str = "retry";
const SIGN_IN: &str = "sign-in";

/// Whether a person can see the icon now.
pub(crate) fn is_shown<R: Runtime>(app: &AppHandle<R>) -> bool {
    let tray = app.state::<Tray<R>>();
    let inner = tray.lock();
    inner.panel && inner.icon.is_some()
}

/// Shows attention.
pub(crate) fn render<R: Runtime>(app: &AppHandle<R>, attention: &Attention) {
    let now = Timestamp::from_millisecond(SystemClock::new().now().wall_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let face = face(attention, now, &TimeZone::system());
    on_main(app, move |app| {
        let tray = app.state::<Tray<R>>();
        let mut inner = tray.lock();
        if inner.face.as_ref() == Some(&face) {
            return;
        }
        let before = inner.face.replace(face);
        let (Some(icon), Some(face)) = (&inner.icon, &inner.face) else { return };
        if let Err(error) = show(app, icon, face, before.as_ref()) {
            tracing::warn!(%error, "the tray icon cannot be changed");
        }
        drop(inner);
        keep_moving(app);
    });
}

/// Takes note of a panel that came or went.
pub(crate) fn panel<R: Runtime>(app: &AppHandle<R>, is_there: bool) {
    on_main(app, move |app| {
        let tray = app.state::<Tray<R>>();
        let missing = {
            let mut inner = tray.lock();
            inner.panel = is_there;
            inner.icon.is_none().then(|| inner.face.clone()).flatten()
        };
        if let Some(face) = missing.filter(|_| is_there) {
            match build(app, &face) {
                Ok(icon) => tray.lock().icon = Some(icon),
                // Such a desktop is an ordinary one: the windows know what to do.
                Err(error) => tracing::warn!(%error, "no tray icon"),
            }
            keep_moving(app);
        }
    });
}

/// Hears what is picked from the menu.
pub(crate) fn listen<R: Runtime>(app: &AppHandle<R>) {
    app.on_menu_event(|app, event: MenuEvent| {
        let paused = || app.state::<Tray<R>>().lock().face.as_ref().is_some_and(|face| face.paused);
        match asked(event.id().as_ref()) {
            Some(Ask::Pause) if paused() => act(app, Ask::Resume),
            Some(ask) => act(app, ask),
            None => tracing::debug!(id = event.id().as_ref(), "an item that does nothing"),
        }
    });
}

/// What an item of the menu asks for. Its id says so by itself: the menu on screen may be older than the face.
fn asked(id: &str) -> Option<Ask> {
    if let Some((.., ask)) = MENU.iter().find(|(known, ..)| *known == id) {
        return Some(ask.clone());
    }
    match id.split_once('/')? {
        (RETRY, entry) => entry.parse().ok().map(Ask::Retry),
        (SIGN_IN, destination) => Some(Ask::SignIn(destination.to_owned())),
        _ => None,
    }
}

/// The id of an item that needs the person; each is there once.
fn id_of(ask: &Ask) -> Option<String> {
    match ask {
        Ask::Retry(entry) => Some(format!("{RETRY}/{entry}")),
        Ask::SignIn(destination) => Some(format!("{SIGN_IN}/{destination}")),
        _ => None,
    }
}

fn build<R: Runtime>(app: &AppHandle<R>, face: &Face) -> tauri::Result<TrayIcon<R>> {
    let icon = TrayIconBuilder::with_id(ID)
        .title("Outtray")
        .icon(picture(app, name(face.level)))
        .tooltip(&face.words)
        .menu(&menu(app, face)?)
        .show_menu_on_left_click(false)
        .on_tray_icon_event(|icon, event| {
            if let TrayIconEvent::Click { button, button_state: MouseButtonState::Up, .. } = event {
                match button {
                    MouseButton::Left => act(icon.app_handle(), Ask::Outbox),
                    MouseButton::Middle => act(icon.app_handle(), Ask::New),
                    MouseButton::Right => {}
                }
            }
        })
        .build(app)?;
    Ok(icon)
}

/// Changes what has changed since `before`.
fn show<R: Runtime>(
    app: &AppHandle<R>,
    icon: &TrayIcon<R>,
    face: &Face,
    before: Option<&Face>,
) -> tauri::Result<()> {
    if before.is_none_or(|before| before.level != face.level) {
        icon.set_icon(Some(picture(app, name(face.level))))?;
    }
    if before.is_none_or(|before| before.words != face.words) {
        icon.set_tooltip(Some(&face.words))?;
    }
    icon.set_menu(Some(menu(app, face)?))
}

fn menu<R: Runtime>(app: &AppHandle<R>, face: &Face) -> tauri::Result<Menu<R>> {
    let menu = Menu::new(app)?;
    let add = |id: &str, words: &str, enabled: bool| {
        // A menu takes `&` for the mark of a key.
        menu.append(&MenuItem::with_id(app, id, words.replace('&', "&&"), enabled, None::<&str>)?)
    };
    add("headline", &face.words, false)?;
    for item in &face.items {
        if let Some(id) = id_of(&item.ask) {
            add(&id, &item.words, true)?;
        }
    }
    menu.append(&PredefinedMenuItem::separator(app)?)?;
    for (id, words, ask) in MENU {
        if matches!(ask, Ask::Settings) {
            menu.append(&PredefinedMenuItem::separator(app)?)?;
        }
        match ask {
            Ask::Pause if face.paused => add(id, "Resume", true)?,
            Ask::RetryAll => add(id, words, face.retry)?,
            _ => add(id, words, true)?,
        }
    }
    Ok(menu)
}

/// Moves the icon while something is sent, if the desktop wants motion.
fn keep_moving<R: Runtime>(app: &AppHandle<R>) {
    let tray = app.state::<Tray<R>>();
    {
        let mut inner = tray.lock();
        let sends = inner.face.as_ref().is_some_and(|face| face.level == Level::Sending);
        if inner.moves || !sends || inner.icon.is_none() || !desktop::wants_motion() {
            return;
        }
        inner.moves = true;
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        for frame in MOVING.iter().cycle() {
            tokio::time::sleep(STEP).await;
            if !app.state::<Tray<R>>().lock().moves {
                return;
            }
            on_main(&app, move |app| {
                let tray = app.state::<Tray<R>>();
                let mut inner = tray.lock();
                let sends = inner.face.as_ref().is_some_and(|face| face.level == Level::Sending);
                inner.moves = sends && inner.moves;
                if let (true, Some(icon)) = (inner.moves, &inner.icon) {
                    let _ = icon.set_icon(Some(picture(app, frame)));
                }
            });
        }
    });
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Calm => "calm",
        Level::Waiting => "waiting",
        Level::Sending => "sending",
        Level::Offline => "offline",
        Level::Paused => "paused",
        Level::NeedsYou => "needs_you",
    }
}

/// The picture called `name`, for this panel's shade and this display's scale.
fn picture<R: Runtime>(app: &AppHandle<R>, name: &str) -> Image<'static> {
    let dark = desktop::has_dark_panel();
    let large = app.primary_monitor().ok().flatten().is_some_and(|monitor| monitor.scale_factor() > 1.25);
    let decoded = image::load_from_memory_with_format(bytes(name, dark, large), image::ImageFormat::Png);
    let picture = decoded.unwrap_or_default().into_rgba8();
    let (width, height) = picture.dimensions();
    Image::new_owned(picture.into_raw(), width, height)
}

fn bytes(name: &str, dark: bool, large: bool) -> &'static [u8] {
    macro_rules! pictures {
        ($($name:literal),*) => { [$(($name, [
            include_bytes!(concat!("../../icons/tray/", $name, "-on-light-22.png")).as_slice(),
            include_bytes!(concat!("../../icons/tray/", $name, "-on-light-44.png")).as_slice(),
            include_bytes!(concat!("../../icons/tray/", $name, "-on-dark-22.png")).as_slice(),
            include_bytes!(concat!("../../icons/tray/", $name, "-on-dark-44.png")).as_slice(),
        ])),*] };
    }
    let pictures = pictures!(
        "calm",
        "waiting",
        "sending",
        "sending-1",
        "sending-2",
        "sending-3",
        "offline",
        "paused",
        "needs_you"
    );
    let shades =
        pictures.iter().find(|(known, _)| *known == name).map_or(pictures[0].1, |(_, shades)| *shades);
    shades[usize::from(dark) * 2 + usize::from(large)]
}

fn on_main<R: Runtime>(app: &AppHandle<R>, act: impl FnOnce(&AppHandle<R>) + Send + 'static) {
    let there = app.clone();
    if let Err(error) = app.run_on_main_thread(move || act(&there)) {
        tracing::debug!(%error, "the event loop is gone");
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_the_menu_does_what_it_says() {
        for ask in [Ask::Retry(4), Ask::SignIn("work/at home".into())] {
            let id = id_of(&ask).expect("an item that needs the person");
            assert_eq!(asked(&id), Some(ask));
        }
        assert_eq!(asked("retry"), Some(Ask::RetryAll), "all is not one");
        assert_eq!(asked("quit"), Some(Ask::Quit));
        for nothing in ["headline", "retry/", "retry/x", "other/4", ""] {
            assert_eq!(asked(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn every_level_has_a_silhouette_of_its_own_in_every_shade_and_size() {
        let levels =
            [Level::Calm, Level::Waiting, Level::Sending, Level::Offline, Level::Paused, Level::NeedsYou];
        for dark in [false, true] {
            for (large, side) in [(false, 22), (true, 44)] {
                let mut seen = Vec::new();
                for level in levels {
                    let picture = image::load_from_memory(bytes(name(level), dark, large))
                        .expect("a picture")
                        .into_rgba8();
                    assert_eq!(picture.dimensions(), (side, side));
                    // The silhouette alone, without its colour.
                    let shape: Vec<bool> = picture.pixels().map(|pixel| pixel.0[3] > 127).collect();
                    assert!(!seen.contains(&shape), "{level:?} looks like another level");
                    seen.push(shape);
                }
            }
        }
        for frame in MOVING {
            assert_ne!(bytes(frame, true, true), bytes("calm", true, true), "{frame}");
        }
    }
}
