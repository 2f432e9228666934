//! Reading a destination's address and project as people type them.

use url::{Host, Url};

use crate::problem::{Code, Problem, Result};

/// Returns the base address that was meant: scheme filled in, no spaces, no query, one way to write the end.
///
/// `https` is assumed, and `http` for this computer itself; plain `http` to anywhere else is refused, because a
/// token would travel in the open.
///
/// # Errors
/// `Code::Invalid`, with words that say what to type instead.
pub fn tidy(typed: &str) -> Result<Url> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(invalid("The address is empty.").hint(EXAMPLE));
    }
    if typed.starts_with('/') && !typed.starts_with("//") {
        return Err(invalid("That is a path on this computer, not a tracker's address.").hint(EXAMPLE));
    }
    let mut url = parse(typed)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("The address holds a user name or a password.")
            .hint("Leave them out of the address and enter a token instead."));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(invalid("The address names no host.").hint(EXAMPLE));
    }
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(invalid(
            "Outtray sends nothing over plain http, because everyone between could read the token.",
        )
        .hint("Use the https address."));
    }
    url.set_query(None);
    url.set_fragment(None);
    let segments: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    // The address of an API is pasted, too.
    let is_api = |end: &[String]| matches!(end, [api, version] if api == "api" && matches!(&**version, "v1" | "v3" | "v4"));
    let kept = match segments.split_last_chunk::<2>() {
        Some((kept, end)) if is_api(end) => kept,
        _ => &segments,
    };
    set_path(&mut url, kept);
    Ok(url)
}

/// Returns base address and project (`owner/name`), where the project may also be at the end of the address, as it is
/// when a person pastes the address of a repository's page.
///
/// # Errors
/// `Code::Invalid`, with words that say what to type instead.
pub fn tidy_with_project(typed: &str, project: &str) -> Result<(Url, String)> {
    let mut url = tidy(typed)?;
    if !project.trim().is_empty() {
        return Ok((url, tidy_project(project)?));
    }
    let mut segments: Vec<String> = url.path_segments().into_iter().flatten().map(str::to_owned).collect();
    // A pasted page may lie inside the repository.
    if let Some(at) = segments.iter().position(|part| part == "issues").filter(|at| *at >= 2) {
        segments.truncate(at);
    }
    if segments.len() < 2 {
        return Err(invalid("The project is missing.").hint(PROJECT_EXAMPLE));
    }
    let owner_and_name = segments.split_off(segments.len() - 2).join("/");
    set_path(&mut url, &segments);
    Ok((url, tidy_project(&owner_and_name)?))
}

/// Returns the project as Gitea and GitHub write it, `owner/name`.
///
/// # Errors
/// `Code::Invalid`, with words that say what to type instead.
pub fn tidy_project(typed: &str) -> Result<String> {
    let project = typed.trim().trim_matches('/');
    let project = project.strip_suffix(".git").unwrap_or(project);
    if project.is_empty() {
        return Err(invalid("The project is missing.").hint(PROJECT_EXAMPLE));
    }
    let parts: Vec<&str> = project.split('/').map(str::trim).collect();
    let [owner, name] = parts.as_slice() else {
        return Err(
            invalid("The project needs an owner and a name with one slash between.").hint(PROJECT_EXAMPLE)
        );
    };
    if !is_name(owner) || !is_name(name) {
        return Err(invalid(
            "Owners and names of projects have letters, digits, dots, dashes and underscores only.",
        )
        .hint(PROJECT_EXAMPLE));
    }
    Ok(format!("{owner}/{name}"))
}

/// What trackers let a name in a path be made of.
pub(super) fn is_name(part: &str) -> bool {
    !part.is_empty()
        && part != "."
        && part != ".."
        && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Whether the address is this computer itself.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

/// Whether a link lies on the origin of `base`, and names nobody.
pub(super) fn is_on(link: &str, base: &Url) -> bool {
    Url::parse(link).is_ok_and(|url| {
        url.origin() == base.origin() && url.username().is_empty() && url.password().is_none()
    })
}

/// Returns `base` with `segments` added to its path, each percent-encoded.
pub(super) fn join(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// Host, and port where it is not the usual one: how sentences name a tracker.
pub(super) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Scheme, host and path only: fit for a sentence and for the log.
pub(super) fn bare(url: &Url) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    // Neither can fail where there is a host; where there is none, there is nobody to name.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.as_str().trim_end_matches('/').to_owned()
}

const EXAMPLE: &str = "It looks like https://git.example.org.";
const PROJECT_EXAMPLE: &str = "It looks like ada/demo.";

pub(super) fn invalid(message: &str) -> Problem {
    Problem::new(Code::Invalid, message)
}

pub(super) fn parse(typed: &str) -> Result<Url> {
    let lower = typed.to_ascii_lowercase();
    let unreadable = |error: url::ParseError| invalid("That is not an address.").hint(EXAMPLE).because(error);
    if lower.starts_with("http:") || lower.starts_with("https:") {
        return Url::parse(typed).map_err(unreadable);
    }
    if let Some((scheme, _)) = typed.split_once("://") {
        return Err(invalid(&format!("Outtray cannot speak {scheme}:// to a tracker."))
            .hint("Use the https address."));
    }
    // Without a scheme, `localhost:3000` would be read as a scheme of its own.
    let url = Url::parse(&format!("https://{}", typed.trim_start_matches('/'))).map_err(unreadable)?;
    if is_loopback(&url) {
        return Url::parse(&format!("http://{}", typed.trim_start_matches('/'))).map_err(unreadable);
    }
    Ok(url)
}

pub(super) fn set_path(url: &mut Url, segments: &[String]) {
    // They are parts of a path already, percent-encoded as they should be.
    url.set_path(&segments.join("/"));
}
