//! Outtray's shell: the only code that knows Tauri, the tray, notifications and the screen.
//!
//! It decides nothing about issues: windows ask it by command, it asks the engine, and what the engine publishes as
//! attention goes to the tray, to a notification and to every window. Each desktop package is named in one file (the
//! keyring in a crate of its own, `src-tauri/secrets`, since outtrayctl asks it too):
//!
//! | file | what it alone knows |
//! |---|---|
//! | `tray.rs` | the tray icon and its menu |
//! | `notify.rs` | notifications |
//! | `screen.rs` | how the screen is captured |
//! | `shortcuts.rs` | keys that work everywhere |
//! | `bus.rs` | the session bus: one instance, and whether a panel shows tray icons |
//! | `desktop.rs` | the toolkit's settings: display, theme, motion |
//! | `dialogs.rs` | the system's dialogs |
//!
//! Three files decide and touch nothing: `verb.rs` (what a start asks for), `face.rs` (what the tray shows) and
//! `notice.rs` (whether the person is told).

mod act;
mod asking;
mod bus;
mod capture;
mod clipboard;
mod commands;
mod desktop;
mod dialogs;
mod face;
mod news;
mod notice;
mod notify;
mod open;
mod picture;
mod quit;
mod screen;
mod shortcuts;
mod start;
mod tray;
mod verb;
mod windows;

pub use start::{context, furnish, run};
