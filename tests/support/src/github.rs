//! What the practice tracker does as GitHub does it, refusals included.

use std::time::Duration;

use serde_json::{Value, json};

use crate::dialect::{Dialect, bare, listed, paged, parts, root};
use crate::fault::Route;
use crate::state::{Issue, Project, State, written};
use crate::wire::{Answer, Head};

/// Base64's digits.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The repository's number.
const NUMBER: &str = "1000";

fn told(status: u16, message: &str) -> Answer {
    Dialect::GitHub.told(status, message)
}

/// The path below the API, with the repository's own parts told apart.
fn place(project: &Project, head: &Head) -> Option<Vec<String>> {
    let parts = parts(project, head)?;
    match parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["api", "v3", ..] => Some(parts[2..].to_vec()),
        ["api", "uploads", ..] => Some(parts[1..].to_vec()),
        _ => None,
    }
}

/// Which kind of request this is.
pub(crate) fn route(project: &Project, head: &Head) -> Route {
    let Some(parts) = place(project, head) else { return Route::Page };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let below: &[&str] = match parts.as_slice() {
        ["user"] => return Route::User,
        ["user", "repos"] => return Route::Projects,
        ["uploads", ..] => return Route::Upload,
        ["repos", _, _, below @ ..] | ["repositories", _, below @ ..] => below,
        _ => return Route::Page,
    };
    match (head.method.as_str(), below) {
        (_, []) => Route::Project,
        (_, ["labels"]) => Route::Labels,
        (_, ["milestones"]) => Route::Milestones,
        (_, ["assignees", ..]) => Route::Assignees,
        ("GET", ["contents", ".github", "ISSUE_TEMPLATE", ..]) => Route::Templates,
        ("POST", ["issues"]) => Route::Create,
        (_, ["issues"]) => Route::List,
        ("PATCH", ["issues", _]) => Route::Embed,
        (_, ["issues", _]) => Route::Read,
        ("PUT", ["contents", ..]) => Route::Upload,
        (_, ["contents", ..]) => Route::File,
        _ => Route::Page,
    }
}

/// Does what was asked; what is new shows in lists only after `lag`.
pub(crate) fn act(state: &mut State, head: &Head, body: &[u8], lag: Duration) -> Answer {
    let root = root(&state.project, head);
    let Some(parts) = place(&state.project, head) else {
        return Answer::html(404, "<html>Not found</html>");
    };
    if head.header("user-agent").is_none() {
        return told(
            403,
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
        );
    }
    if head.header("x-github-api-version").is_some_and(|version| version != "2022-11-28") {
        return told(400, "The API version is not supported");
    }
    if !Dialect::GitHub.is_signed_in(&state.project, head) {
        return told(401, "Bad credentials");
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["user"] if !state.project.may_read_user => told(403, "Resource not accessible by integration"),
        ["user"] => Answer::json(200, &json!({ "id": 1, "login": state.project.login })),
        ["user", "repos"] => paged(&state.project, head, vec![repository(&state.project, &root)]),
        ["uploads", "user-attachments", "assets"] => upload(state, head, body, &root),
        ["repos", owner, name, below @ ..] => {
            let asked = format!("{owner}/{name}");
            if state.project.former.as_ref() == Some(&asked) {
                let code = if head.method == "GET" { 301 } else { 307 };
                let below: String = below.iter().map(|part| format!("/{part}")).collect();
                let query =
                    head.target.split_once('?').map(|(_, query)| format!("?{query}")).unwrap_or_default();
                let to = format!("{}/api/v3/repositories/{NUMBER}{below}{query}", own(head, &state.project));
                return Answer::json(code, &json!({ "message": "Moved Permanently", "url": to }))
                    .with("Location", to);
            }
            if asked != format!("{}/{}", state.project.owner, state.project.name) {
                return told(404, "Not Found");
            }
            in_repository(state, head, below, body, &root, lag)
        }
        ["repositories", number, below @ ..] if *number == NUMBER => {
            in_repository(state, head, below, body, &root, lag)
        }
        _ => told(404, "Not Found"),
    }
}

fn own(head: &Head, project: &Project) -> String {
    format!("http://{}{}", head.header("host").unwrap_or_default(), project.sub_path)
}

fn in_repository(
    state: &mut State,
    head: &Head,
    below: &[&str],
    body: &[u8],
    root: &str,
    lag: Duration,
) -> Answer {
    let (has_issues, is_archived) = (state.project.has_issues, state.project.is_archived);
    match (head.method.as_str(), below) {
        ("GET", []) => Answer::json(200, &repository(&state.project, root)),
        ("GET", ["labels"]) => {
            let label = |(id, name): &(i64, String)| json!({ "id": id, "name": name, "color": "d73a4a", "description": null });
            paged(&state.project, head, state.project.labels.iter().map(label).collect())
        }
        ("GET", ["milestones"]) => {
            let one = |(id, title): &(i64, String)| milestone(*id, title);
            paged(&state.project, head, state.project.milestones.iter().map(one).collect())
        }
        ("GET", ["assignees"]) => {
            paged(&state.project, head, state.project.people.iter().map(user).collect())
        }
        ("GET", ["assignees", login]) => match state.project.person(login) {
            Some(_) => bare(204),
            None => told(404, "Not Found"),
        },
        ("GET", ["contents", ".github", "ISSUE_TEMPLATE", file @ ..]) => templates(&state.project, file),
        (_, ["issues", ..]) if !has_issues => told(410, "Issues has been disabled in this repository."),
        ("POST" | "PUT" | "PATCH", _) if is_archived => told(403, "Repository was archived so is read-only."),
        ("POST", ["issues"]) => create(state, body, root, lag),
        ("GET", ["issues"]) => list(state, head, root),
        ("GET", ["issues", number]) => {
            let found = number.parse().ok().and_then(|number| state.issue(number));
            found.map_or_else(
                || told(404, "Not Found"),
                |found| Answer::json(200, &issue(&state.project, found, root)),
            )
        }
        ("PATCH", ["issues", number]) => {
            let asked: Value = serde_json::from_slice(body).unwrap_or_default();
            let edited = number.parse().ok().and_then(|number| state.edit(number, asked["body"].as_str()));
            edited.map_or_else(
                || told(404, "Not Found"),
                |edited| Answer::json(200, &issue(&state.project, &edited, root)),
            )
        }
        ("PUT", ["contents", path @ ..]) => commit(state, body, &path.join("/"), root),
        ("GET", ["contents", path @ ..]) => {
            let reference =
                address(&state.project, &head.query("ref").unwrap_or_default(), &path.join("/"), root);
            let found = state.files.iter().find(|file| file.reference == reference);
            found.map_or_else(
                || told(404, "Not Found"),
                |file| Answer::json(200, &json!({ "size": file.bytes.len(), "html_url": file.reference })),
            )
        }
        _ => told(404, "Not Found"),
    }
}

fn create(state: &mut State, body: &[u8], root: &str, lag: Duration) -> Answer {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return told(400, "Problems parsing JSON");
    };
    let invalid = |message: &str| {
        let error = json!({ "resource": "Issue", "code": "custom", "field": "body", "message": message });
        Answer::json(422, &json!({ "message": "Validation Failed", "errors": [error] }))
    };
    let (title, text) =
        (asked["title"].as_str().unwrap_or_default(), asked["body"].as_str().unwrap_or_default());
    if title.trim().is_empty() {
        return invalid("title can't be blank");
    }
    if title.chars().count() > 256 {
        return invalid("title is too long (maximum is 256 characters)");
    }
    if text.chars().count() > 65_536 {
        return invalid("body is too long (maximum is 65536 characters)");
    }
    // Without push access what was asked for is dropped in silence; with it, unknown labels are made.
    let mut labels = Vec::new();
    for name in asked["labels"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if state.project.may_push {
            labels.push(label(&mut state.project, name));
        }
    }
    let chosen = asked["milestone"].as_i64();
    if chosen.is_some_and(|number| state.project.milestone(number).is_none()) {
        return invalid("milestone is invalid");
    }
    let mut people = Vec::new();
    for login in asked["assignees"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        match state.project.person(login) {
            Some(id) => people.push(id),
            None => return invalid("assignees are invalid"),
        }
    }
    let (chosen, people) = if state.project.may_push { (chosen, people) } else { (None, Vec::new()) };
    let made = state.add_issue(title, text, labels, lag);
    let made = state.choose(made.number, chosen, people).unwrap_or(made);
    let written = issue(&state.project, &made, root);
    Answer::json(201, &written)
}

fn milestone(number: i64, title: &str) -> Value {
    json!({ "number": number, "title": title, "state": "open" })
}

fn user((id, login, _): &(i64, String, String)) -> Value {
    json!({ "id": id, "login": login })
}

/// The files of the directory of templates, or one of them with what it holds.
fn templates(project: &Project, file: &[&str]) -> Answer {
    if project.templates.is_empty() {
        return told(404, "Not Found");
    }
    let listed = |name: &str, text: &str| json!({ "name": name, "path": format!(".github/ISSUE_TEMPLATE/{name}"), "size": text.len(), "type": "file" });
    match file {
        [] => {
            let config = listed("config.yml", "blank_issues_enabled: false\n");
            let files = project.templates.iter().map(|one| listed(&one.file, &one.text));
            Answer::json(200, &Value::Array(files.chain([config]).collect()))
        }
        ["config.yml"] => {
            Answer::json(200, &json!({ "name": "config.yml", "size": 28, "content": "Ymxhbms6IGZhbHNlCg==" }))
        }
        [name] => project.templates.iter().find(|one| one.file == *name).map_or_else(
            || told(404, "Not Found"),
            |one| {
                let mut written = listed(&one.file, &one.text);
                written["content"] = json!(to_base64(one.text.as_bytes()));
                Answer::json(200, &written)
            },
        ),
        _ => told(404, "Not Found"),
    }
}

/// Writes Base64 as GitHub does: in lines.
fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (at, three) in bytes.chunks(3).enumerate() {
        let bits =
            three.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or_default()];
            text.push(if place > three.len() { '=' } else { char::from(letter) });
        }
        if at % 15 == 14 {
            text.push('\n');
        }
    }
    text
}

pub(crate) fn label(project: &mut Project, name: &str) -> i64 {
    if let Some((id, _)) = project.labels.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)) {
        return *id;
    }
    let id = project.labels.iter().map(|(id, _)| *id).max().unwrap_or(0) + 1;
    project.labels.push((id, name.to_owned()));
    id
}

fn list(state: &State, head: &Head, root: &str) -> Answer {
    let since: Option<i64> = match head.query("since").map(|since| since.parse::<jiff::Timestamp>()) {
        Some(Err(_)) => return told(422, "Validation Failed"),
        since => since.and_then(Result::ok).map(jiff::Timestamp::as_millisecond),
    };
    let which = head.query("state").unwrap_or_else(|| "open".to_owned());
    let is_in = |issue: &Issue| {
        (which == "all" || (which == "closed") == issue.is_closed)
            && since.is_none_or(|since| issue.updated_ms >= since)
    };
    let found = listed(state, is_in);
    paged(&state.project, head, found.into_iter().map(|found| issue(&state.project, found, root)).collect())
}

fn upload(state: &mut State, head: &Head, body: &[u8], root: &str) -> Answer {
    if !state.project.may_push || !state.project.may_upload {
        return told(404, "Not Found");
    }
    if head.query("repository_id").as_deref() != Some(NUMBER) {
        return told(404, "Not Found");
    }
    if body.len() > state.project.most_bytes {
        return told(422, "Size is too large");
    }
    let name = head.query("name").unwrap_or_default();
    let kind = head.query("content_type").unwrap_or_default();
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_one =
        matches!((kind.as_str(), ending.as_str()), ("image/png", "png") | ("image/jpeg", "jpg" | "jpeg"));
    if !is_one || body.is_empty() {
        return told(422, "Validation Failed");
    }
    if head.header("content-length").is_none()
        || head.header("content-type") != Some("application/octet-stream")
    {
        return told(400, "Bad Request");
    }
    let stored = state.store(&name, body, |id| format!("{root}/user-attachments/assets/{id}"));
    Answer::json(201, &json!({ "url": stored.reference }))
}

fn address(project: &Project, branch: &str, path: &str, root: &str) -> String {
    let path: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    let path = path.replace("%2F", "/").replace('+', "%20");
    format!("{root}/{}/{}/blob/{branch}/{path}", project.owner, project.name)
}

fn commit(state: &mut State, body: &[u8], path: &str, root: &str) -> Answer {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return told(400, "Problems parsing JSON");
    };
    let branch = asked["branch"].as_str().unwrap_or("main");
    if !state.project.may_push || !state.project.branches.iter().any(|known| known == branch) {
        return told(404, "Branch not found");
    }
    let reference = address(&state.project, branch, path, root);
    if state.files.iter().any(|file| file.reference == reference) && asked["sha"].is_null() {
        return told(422, "Invalid request.\n\n\"sha\" wasn't supplied.");
    }
    let Some(bytes) = asked["content"].as_str().and_then(from_base64) else {
        return told(422, "content is not valid Base64");
    };
    let stored = state.store(path, &bytes, |_| reference);
    Answer::json(201, &json!({ "content": { "size": stored.bytes.len(), "html_url": stored.reference } }))
}

/// Reads Base64 as strictly as it should be written.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let plain = text.trim_end_matches('=');
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for letter in plain.bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn repository(project: &Project, root: &str) -> Value {
    let full_name = format!("{}/{}", project.owner, project.name);
    json!({
        "id": 1000,
        "name": project.name,
        "html_url": format!("{root}/{full_name}"),
        "full_name": full_name,
        "has_issues": project.has_issues,
        "archived": project.is_archived,
        "disabled": false,
        "permissions": { "admin": false, "push": project.may_push, "pull": true },
    })
}

fn issue(project: &Project, issue: &Issue, root: &str) -> Value {
    let name = |id: &i64| project.labels.iter().find(|(known, _)| known == id).map(|(_, name)| name.as_str());
    let labels: Vec<Value> = issue.labels.iter().map(|id| json!({ "id": id, "name": name(id) })).collect();
    let mut written = json!({
        "id": issue.number + 1000,
        "number": issue.number,
        "html_url": format!("{root}/{}/{}/issues/{}", project.owner, project.name, issue.number),
        "title": issue.title,
        "body": issue.body,
        "labels": labels,
        "milestone": issue.milestone.and_then(|id| Some(milestone(id, project.milestone(id)?))),
        "assignees": project.assigned(issue).map(user).collect::<Vec<_>>(),
        "state": if issue.is_closed { "closed" } else { "open" },
        "user": { "id": 1, "login": issue.login },
        "created_at": written(issue.created_ms),
        "updated_at": written(issue.updated_ms),
    });
    // Its lists hold pull requests among the issues.
    if issue.title.starts_with("Pull request:") {
        written["pull_request"] = json!({ "url": "" });
    }
    written
}
