//! Starting, from the top: log and file rights, the verb, the session bus, the display, the store, the windows, the tray.

use std::process::ExitCode;
use std::sync::Arc;

use outtray_core::Engine;
use outtray_core::engine::Options;
use outtray_secrets::Keyring;
use tauri::{App, AppHandle, Builder, Context, Manager as _, RunEvent, Runtime, Wry};
use tracing_subscriber::EnvFilter;

use crate::act::{Ask, act};
use crate::bus::Bus;
use crate::capture::Camera;
use crate::quit::Leaving;
use crate::tray::Tray;
use crate::verb::Verb;
use crate::windows::Windows;
use crate::{commands, desktop, dialogs, news, picture, quit, shortcuts, tray, windows};

/// Runs the app until it is left.
pub fn run() -> ExitCode {
    log();
    // Whatever is written from here on is for this person's eyes only.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let verb = Verb::of(std::env::args_os().skip(1));
    let options = Options { secrets: Arc::new(Keyring::for_a_session()), ..Options::from_environment() };
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
    let webview = options.home.join("webview");
    let engine = tauri::async_runtime::block_on(async { Engine::open(options) });
    let mut context = context();
    // The toolkit, too, lets only one process have the app's id, and a second one would wait for ever in front of it.
    context.config_mut().app.enable_gtk_app_id = bus.is_first && std::env::var_os("OUTTRAY_HOME").is_none();
    let app = furnish(Builder::<Wry>::new()).setup(move |app| {
        match engine {
            Ok(engine) => {
                windows::keep_data_in(app.handle(), webview);
                move_in(app, engine, bus, verb);
            }
            Err(problem) => {
                tracing::error!(problem = problem.chain(), "the store cannot be opened");
                dialogs::refuse_to_start(app.handle(), &problem);
            }
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
        .manage(Tray::<R>::default())
        .manage(Camera::default())
        .manage(Leaving::default())
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

/// Sets the app to work on an open store.
fn move_in(app: &App, engine: Engine, bus: Bus, verb: Verb) {
    let app = app.handle();
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
