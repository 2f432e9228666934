//! What the desktop says of itself: which display there is, whether its panel is dark, whether it wants motion.
//! The only file that knows the toolkit.

use gtk::prelude::GtkSettingsExt as _;

/// Connects to the display. Called once, on the main thread, before anything is shown.
pub(crate) fn connect() -> Result<(), Box<dyn std::error::Error>> {
    Ok(gtk::init()?)
}

/// Whether this is a Wayland session, where only a portal may look at the screen.
pub(crate) fn is_wayland() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("WAYLAND_DISPLAY") || std::env::var_os("XDG_SESSION_TYPE").is_some_and(|kind| kind == "wayland")
}

/// Whether a light icon is the one to see on the panel. Called on the main thread.
pub(crate) fn has_dark_panel() -> bool {
    let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
    let settings = gtk::Settings::default();
    let theme = settings.as_ref().and_then(|settings| settings.gtk_theme_name()).unwrap_or_default();
    let prefers_dark = settings.is_some_and(|settings| settings.is_gtk_application_prefer_dark_theme());
    dark_panel(&desktop, &theme, prefers_dark)
}

/// Whether things may move. Called on the main thread.
pub(crate) fn wants_motion() -> bool {
    gtk::Settings::default().is_some_and(|settings| settings.is_gtk_enable_animations())
}

/// Tells the addresses of what was copied elsewhere, as soon as whoever holds the clipboard answers. Called on the main
/// thread.
pub(crate) fn copied(tell: impl FnOnce(Vec<String>) + 'static) {
    if !gtk::is_initialized_main_thread() {
        return tell(Vec::new());
    }
    let clipboard = gtk::Clipboard::get(&gtk::gdk::SELECTION_CLIPBOARD);
    clipboard.request_uris(|_, addresses| tell(addresses.iter().map(ToString::to_string).collect()));
}

/// Some desktops paint their panel in the theme's colours; most have a dark one, whatever the theme.
fn dark_panel(desktop: &str, theme: &str, prefers_dark: bool) -> bool {
    const LIKE_THE_THEME: [&str; 5] = ["KDE", "LXDE", "LXQt", "MATE", "X-Cinnamon"];
    let follows =
        desktop.split(':').any(|name| LIKE_THE_THEME.iter().any(|known| known.eq_ignore_ascii_case(name)));
    !follows || prefers_dark || theme.to_lowercase().contains("dark")
}

#[cfg(test)]
mod tests {
    use super::dark_panel;

    #[test]
    fn a_panel_is_dark_unless_its_desktop_paints_it_in_a_light_theme() {
        assert!(dark_panel("GNOME", "Adwaita", false));
        assert!(dark_panel("ubuntu:GNOME", "Yaru", false));
        assert!(dark_panel("", "Adwaita", false), "a bare bar is dark more often than not");
        assert!(dark_panel("XFCE", "Adwaita", false), "dark by itself since 4.16");
        assert!(!dark_panel("MATE", "Adwaita", false));
        assert!(dark_panel("MATE", "BlueMenta-Dark", false));
        assert!(dark_panel("KDE", "Breeze", true));
        assert!(!dark_panel("X-Cinnamon", "Mint-Y", false));
    }
}
