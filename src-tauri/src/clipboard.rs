//! Files that were copied in a file manager. Their paths go from the clipboard to the engine, and through no page.

use std::path::PathBuf;
use std::time::Duration;

use tauri::{AppHandle, Runtime, Url};
use tokio::sync::oneshot;

use crate::desktop;

/// How long whoever holds the clipboard may take to say what is on it.
const TO_ANSWER: Duration = Duration::from_secs(2);
/// A person copies a handful of files, not thousands.
const MOST_FILES: usize = 100;

/// Returns the files on the clipboard; none when something else is there, or nothing.
pub(crate) async fn files<R: Runtime>(app: &AppHandle<R>) -> Vec<PathBuf> {
    let (tell, told) = oneshot::channel();
    let asked = app.run_on_main_thread(move || {
        // Whoever asked may have stopped waiting.
        desktop::copied(|addresses| drop(tell.send(addresses)));
    });
    if let Err(error) = asked {
        tracing::debug!(%error, "the event loop is gone");
    }
    let addresses = tokio::time::timeout(TO_ANSWER, told).await;
    paths(&addresses.ok().and_then(Result::ok).unwrap_or_default())
}

fn paths(addresses: &[String]) -> Vec<PathBuf> {
    let file = |address: &String| {
        let address = Url::parse(address).ok().filter(|address| address.scheme() == "file")?;
        address.to_file_path().ok()
    };
    addresses.iter().filter_map(file).take(MOST_FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_computer_are_taken() {
        let copied = [
            "file:///home/ada/a%20b.png",
            "https://evil.example/x",
            "smb://server/share/c.png",
            "file://elsewhere/d.png",
            "/home/ada/e.png",
            "file:///home/ada/%C3%BC.log",
        ];
        let found = paths(&copied.map(str::to_owned));
        assert_eq!(found, [PathBuf::from("/home/ada/a b.png"), PathBuf::from("/home/ada/ü.log")]);
        assert_eq!(paths(&vec!["file:///a".to_owned(); 5000]).len(), MOST_FILES);
    }
}
