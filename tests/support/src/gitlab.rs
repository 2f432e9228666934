//! What the practice tracker does as GitLab does it, refusals included.

use std::time::Duration;

use serde_json::{Value, json};

use crate::dialect::{Dialect, listed, paged, parts, root};
use crate::fault::Route;
use crate::github::label;
use crate::multipart;
use crate::state::{Issue, Project, State, Template, written};
use crate::wire::{Answer, Head};

/// The project's number.
const NUMBER: &str = "1234";

fn told(status: u16, message: &str) -> Answer {
    Dialect::GitLab.told(status, message)
}

fn place(project: &Project, head: &Head) -> Option<Vec<String>> {
    let parts = parts(project, head)?;
    let is_api = parts.len() > 2 && parts[0] == "api" && parts[1] == "v4";
    is_api.then(|| parts[2..].to_vec())
}

/// Which kind of request this is.
pub(crate) fn route(project: &Project, head: &Head) -> Route {
    let Some(parts) = place(project, head) else { return Route::Page };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match (head.method.as_str(), parts.as_slice()) {
        (_, ["user"]) => Route::User,
        (_, ["personal_access_tokens", ..]) => Route::Token,
        (_, ["projects", _]) => Route::Project,
        (_, ["projects", _, "labels"]) => Route::Labels,
        (_, ["projects", _, "milestones"]) => Route::Milestones,
        (_, ["projects", _, "users"]) => Route::Assignees,
        (_, ["projects", _, "templates", ..]) => Route::Templates,
        (_, ["projects"]) => Route::Projects,
        ("POST", ["projects", _, "issues"]) => Route::Create,
        (_, ["projects", _, "issues"]) => Route::List,
        ("PUT", ["projects", _, "issues", _]) => Route::Embed,
        (_, ["projects", _, "issues", _]) => Route::Read,
        (_, ["projects", _, "uploads"]) => Route::Upload,
        _ => Route::Page,
    }
}

/// Does what was asked; what is new shows in lists only after `lag`.
pub(crate) fn act(state: &mut State, head: &Head, body: &[u8], lag: Duration) -> Answer {
    let root = root(&state.project, head);
    let Some(parts) = place(&state.project, head) else {
        return Answer::html(404, "<html>Not found</html>");
    };
    if !Dialect::GitLab.is_signed_in(&state.project, head) {
        return told(401, "401 Unauthorized");
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["user"] => Answer::json(200, &json!({ "id": 1, "username": state.project.login })),
        ["personal_access_tokens", "self"] => {
            let scope = if state.project.may_push { "api" } else { "read_api" };
            Answer::json(200, &json!({ "id": 1, "scopes": [scope], "active": true }))
        }
        ["projects"] => paged(&state.project, head, vec![project(&state.project)]),
        ["projects", asked, below @ ..] => {
            if state.project.former.as_deref() == Some(*asked) {
                if head.method != "GET" {
                    return told(405, "Non GET methods are not allowed for moved projects");
                }
                let below: String = below.iter().map(|part| format!("/{part}")).collect();
                let own =
                    format!("http://{}{}", head.header("host").unwrap_or_default(), state.project.sub_path);
                return Answer::html(302, "")
                    .with("Location", format!("{own}/api/v4/projects/{NUMBER}{below}"));
            }
            let path = format!("{}/{}", state.project.owner, state.project.name);
            if *asked != path && *asked != NUMBER {
                return told(404, "404 Project Not Found");
            }
            in_project(state, head, below, body, &root, lag)
        }
        _ => Answer::json(404, &json!({ "error": "404 Not Found" })),
    }
}

fn in_project(
    state: &mut State,
    head: &Head,
    below: &[&str],
    body: &[u8],
    root: &str,
    lag: Duration,
) -> Answer {
    let (has_issues, is_archived) = (state.project.has_issues, state.project.is_archived);
    match (head.method.as_str(), below) {
        ("GET", []) => Answer::json(200, &project(&state.project)),
        ("GET", ["labels"]) => {
            let label = |(id, name): &(i64, String)| json!({ "id": id, "name": name, "color": "#d73a4a", "description": null });
            paged(&state.project, head, state.project.labels.iter().map(label).collect())
        }
        ("GET", ["milestones"]) => {
            let one = |(id, title): &(i64, String)| milestone(*id, title);
            paged(&state.project, head, state.project.milestones.iter().map(one).collect())
        }
        ("GET", ["users"]) => {
            let part = head.query("search").unwrap_or_default().to_lowercase();
            let is_in = |(_, login, name): &&(i64, String, String)| {
                login.to_lowercase().contains(&part) || name.to_lowercase().contains(&part)
            };
            paged(&state.project, head, state.project.people.iter().filter(is_in).map(user).collect())
        }
        ("GET", ["templates", "issues"]) => {
            let one = |one: &Template| json!({ "key": one.file.trim_end_matches(".md"), "name": one.file.trim_end_matches(".md") });
            paged(&state.project, head, markdown(&state.project).map(one).collect())
        }
        ("GET", ["templates", "issues", key]) => {
            let found = markdown(&state.project).find(|one| one.file.trim_end_matches(".md") == *key);
            found.map_or_else(
                || told(404, "404 Not found"),
                |one| Answer::json(200, &json!({ "name": key, "content": one.text })),
            )
        }
        ("POST", _) if is_archived || !has_issues => told(403, "403 Forbidden"),
        (_, ["issues", ..]) if !has_issues => told(403, "403 Forbidden"),
        ("POST", _) if !state.project.may_push => Answer::json(
            403,
            &json!({ "error": "insufficient_scope", "error_description": "The request requires higher privileges" }),
        ),
        ("POST", ["issues"]) => create(state, body, root, lag),
        ("GET", ["issues"]) => list(state, head, root),
        ("GET", ["issues", number]) => {
            let found = number.parse().ok().and_then(|number| state.issue(number));
            found.map_or_else(
                || told(404, "404 Not found"),
                |found| Answer::json(200, &issue(&state.project, found, root)),
            )
        }
        ("PUT", ["issues", number]) => {
            let asked: Value = serde_json::from_slice(body).unwrap_or_default();
            let edited =
                number.parse().ok().and_then(|number| state.edit(number, asked["description"].as_str()));
            edited.map_or_else(
                || told(404, "404 Not found"),
                |edited| Answer::json(200, &issue(&state.project, &edited, root)),
            )
        }
        ("POST", ["uploads"]) => upload(state, head, body),
        _ => Answer::json(404, &json!({ "error": "404 Not Found" })),
    }
}

fn create(state: &mut State, body: &[u8], root: &str, lag: Duration) -> Answer {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return Answer::json(400, &json!({ "error": "The body is not JSON" }));
    };
    let (title, text) = (
        asked["title"].as_str().unwrap_or_default().trim(),
        asked["description"].as_str().unwrap_or_default(),
    );
    let wrong = |field: &str, why: &str| Answer::json(400, &json!({ "message": { field: [why] } }));
    if title.is_empty() {
        return wrong("title", "can't be blank");
    }
    if title.chars().count() > 255 {
        return wrong("title", "is too long (maximum is 255 characters)");
    }
    if text.chars().count() > 1024 * 1024 {
        return wrong("description", "is too long (maximum is 1048576 characters)");
    }
    let names = asked["labels"].as_str().unwrap_or_default().split(',').filter(|name| !name.is_empty());
    let labels: Vec<i64> = names.map(|name| label(&mut state.project, name)).collect();
    // Lines that begin with a slash and a word are carried out, and are text no more.
    let (mut kept, mut is_closed) = (Vec::new(), false);
    for line in text.replace('\r', "").split('\n') {
        let word = line.strip_prefix('/').map(|rest| rest.split(' ').next().unwrap_or_default());
        match word {
            Some("close") => is_closed = true,
            Some("assign" | "label") => {}
            _ => kept.push(line.to_owned()),
        }
    }
    let text = if kept.len() == text.split('\n').count() { text.to_owned() } else { kept.join("\n") };
    let made = state.add_issue(title, &text, labels, lag);
    if let Some(made) = state.issue_mut(made.number) {
        made.is_closed = is_closed;
    }
    // What is not there is dropped in silence, and of several assignees all but the first, as the free edition does.
    let chosen = asked["milestone_id"].as_i64().filter(|id| state.project.milestone(*id).is_some());
    let known = |id: &i64| state.project.people.iter().any(|(known, _, _)| known == id);
    let people = asked["assignee_ids"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .filter(known)
        .take(1);
    let people = people.collect();
    let made = state.choose(made.number, chosen, people).unwrap_or(made);
    Answer::json(201, &issue(&state.project, &made, root))
}

fn milestone(id: i64, title: &str) -> Value {
    json!({ "id": id, "title": title, "state": "active" })
}

fn user((id, login, name): &(i64, String, String)) -> Value {
    json!({ "id": id, "username": login, "name": name, "state": "active" })
}

/// GitLab knows no forms.
fn markdown(project: &Project) -> impl Iterator<Item = &Template> {
    project.templates.iter().filter(|one| one.file.ends_with(".md"))
}

fn list(state: &State, head: &Head, root: &str) -> Answer {
    let time = |name: &str| head.query(name).and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let after = time("created_after").map(jiff::Timestamp::as_millisecond);
    let scope = head.query("scope").unwrap_or_else(|| "created_by_me".to_owned());
    let which = head.query("state").unwrap_or_else(|| "all".to_owned());
    let is_in = |issue: &Issue| {
        after.is_none_or(|after| issue.created_ms >= after)
            && (scope == "all" || issue.login == state.project.login)
            && (which == "all" || (which == "closed") == issue.is_closed)
    };
    let found = listed(state, is_in);
    let answer = paged(
        &state.project,
        head,
        found.into_iter().map(|found| issue(&state.project, found, root)).collect(),
    );
    // Also where there is one page.
    let has_link = answer.headers.iter().any(|(name, _)| *name == "Link");
    if has_link { answer } else { answer.with("Link", format!("<{}?page=1>; rel=\"first\"", head.path())) }
}

fn upload(state: &mut State, head: &Head, body: &[u8]) -> Answer {
    if head.header("content-length").is_none() {
        return told(411, "411 Length Required");
    }
    if body.len() > state.project.most_bytes {
        return Answer::html(413, "<html>413 Request Entity Too Large</html>");
    }
    let parts = multipart::parts(head.header("content-type").unwrap_or_default(), body).unwrap_or_default();
    let Some(part) = parts.into_iter().find(|part| part.name == "file") else {
        return Answer::json(400, &json!({ "error": "file is missing" }));
    };
    let name = part.file_name.unwrap_or_default();
    let secret = uuid::Uuid::new_v4().simple().to_string();
    let stored = state.store(&name, &part.bytes, |_| format!("/uploads/{secret}/{name}"));
    let markdown = format!("![{name}]({})", stored.reference);
    Answer::json(
        201,
        &json!({ "id": stored.id, "alt": name, "url": stored.reference, "markdown": markdown,
            "full_path": format!("/-/project/{NUMBER}{}", stored.reference) }),
    )
}

fn project(project: &Project) -> Value {
    json!({
        "id": 1234,
        "path_with_namespace": format!("{}/{}", project.owner, project.name),
        "archived": project.is_archived,
        "issues_enabled": project.has_issues,
        "issues_access_level": if project.has_issues { "enabled" } else { "disabled" },
    })
}

fn issue(project: &Project, issue: &Issue, root: &str) -> Value {
    let name = |id: &i64| project.labels.iter().find(|(known, _)| known == id).map(|(_, name)| name.as_str());
    let labels: Vec<&str> = issue.labels.iter().filter_map(name).collect();
    json!({
        "id": issue.number + 9000,
        "iid": issue.number,
        "project_id": 1234,
        "web_url": format!("{root}/{}/{}/-/issues/{}", project.owner, project.name, issue.number),
        "title": issue.title,
        "description": issue.body,
        "labels": labels,
        "milestone": issue.milestone.and_then(|id| Some(milestone(id, project.milestone(id)?))),
        "assignees": project.assigned(issue).map(user).collect::<Vec<_>>(),
        "state": if issue.is_closed { "closed" } else { "opened" },
        "author": { "id": 1, "username": issue.login },
        "created_at": written(issue.created_ms),
        "updated_at": written(issue.updated_ms),
    })
}
