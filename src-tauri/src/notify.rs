//! Shows the one notification that `notice.rs` decides on. The only file that knows notifications.
//!
//! A server may be missing, slow, or without buttons, and a person may never click: nothing waits for any of them but
//! a task of its own.

use std::sync::Arc;
use std::time::Duration;

use notify_rust::{Hint, Notification, NotificationHandle, NotificationResponse, Timeout, Urgency};
use tauri::{AppHandle, Runtime};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::act::{Ask, act};
use crate::notice::{Notice, Step};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long "settled" is shown.
const A_MOMENT: Duration = Duration::from_secs(6);
/// Longer reasons are cut; the window has them whole.
const MOST_CHARACTERS: usize = 240;

/// Starts showing notices; returns where to send them.
pub(crate) fn start<R: Runtime>(app: &AppHandle<R>) -> mpsc::Sender<Step> {
    let (steps, mut waiting) = mpsc::channel(4);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut shown = Shown::default();
        while let Some(step) = waiting.recv().await {
            shown.show(&app, step).await;
        }
    });
    steps
}

/// What stands on the screen.
#[derive(Default)]
struct Shown {
    notification: Option<Arc<NotificationHandle>>,
    /// Waits for a click on it.
    clicks: Option<JoinHandle<()>>,
    server: Option<Server>,
}

/// What the server can do.
#[derive(Clone, Copy)]
struct Server {
    /// It reads `&amp;` as `&`.
    markup: bool,
    actions: bool,
}

impl Shown {
    async fn show<R: Runtime>(&mut self, app: &AppHandle<R>, step: Step) {
        if let Some(clicks) = self.clicks.take() {
            clicks.abort();
        }
        let (notice, lasting) = match step {
            Step::Needs(notice) => (notice, true),
            Step::Settled(notice) => (notice, false),
            Step::Withdraw => return self.withdraw().await,
        };
        let server = self.server().await;
        let mut notification = Notification::new();
        notification
            .appname("Outtray")
            .icon("outtray")
            .summary(&notice.title)
            .body(&body(&notice, server.markup))
            .hint(Hint::DesktopEntry("Outtray".to_owned()))
            .urgency(if lasting { Urgency::Normal } else { Urgency::Low })
            .timeout(if lasting { Timeout::Default } else { Timeout::from(A_MOMENT) });
        if server.actions {
            notification.action("default", "Open outbox");
        }
        if !lasting {
            notification.hint(Hint::Transient(true));
        }
        if let Some(standing) = &self.notification {
            notification.id(standing.id());
        }
        match timeout(PATIENCE, notification.show_async()).await {
            Ok(Ok(handle)) => {
                let handle = Arc::new(handle);
                self.notification = Some(Arc::clone(&handle));
                let app = app.clone();
                let page = if lasting { Ask::NeedsYou } else { Ask::Outbox };
                self.clicks = Some(tokio::spawn(async move {
                    let heard = |response: &NotificationResponse| {
                        if matches!(response, NotificationResponse::Default | NotificationResponse::Action(_))
                        {
                            act(&app, page);
                        }
                    };
                    handle.wait_for_action_async(heard).await;
                }));
            }
            Ok(Err(error)) => tracing::info!(%error, "nobody shows notifications here"),
            Err(_) => tracing::info!("the notification server does not answer"),
        }
    }

    async fn withdraw(&mut self) {
        if let Some(standing) = self.notification.take()
            && timeout(PATIENCE, standing.close_async()).await.is_err()
        {
            tracing::info!("the notification server does not answer");
        }
    }

    /// Asks once what the server can do; one that does not answer can do nothing.
    async fn server(&mut self) -> Server {
        if let Some(server) = self.server {
            return server;
        }
        let asked = tokio::task::spawn_blocking(notify_rust::get_capabilities);
        let Ok(Ok(Ok(can))) = timeout(PATIENCE, asked).await else {
            return Server { markup: false, actions: false };
        };
        let has = |name: &str| can.iter().any(|known| known == name);
        *self.server.insert(Server { markup: has("body-markup"), actions: has("actions") })
    }
}

/// One line of plain text, as the server reads it.
fn body(notice: &Notice, markup: bool) -> String {
    let mut line: String =
        notice.body.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_CHARACTERS).collect();
    if notice.body.chars().count() > MOST_CHARACTERS {
        line.push('…');
    }
    if markup { line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_text_whatever_it_holds() {
        let notice = Notice { title: String::new(), body: "<b>422</b> &\n\"x\"".to_owned() };
        assert_eq!(body(&notice, true), "&lt;b&gt;422&lt;/b&gt; &amp; \"x\"");
        assert_eq!(body(&notice, false), "<b>422</b> & \"x\"");
        let long = Notice { title: String::new(), body: "é".repeat(1000) };
        assert_eq!(body(&long, true).chars().count(), MOST_CHARACTERS + 1);
    }
}
