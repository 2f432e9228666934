//! Reading where a destination lies, tracker by tracker: which address, and which project there.

use url::Url;

use super::address::{invalid, is_name, parse, set_path, tidy, tidy_with_project};
use crate::issue::TrackerKind;
use crate::problem::Result;

/// Returns base address and project as they are kept. The project may also be in the address, as it is when a person
/// pastes the address of a page. Where most people mean one service, no address means that one.
///
/// # Errors
/// `Code::Invalid`, with words that say what to type instead.
pub fn read(tracker: TrackerKind, typed: &str, project: &str) -> Result<(Url, Option<String>)> {
    let (url, project) = match tracker {
        TrackerKind::Webhook => return Ok((webhook(typed)?, None)),
        TrackerKind::GitHub => github(typed, project)?,
        TrackerKind::GitLab => gitlab(typed, project)?,
        TrackerKind::Redmine => redmine(typed, project)?,
        TrackerKind::Gitea | TrackerKind::Forgejo | TrackerKind::Folder => tidy_with_project(typed, project)?,
    };
    Ok((url, Some(project)))
}

fn or<'a>(typed: &'a str, usual: &'a str) -> &'a str {
    if typed.trim().is_empty() { usual } else { typed }
}

fn github(typed: &str, project: &str) -> Result<(Url, String)> {
    let (mut url, project) = tidy_with_project(or(typed, "https://github.com"), project)?;
    // The API and the pages of github.com are two hosts; the pages' is the one that people know.
    if matches!(url.host_str(), Some("api.github.com" | "www.github.com"))
        && url.set_host(Some("github.com")).is_err()
    {
        return Err(invalid("That is not an address."));
    }
    Ok((url, project))
}

fn gitlab(typed: &str, project: &str) -> Result<(Url, String)> {
    let mut url = tidy(or(typed, "https://gitlab.com"))?;
    let project = project.trim().trim_matches('/');
    if !project.is_empty() {
        return Ok((url, gitlab_project(project)?));
    }
    // A pasted page: what lies below the project comes after a dash.
    let mut path = url.path().trim_matches('/').split("/-/").next().unwrap_or_default().to_owned();
    if let Some(above) = path.strip_suffix("/-") {
        path = above.to_owned();
    }
    set_path(&mut url, &[]);
    Ok((url, gitlab_project(&path)?))
}

fn gitlab_project(typed: &str) -> Result<String> {
    const EXAMPLE: &str = "It looks like group/demo, or group/part/demo.";
    let project = typed.strip_suffix(".git").unwrap_or(typed);
    if project.is_empty() {
        return Err(invalid("The project is missing.").hint(EXAMPLE));
    }
    let parts: Vec<&str> = project.split('/').collect();
    let is_id = parts.len() == 1 && project.bytes().all(|byte| byte.is_ascii_digit());
    if !is_id && (parts.len() < 2 || !parts.iter().all(|part| is_name(part))) {
        return Err(invalid("The project needs its whole path, groups included.").hint(EXAMPLE));
    }
    Ok(project.to_owned())
}

fn redmine(typed: &str, project: &str) -> Result<(Url, String)> {
    const EXAMPLE: &str = "It is the last part of the project’s address, such as demo.";
    let mut url = tidy(typed)?;
    let segments: Vec<String> = url.path_segments().into_iter().flatten().map(str::to_owned).collect();
    let mut project = project.trim().trim_matches('/').to_owned();
    if let Some(at) = segments.iter().position(|part| part == "projects") {
        set_path(&mut url, &segments[..at]);
        if let Some(pasted) = segments.get(at + 1).filter(|_| project.is_empty()) {
            project.clone_from(pasted);
        }
    }
    if project.is_empty() {
        return Err(invalid("The project is missing.").hint(EXAMPLE));
    }
    let is_identifier = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !project.chars().all(is_identifier) {
        return Err(invalid("That is not how Redmine writes a project in an address.").hint(EXAMPLE));
    }
    Ok((url, project))
}

/// A receiver's address is taken as it is: its path is nobody's to tidy.
fn webhook(typed: &str) -> Result<Url> {
    let mut url = tidy(typed)?;
    let whole = parse(typed.trim())?;
    if whole.query().is_some() {
        return Err(invalid("The address has a “?” part, which is where secrets are.")
            .hint("Leave it out and give the secret as the token: it is sent as Authorization: Bearer."));
    }
    url.set_path(whole.path());
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(tracker: TrackerKind, typed: &str, project: &str) -> (String, Option<String>) {
        let (url, project) =
            read(tracker, typed, project).unwrap_or_else(|why| unreachable!("{typed}: {why}"));
        (url.to_string(), project)
    }

    #[test]
    fn pasted_pages_give_address_and_project() {
        use TrackerKind::{GitHub, GitLab, Redmine};
        for (tracker, typed, project, url, expected) in [
            (GitHub, "", "ada/demo", "https://github.com/", "ada/demo"),
            (GitHub, "https://github.com/ada/demo/issues/3", "", "https://github.com/", "ada/demo"),
            (GitHub, "https://api.github.com", "ada/demo", "https://github.com/", "ada/demo"),
            (GitHub, "https://git.example.org/api/v3", "ada/demo", "https://git.example.org/", "ada/demo"),
            (GitLab, "", "group/demo", "https://gitlab.com/", "group/demo"),
            (GitLab, "https://gitlab.com/a/b/c/-/issues/3", "", "https://gitlab.com/", "a/b/c"),
            (GitLab, "https://gitlab.com/a/b/-/", "", "https://gitlab.com/", "a/b"),
            (GitLab, "https://git.example.org/lab", "a/b.git", "https://git.example.org/lab", "a/b"),
            (GitLab, "https://gitlab.com", "278964", "https://gitlab.com/", "278964"),
            (Redmine, "https://r.example.org/redmine", "demo", "https://r.example.org/redmine", "demo"),
            (
                Redmine,
                "https://r.example.org/redmine/projects/demo/issues",
                "",
                "https://r.example.org/redmine",
                "demo",
            ),
        ] {
            let expected = (url.to_owned(), Some(expected.to_owned()));
            assert_eq!(said(tracker, typed, project), expected, "{typed} {project}");
        }
        assert_eq!(
            said(TrackerKind::Webhook, "https://h.example.org/a//b/", "").0,
            "https://h.example.org/a//b/"
        );
    }

    #[test]
    fn what_names_no_project_says_what_one_looks_like() {
        use TrackerKind::{GitHub, GitLab, Redmine, Webhook};
        for (tracker, typed, project) in [
            (GitHub, "", "demo"),
            (GitLab, "", "demo"),
            (GitLab, "https://gitlab.com", ""),
            (GitLab, "", "a/../b"),
            (Redmine, "https://r.example.org", ""),
            (Redmine, "https://r.example.org", "Demo Project"),
            (Webhook, "https://h.example.org/in?token=secret", ""),
            (Webhook, "http://h.example.org/in", ""),
        ] {
            let problem = read(tracker, typed, project).err();
            assert!(problem.is_some_and(|problem| problem.hint.is_some()), "{typed} {project}");
        }
    }
}
