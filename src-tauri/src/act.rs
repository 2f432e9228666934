//! What tray, keys, notifications and other instances ask for. Each ask returns at once; what takes time is done
//! elsewhere, and what goes wrong is said in a dialog, for there may be no window to say it in.

use outtray_core::Engine;
use outtray_core::problem::Result;
use tauri::{AppHandle, Manager as _, Runtime};

use crate::commands::off_main;
use crate::verb::Verb;
use crate::windows::{self, Page};
use crate::{capture, dialogs, quit};

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    /// Show what is most useful: what is open already, the outbox, or a blank issue when there is nothing in it.
    Show,
    /// Write an issue.
    New,
    /// Capture the screen into a new issue.
    Capture,
    /// Show the outbox.
    Outbox,
    /// Show what needs the person.
    NeedsYou,
    /// Try one entry now, or look for it.
    Retry(i64),
    /// Try everything now.
    RetryAll,
    /// Pause all work until resumed.
    Pause,
    /// Resume all work.
    Resume,
    /// Show settings.
    Settings,
    /// Show where the token of this destination is taken.
    SignIn(String),
    /// Leave.
    Quit,
}

impl Ask {
    /// What a verb asks for; nothing for the one that asks to stay hidden.
    pub(crate) fn of(verb: Verb) -> Option<Self> {
        match verb {
            Verb::Show => Some(Self::Show),
            Verb::New => Some(Self::New),
            Verb::Capture => Some(Self::Capture),
            Verb::Outbox => Some(Self::Outbox),
            Verb::Hidden => None,
        }
    }
}

/// Does it.
pub(crate) fn act<R: Runtime>(app: &AppHandle<R>, ask: Ask) {
    if quit::is_leaving(app) {
        return;
    }
    tracing::debug!(?ask, "asked");
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Err(problem) = perform(&app, ask.clone()).await {
            tracing::warn!(?ask, problem = problem.chain(), "it did not work");
            dialogs::say(&app, &problem);
        }
    });
}

async fn perform<R: Runtime>(app: &AppHandle<R>, ask: Ask) -> Result<()> {
    // Managed before anybody can ask.
    let engine = app.state::<Engine>();
    match ask {
        Ask::Show => show(app).await,
        Ask::New => windows::open(app, &Page::Compose(None)),
        Ask::Capture => {
            let draft = capture::into_new_draft(app).await?;
            windows::open(app, &Page::Compose(Some(draft.id)))
        }
        Ask::Outbox => windows::open(app, &Page::Outbox),
        Ask::NeedsYou => windows::open(app, &Page::NeedsYou),
        Ask::Retry(entry) => off_main(&engine, move |engine| engine.retry(entry).map(drop)).await,
        Ask::RetryAll => off_main(&engine, |engine| engine.retry_all().map(drop)).await,
        Ask::Pause => off_main(&engine, |engine| engine.pause(None, None)).await,
        Ask::Resume => off_main(&engine, |engine| engine.resume(None)).await,
        Ask::Settings => windows::open(app, &Page::Settings),
        Ask::SignIn(destination) => windows::open(app, &Page::SignIn(destination)),
        Ask::Quit => {
            quit::ask(app);
            Ok(())
        }
    }
}

async fn show<R: Runtime>(app: &AppHandle<R>) -> Result<()> {
    if windows::front_any(app) {
        return Ok(());
    }
    let is_empty = off_main(&app.state::<Engine>(), |engine| Ok(engine.entries(None)?.is_empty())).await?;
    windows::open(app, &if is_empty { Page::Compose(None) } else { Page::Outbox })
}
