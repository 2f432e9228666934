//! Starting, from the top: the verb, log and file rights, the session bus, the display, the store, the windows, the tray.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use outtray_core::engine::Options;
use outtray_core::store::Adoption;
use outtray_core::{Code, Engine, Problem};
use outtray_secrets::Keyring;
use tauri::{AppHandle, Builder, Context, Manager as _, RunEvent, Runtime, Wry};
use tracing_subscriber::EnvFilter;

use crate::act::{Ask, act};
use crate::asking::Asking;
use crate::bus::Bus;
use crate::capture::Camera;
use crate::dialogs::Question;
use crate::quit::Leaving;
use crate::shortcuts::Shortcuts;
use crate::tray::Tray;
use crate::verb::{Start, Verb};
use crate::windows::Windows;
use crate::{commands, desktop, dialogs, news, picture, quit, shortcuts, tray, windows};

/// What the app moves in with, once the store is open.
struct Luggage {
    bus: Bus,
    verb: Verb,
    keyring: Arc<Keyring>,
    webview: PathBuf,
}

/// Runs the app until it is left.
pub fn run() -> ExitCode {
    let verb = match Start::of(std::env::args_os().skip(1)) {
        Start::With(verb) => verb,
        // Who does not listen any more needs no answer.
        Start::Say(words) => {
            let _ = std::io::stdout().write_all(words.as_bytes());
            return ExitCode::SUCCESS;
        }
        Start::Refuse(words) => {
            let _ = std::io::stderr().write_all(words.as_bytes());
            return ExitCode::from(2);
        }
    };
    log();
    // Whatever is written from here on is for this person's eyes only.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let keyring = Arc::new(Keyring::for_a_session());
    let options = Options { secrets: Arc::clone(&keyring) as _, ..Options::from_environment() };
    let Some(bus) = tauri::async_runtime::block_on(Bus::enter(verb, &options.home)) else {
        tracing::info!(verb = verb.name(), "handed over to the running instance");
        return ExitCode::SUCCESS;
    };
    if let Err(error) = desktop::connect() {
        tracing::error!(
            error,
            "Outtray needs a desktop to show its windows on; `outtrayctl` works without one"
        );
        return ExitCode::FAILURE;
    }
    let opened = tauri::async_runtime::block_on(async { Engine::open(options.clone()) });
    let mut context = context();
    // The toolkit, too, lets only one process have the app's id, and a second one would wait for ever in front of it.
    context.config_mut().app.enable_gtk_app_id = bus.is_first && std::env::var_os("OUTTRAY_HOME").is_none();
    let luggage = Luggage { bus, verb, keyring, webview: options.home.join("webview") };
    let app = furnish(Builder::<Wry>::new()).setup(move |app| {
        match opened {
            Ok(engine) => move_in(app.handle(), engine, luggage),
            Err(problem) if problem.code == Code::OtherMachine => {
                ask_whose_it_is(app.handle(), &problem, options, luggage);
            }
            Err(problem) => refuse(app.handle(), &problem),
        }
        Ok(())
    });
    match app.build(context) {
        Ok(app) => app.run(|_, event| {
            // The last window is gone: tray and drainer go on. Whoever leaves says so with a code.
            if let RunEvent::ExitRequested { code: None, api, .. } = event {
                api.prevent_exit();
            }
        }),
        Err(error) => {
            tracing::error!(%error, "the app cannot be built");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Furnishes an app with what windows see of it: commands, pictures, window habits. Tests do so on the mock runtime and
/// bring their own engine.
pub fn furnish<R: Runtime>(builder: Builder<R>) -> Builder<R> {
    builder
        .manage(Windows::default())
        .manage(Asking::default())
        .manage(Tray::<R>::default())
        .manage(Camera::default())
        .manage(Leaving::default())
        .manage(Shortcuts::default())
        .plugin(dialogs::plugin())
        .register_asynchronous_uri_scheme_protocol(picture::SCHEME, |context, request, responder| {
            picture::answer(context.app_handle(), &request, responder);
        })
        .on_window_event(windows::on_event)
        .invoke_handler(commands::all())
}

/// Configuration, pages and permissions, as they were when the app was built.
pub fn context<R: Runtime>() -> Context<R> {
    tauri::generate_context!()
}

fn refuse(app: &AppHandle, problem: &Problem) {
    tracing::error!(problem = problem.chain(), "the store cannot be opened");
    dialogs::refuse_to_start(app, problem);
}

/// An outbox that came from another computer may still be at work there: only the person knows.
fn ask_whose_it_is(app: &AppHandle, problem: &Problem, options: Options, luggage: Luggage) {
    let app = app.clone();
    let words = dialogs::words(problem);
    tauri::async_runtime::spawn(async move {
        let question =
            Question { title: "Use this outbox here?", words: &words, yes: "Use it here", no: "Quit" };
        if !dialogs::ask(&app, question).await {
            return app.exit(0);
        }
        match Engine::open(Options { adoption: Adoption::Yes, ..options }) {
            Ok(engine) => {
                let there = app.clone();
                let moved = app.run_on_main_thread(move || move_in(&there, engine, luggage));
                if let Err(error) = moved {
                    tracing::error!(%error, "the event loop is gone");
                }
            }
            Err(problem) => refuse(&app, &problem),
        }
    });
}

/// Sets the app to work on an open store.
fn move_in(app: &AppHandle, engine: Engine, luggage: Luggage) {
    let Luggage { bus, verb, keyring, webview } = luggage;
    windows::keep_data_in(app, webview);
    app.manage(keyring);
    app.manage(engine.clone());
    quit::on_signals(app);
    tray::listen(app);
    news::start(app, &engine);
    tauri::async_runtime::spawn(async move { engine.start() });
    shortcuts::bind(app);
    watch_panel(app, &bus);
    if let Some(ask) = Ask::of(verb) {
        act(app, ask);
    }
    hear_others(app, bus);
}

/// Puts the icon into the tray when there is one, and keeps a window within reach while there is none.
fn watch_panel(app: &AppHandle, bus: &Bus) {
    let there = app.clone();
    let panel = bus.panel();
    tauri::async_runtime::spawn(async move {
        let take_note = |is_there| {
            tray::panel(&there, is_there);
            if !is_there {
                windows::stay_reachable(&there, windows::FOR_A_PANEL);
            }
        };
        panel.watch(take_note).await;
    });
}

/// Does what other instances hand over.
fn hear_others(app: &AppHandle, mut bus: Bus) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        while let Some(verb) = bus.verbs.recv().await {
            if let Some(ask) = Ask::of(verb) {
                act(&app, ask);
            }
        }
    });
}

/// Logs to stderr; `OUTTRAY_LOG` says how much (`debug`, `outtray=trace`).
fn log() {
    let filter = EnvFilter::try_from_env("OUTTRAY_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,outtray=info,outtray_core=info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
