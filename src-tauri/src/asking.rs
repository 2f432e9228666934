//! Asking windows whether they may go: no word that somebody typed goes with them.
//!
//! The page of a compose window is asked by an event, saves what is typed, and answers by a command: saved, so the window
//! may go; or it stays, because its words are not safe, and then it stands in front and says why. A window that is closed
//! is asked alone. When the person quits, all are asked, and none goes before all may: those that have saved are hidden,
//! so that nobody types into them, and come back when one stays.
//!
//! A page that loads hears nothing yet, so it is asked again and again. One that hangs never answers: closed by hand it
//! goes after a while all the same, and a quit is put to the person.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tauri::{AppHandle, Emitter as _, Manager as _, Runtime, WebviewWindow};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::windows::{self, Hidden};

/// What is being asked.
#[derive(Default)]
pub(crate) struct Asking {
    /// Windows that were asked to save and go, until they have gone or stay.
    asked: Mutex<HashMap<String, Asked>>,
    /// Rings when one has answered, or is gone.
    answered: Notify,
}

/// Why a window is asked to go, as its page hears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Why {
    /// The person closes it.
    Close,
    /// The person quits, or the session ends.
    Quit,
}

/// A window that was asked to go.
struct Asked {
    why: Why,
    answer: Option<Answer>,
    /// It was hidden when it answered, so that nobody types into what has been saved.
    hidden: Option<Hidden>,
}

/// What a page answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// All that is typed is saved: its window may go.
    Saved,
    /// Words are not safe: its window stays, and says why.
    Stays,
}

/// What the windows said, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Whatever was typed is saved.
    Safe,
    /// One holds words that cannot be saved, and says so.
    Stays,
    /// One did not answer in time.
    Silent,
}

/// The event that asks a page to save and say whether its window may go.
const ASK: &str = "asked-to-go";

/// A window that was asked to close and has not answered by then is gone all the same: nothing may hold it for good. The
/// store itself may take a while to answer.
const TO_ANSWER: Duration = Duration::from_secs(8);
/// A page that is loading hears nothing, so it is asked again.
const BETWEEN_ASKS: Duration = Duration::from_millis(400);

/// Takes an answer of a page; says whether it was to a quit. Otherwise the window goes or stays at once.
pub(crate) fn hears<R: Runtime>(window: &WebviewWindow<R>, answer: Answer) -> bool {
    let asking = window.state::<Asking>();
    let is_for_a_quit = lock(&asking).get(window.label()).is_some_and(|one| one.why == Why::Quit);
    if !is_for_a_quit {
        lock(&asking).remove(window.label());
        return false;
    }
    // The main thread hides it, and may be about to take the lock itself.
    let hidden = if answer == Answer::Saved { windows::hide(window) } else { None };
    if let Some(one) = lock(&asking).get_mut(window.label()) {
        one.answer = Some(answer);
        one.hidden = one.hidden.take().or(hidden);
    }
    asking.answered.notify_one();
    true
}

/// Asks a window that is closed by hand, until it goes or stays; the person sees it go at once.
pub(crate) fn ask_to_close<R: Runtime>(window: &WebviewWindow<R>) {
    if lock(&window.state::<Asking>()).contains_key(window.label()) {
        return;
    }
    let _ = window.hide();
    let window = window.clone();
    tauri::async_runtime::spawn(async move {
        let mut late = pin!(sleep(TO_ANSWER));
        ask(&window, Why::Close);
        loop {
            let is_late = tokio::select! {
                () = &mut late => true,
                () = sleep(BETWEEN_ASKS) => false,
            };
            let is_open =
                lock(&window.state::<Asking>()).get(window.label()).is_some_and(|one| one.why == Why::Close);
            if !is_open {
                return;
            }
            if is_late {
                tracing::warn!(window = window.label(), "closed before it said that it saved");
                return windows::close(&window);
            }
            ask(&window, Why::Close);
        }
    });
}

/// Asks every window that is written in, and waits until all have answered or `limit` is over. None is closed by it.
pub(crate) async fn ask_all<R: Runtime>(app: &AppHandle<R>, limit: Duration) -> Verdict {
    let asking = app.state::<Asking>();
    let mut late = pin!(sleep(limit));
    let mut is_late = false;
    loop {
        let answers: Vec<_> = windows::written_in(app).map(|window| ask(&window, Why::Quit)).collect();
        if let Some(verdict) = verdict(&answers, is_late) {
            return verdict;
        }
        tokio::select! {
            () = asking.answered.notified() => {}
            () = sleep(BETWEEN_ASKS) => {}
            () = &mut late => is_late = true,
        }
    }
}

/// Leaves everything as it was before [`ask_all`]; a window whose words are not safe stands in front.
pub(crate) fn call_off<R: Runtime>(app: &AppHandle<R>) {
    let asked = std::mem::take(&mut *lock(&app.state::<Asking>()));
    let (saved, others): (Vec<_>, Vec<_>) =
        asked.into_iter().partition(|(_, one)| one.answer == Some(Answer::Saved));
    let hidden: Vec<_> = saved.into_iter().filter_map(|(_, one)| one.hidden).collect();
    windows::show_again(app, &hidden);
    for (label, _) in others {
        if let Some(Err(error)) = app.get_webview_window(&label).map(|window| windows::front(&window)) {
            tracing::warn!(%error, window = label, "a window does not come to the front");
        }
    }
}

/// Nobody waits for the answer of this window any more.
pub(crate) fn forget<R: Runtime>(app: &AppHandle<R>, label: &str) {
    let asking = app.state::<Asking>();
    lock(&asking).remove(label);
    asking.answered.notify_one();
}

/// What the answers say together; nothing while some may still come. A window that stays outweighs a silent one: it can
/// say why.
fn verdict(answers: &[Option<Answer>], is_late: bool) -> Option<Verdict> {
    let is_whole = !answers.contains(&None);
    if !is_whole && !is_late {
        return None;
    }
    Some(match (answers.contains(&Some(Answer::Stays)), is_whole) {
        (true, _) => Verdict::Stays,
        (false, true) => Verdict::Safe,
        (false, false) => Verdict::Silent,
    })
}

/// Asks one page, unless it has answered; returns what it has answered.
fn ask<R: Runtime>(window: &WebviewWindow<R>, why: Why) -> Option<Answer> {
    let answer = {
        let asking = window.state::<Asking>();
        let mut asked = lock(&asking);
        let one = asked.entry(window.label().to_owned()).or_insert(Asked { why, answer: None, hidden: None });
        one.why = why;
        one.answer
    };
    if answer.is_none()
        && let Err(error) = window.emit_to(window.label(), ASK, why)
    {
        tracing::warn!(%error, window = window.label(), "a window cannot be asked");
    }
    answer
}

fn lock(asking: &Asking) -> MutexGuard<'_, HashMap<String, Asked>> {
    asking.asked.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_window_that_stays_keeps_all_the_others() {
        let (saved, stays) = (Some(Answer::Saved), Some(Answer::Stays));
        assert_eq!(verdict(&[], false), Some(Verdict::Safe), "there is no window to ask");
        assert_eq!(verdict(&[saved, saved], false), Some(Verdict::Safe));
        assert_eq!(verdict(&[saved, stays], false), Some(Verdict::Stays));
        assert_eq!(verdict(&[saved, None], false), None, "it may still answer");
        assert_eq!(
            verdict(&[stays, None], false),
            None,
            "the other's answer is not taken for a wish of its own"
        );
        assert_eq!(verdict(&[saved, None], true), Some(Verdict::Silent));
        assert_eq!(verdict(&[stays, None], true), Some(Verdict::Stays));
    }
}
