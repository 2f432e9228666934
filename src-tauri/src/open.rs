//! Opens a filed issue for the person: a page in their browser, or the folder it was filed into. Nothing else.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use outtray_core::problem::{Code, Problem, Result};
use url::Url;

/// Opens what `address` names.
///
/// # Errors
/// `Refused` when it is neither a page nor a folder, `Internal` when the desktop has no way to open it.
pub(crate) fn open(address: &str) -> Result<()> {
    let target = target(address).ok_or_else(|| {
        Problem::new(Code::Refused, "This link cannot be opened from here.").hint("Copy it instead.")
    })?;
    let no_way = |error: std::io::Error| {
        Problem::new(Code::Internal, "The desktop does not know how to open this.")
            .hint("Copy the link instead.")
            .because(error)
    };
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut child = Command::new(opener)
        .arg(target)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(no_way)?;
    // Some desktops' openers live as long as the browser does; somebody has to be there when they end.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// What the desktop's opener may be handed. It would run a `.desktop` file or a script, so of files only folders pass.
fn target(address: &str) -> Option<PathBuf> {
    let url = Url::parse(address).ok()?;
    match url.scheme() {
        "http" | "https" if url.host().is_some() => Some(PathBuf::from(url.as_str())),
        "file" => url.to_file_path().ok().and_then(|path| folder(&path)),
        _ => None,
    }
}

/// The folder at `path`, or the one that holds it.
fn folder(path: &Path) -> Option<PathBuf> {
    let dir = if path.is_dir() { path } else { path.parent()? };
    (path.exists() && dir.is_dir()).then(|| dir.to_owned())
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_and_folders_are_opened() {
        let page = "https://git.example/ada/demo/issues/3";
        assert_eq!(target(page), Some(page.into()));
        for address in [
            "javascript:alert(1)",
            "data:text/html,x",
            "ssh://git.example",
            "--help",
            "file:///no/such/place",
            "https://",
            "",
            "mailto:ada@example.org",
        ] {
            assert_eq!(target(address), None, "{address}");
        }
    }

    #[test]
    fn of_a_file_its_folder_is_opened() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("run.desktop");
        std::fs::write(&file, "[Desktop Entry]").expect("a file");
        let address = Url::from_file_path(&file).expect("an address");
        assert_eq!(target(address.as_str()), Some(dir.path().to_owned()));
        let address = Url::from_directory_path(dir.path()).expect("an address");
        assert_eq!(target(address.as_str()), Some(dir.path().to_owned()));
    }
}
