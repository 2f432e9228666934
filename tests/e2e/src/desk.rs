//! A desktop of its own: everything a person's session has, private to one journey.
//!
//! | part | program | for |
//! |---|---|---|
//! | screen | Xvfb, on a display number it picks itself | windows, screenshots |
//! | session bus | dbus-daemon, with nothing that starts by itself | everything below |
//! | window manager | openbox | focus, closing a window as a person does |
//! | tray | our own watcher, or xfce4-panel | the icon, its tooltip and its menu |
//! | notifications | dunst | the real thing; we listen on the bus |
//! | keyring | gnome-keyring-daemon, unlocked | tokens |
//!
//! Home, data and settings are in a folder that goes with the desk; logs and pictures stay in `target/e2e/JOURNEY`.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::kept::Kept;
use crate::keyring;
use crate::notices::Notices;
use crate::tray::Tray;
use crate::until_so;

/// Who shows the tray's icons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// A watcher of our own, which can be read and clicked.
    Ours,
    /// xfce4-panel, for a look with real eyes.
    Panel,
    /// Nobody, as on a stock GNOME.
    None,
}

/// The whole desktop. Parts end in the order in which they stand here.
pub struct Desk {
    /// The tray.
    pub tray: Tray,
    /// The notifications.
    pub notices: Notices,
    processes: Vec<Kept>,
    display: String,
    bus: String,
    folder: PathBuf,
    home: TempDir,
}

impl Desk {
    /// Sets a desk up for the journey of this name.
    pub fn new(journey: &str, host: Host) -> Self {
        let folder = programs().join("../e2e").join(journey);
        // There is none on the first run.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("target/ takes folders");
        let home = tempfile::Builder::new().prefix("outtray-").tempdir().expect("there is room for a home");
        for part in ["run", "home", "config", "data", "cache", "pictures"] {
            std::fs::create_dir(home.path().join(part)).expect("a home takes folders");
        }
        let bus = format!("unix:path={}", home.path().join("run/bus").display());
        let mut screen = Kept::start("Xvfb", &folder.join("Xvfb.log"), |command| {
            command.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-noreset", "-nolisten", "tcp"]);
            command.env("PATH", path()).stdout(Stdio::piped());
        });
        let display = format!(":{}", screen.first_line());
        let mut processes = vec![screen];
        let mut start = |name: &str, prepare: &dyn Fn(&mut Command)| {
            let mut kept = Kept::start(name, &folder.join(format!("{name}.log")), |command| {
                command.envs(environment(home.path(), &display, &bus));
                prepare(command);
            });
            let is_up = name != "dbus-daemon" || !kept.first_line().is_empty();
            assert!(is_up && kept.is_running(), "{name} ended at once; {} has its log", folder.display());
            processes.push(kept);
        };
        let rules = bus_rules(&bus, host == Host::Panel);
        let rules_file = home.path().join("bus.conf");
        std::fs::write(&rules_file, rules).expect("a home takes files");
        start("dbus-daemon", &|command| {
            command
                .args(["--nofork", "--print-address=1", "--config-file"])
                .arg(&rules_file)
                .stdout(Stdio::piped());
        });
        start("openbox", &|_| {});
        if host == Host::Panel {
            set_panel_up(home.path());
            start("xfce4-panel", &|command| {
                command.args(["--disable-wm-check"]);
            });
        }
        let tray = if host == Host::Ours { Tray::ours(&bus) } else { Tray::of_others(&bus) };
        let notices = Notices::listen(&bus);
        start("dunst", &|_| {});
        start("gnome-keyring-daemon", &|command| {
            command.args(["--foreground", "--unlock", "--components=secrets"]).stdin(Stdio::piped());
        });
        let keyring = processes.last_mut().expect("it has just been started");
        keyring.stdin().write_all(PASSWORD).expect("the keyring reads its password");
        let desk = Self { tray, notices, processes, display, bus, folder, home };
        // A picture of a black screen shows nothing. Without a background everything else is as it was.
        let _hung = desk
            .command("display")
            .args(["-window", "root", "-size", "1280x800", "gradient:#8fa9b8-#4c6475"])
            .status();
        for name in ["org.freedesktop.Notifications", "org.freedesktop.secrets"] {
            until_so(name, || desk.tray.is_on_the_bus(name));
        }
        if host == Host::Panel {
            until_so("the panel's tray", || desk.tray.is_there());
        }
        desk
    }

    /// Where the application keeps everything on this desk.
    pub fn outtray_home(&self) -> PathBuf {
        self.home.path().join("outtray")
    }

    /// Changes something in the store behind everybody's back.
    pub fn meddle(&self, statement: &str) {
        let store =
            rusqlite::Connection::open(self.outtray_home().join("outtray.db")).expect("there is a store");
        store.execute(statement, []).expect("it can be changed");
    }

    /// The titles and bodies of the drafts.
    pub fn drafts(&self) -> Vec<(String, String)> {
        let store =
            rusqlite::Connection::open(self.outtray_home().join("outtray.db")).expect("there is a store");
        let mut drafts =
            store.prepare("SELECT title, body FROM draft ORDER BY id").expect("there are drafts");
        let read = drafts.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("they can be read");
        read.collect::<Result<_, _>>().expect("they can be read")
    }

    /// Where logs and pictures of this journey stay.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A program of ours or of the system, ready to be started on this desk.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).stdin(Stdio::null());
        command
    }

    /// A program of ours, as it was built.
    pub fn program(name: &str) -> PathBuf {
        let program = programs().join(name);
        assert!(program.exists(), "{} is not built: ./dev e2e builds it", program.display());
        program
    }

    /// The person prefers dark windows, from the next start of the application on.
    pub fn prefer_dark(&self) {
        let folder = self.home.path().join("config/gtk-3.0");
        std::fs::create_dir_all(&folder).expect("a home takes folders");
        let settings = "[Settings]\ngtk-application-prefer-dark-theme=1\n";
        std::fs::write(folder.join("settings.ini"), settings).expect("a home takes files");
    }

    /// Locks the keyring, as a desktop does after a while.
    pub fn lock_keyring(&self) {
        let service = "/org/freedesktop/secrets";
        let locked = self
            .command("gdbus")
            .args(["call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", service])
            .args(["--method", "org.freedesktop.Secret.Service.Lock"])
            .arg(format!("['{service}/collection/login']"))
            .output();
        assert!(locked.as_ref().is_ok_and(|locked| locked.status.success()), "{locked:?}");
    }

    /// Unlocks it with its password, as a person does at the desktop.
    pub fn unlock_keyring(&self) {
        keyring::unlock(&self.bus, PASSWORD).expect("the keyring takes its password");
    }

    /// Types a text as the keyboard does, on the window that has the focus.
    pub fn type_text(&self, text: &str) {
        let status =
            self.command("xdotool").args(["type", "--clearmodifiers", "--delay", "30", text]).status();
        assert!(status.is_ok_and(|status| status.success()), "xdotool does not type {text}");
    }

    /// Presses keys as the keyboard does, on the window that has the focus: `alt+F4`.
    pub fn press(&self, keys: &str) {
        let status = self.command("xdotool").args(["key", "--clearmodifiers", keys]).status();
        assert!(status.is_ok_and(|status| status.success()), "xdotool does not press {keys}");
    }

    /// Brings the window of this title to the front and gives it the focus; says whether there is one.
    pub fn focus(&self, title: &str) -> bool {
        let mut xdotool = self.command("xdotool");
        xdotool.args(["search", "--onlyvisible", "--name", title, "windowactivate", "--sync"]);
        xdotool.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// Closes the window of this title as a person does, through the window manager.
    pub fn close(&self, title: &str) {
        until_so(&format!("the window “{title}” to close"), || self.focus(title));
        self.press("alt+F4");
    }

    /// Takes a picture of the whole screen, and leaves it in the journey's folder.
    pub fn look(&self, name: &str) -> PathBuf {
        let picture = self.folder.join(format!("{name}.png"));
        // A picture is for people; a journey does not fail for want of one.
        let _ = self.command("import").args(["-window", "root"]).arg(&picture).status();
        picture
    }

    /// The pixels of a part of the screen (`1280x32+0+0`), to be compared.
    pub fn pixels(&self, part: &str) -> Vec<u8> {
        let import =
            self.command("import").args(["-window", "root", "-crop", part, "-depth", "8", "rgb:-"]).output();
        import.expect("ImageMagick is there").stdout
    }

    /// The pixels of a picture file, as [`Desk::pixels`] gives those of the screen.
    ///
    /// # Panics
    /// When ImageMagick is not there.
    pub fn pixels_of(&self, picture: &[u8]) -> Vec<u8> {
        let file = self.folder.join("attached.png");
        std::fs::write(&file, picture).expect("a journey's folder takes files");
        let convert = self.command("convert").arg(&file).args(["-depth", "8", "rgb:-"]).output();
        convert.expect("ImageMagick is there").stdout
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        environment(self.home.path(), &self.display, &self.bus)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.look("at-the-end");
        }
        // What was started last ends first.
        while self.processes.pop().is_some() {}
    }
}

/// What unlocks the keyring.
const PASSWORD: &[u8] = b"a password of no worth";

/// Where cargo puts what it builds, beside this test.
fn programs() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    test.ancestors().nth(2).expect("tests are built into target/debug/deps").to_owned()
}

fn path() -> String {
    std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned())
}

/// Nothing of the real session reaches the desk.
fn environment(home: &Path, display: &str, bus: &str) -> Vec<(String, String)> {
    let at = |part: &str| home.join(part).display().to_string();
    let own = [
        ("HOME", at("home")),
        ("XDG_RUNTIME_DIR", at("run")),
        ("XDG_CONFIG_HOME", at("config")),
        ("XDG_DATA_HOME", at("data")),
        ("XDG_CACHE_HOME", at("cache")),
        ("OUTTRAY_HOME", at("outtray")),
        ("DBUS_SESSION_BUS_ADDRESS", bus.to_owned()),
        ("DISPLAY", display.to_owned()),
        ("PATH", path()),
    ];
    let fixed = [
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("GDK_BACKEND", "x11"),
        ("XDG_SESSION_TYPE", "x11"),
        ("XDG_CURRENT_DESKTOP", "XFCE"),
        ("GSETTINGS_BACKEND", "memory"),
        ("NO_AT_BRIDGE", "1"),
        ("RUST_BACKTRACE", "1"),
        // The window may be driven.
        ("TAURI_AUTOMATION", "true"),
        ("TAURI_WEBVIEW_AUTOMATION", "true"),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name, value.to_owned()));
    own.into_iter().chain(fixed).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A session bus on which nothing starts by itself; only a panel may have its settings' keeper started.
fn bus_rules(address: &str, for_a_panel: bool) -> String {
    let starts = if for_a_panel { "<standard_session_servicedirs/>" } else { "" };
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>{address}</listen>
  {starts}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#
    )
}

/// One panel along the top, with nothing in it but the tray.
fn set_panel_up(home: &Path) {
    let folder = home.join("config/xfce4/xfconf/xfce-perchannel-xml");
    std::fs::create_dir_all(&folder).expect("a home takes folders");
    std::fs::write(folder.join("xfce4-panel.xml"), include_str!("panel.xml")).expect("a home takes files");
}
