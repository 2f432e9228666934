//! What the practice tracker does as Redmine does it, as it was measured: refusals without a body, tokens that one issue
//! can use once, line ends of its own.

use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::dialect::{Dialect, bare, listed, parts, root};
use crate::fault::Route;
use crate::state::{Asset, Issue, Project, State, written};
use crate::wire::{Answer, Head};

/// Which kind of request this is.
pub(crate) fn route(project: &Project, head: &Head) -> Route {
    let Some(parts) = parts(project, head) else { return Route::Page };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match (head.method.as_str(), parts.as_slice()) {
        (_, ["users", "current.json"]) => Route::User,
        (_, ["projects", _, "versions.json"]) => Route::Milestones,
        (_, ["projects", _, "memberships.json"]) => Route::Assignees,
        (_, ["projects.json"]) => Route::Projects,
        (_, ["projects", _]) => Route::Project,
        ("POST", ["issues.json"]) => Route::Create,
        (_, ["issues.json"]) => Route::List,
        ("PUT", ["issues", _]) => Route::Embed,
        (_, ["issues", _]) => Route::Read,
        (_, ["uploads.json"]) => Route::Upload,
        (_, ["attachments", _]) => Route::File,
        _ => Route::Page,
    }
}

fn refused(why: &[&str]) -> Answer {
    Answer::json(422, &json!({ "errors": why }))
}

/// Does what was asked; what is new shows in lists only after `lag`.
pub(crate) fn act(state: &mut State, head: &Head, body: &[u8], lag: Duration) -> Answer {
    let Some(parts) = parts(&state.project, head) else {
        return Answer::html(404, "<html>Not found</html>");
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if !parts.last().is_some_and(|last| last.ends_with(".json")) {
        return Answer::html(302, "").with("Location", format!("{}/login", root(&state.project, head)));
    }
    if !Dialect::Redmine.is_signed_in(&state.project, head) {
        return bare(401).with("WWW-Authenticate", "Basic realm=\"Redmine API\"");
    }
    match (head.method.as_str(), parts.as_slice()) {
        ("GET", ["users", "current.json"]) => {
            let user = json!({ "id": 1, "login": state.project.login, "api_key": state.project.token });
            Answer::json(200, &json!({ "user": user }))
        }
        ("GET", ["projects", name]) => project(&state.project, name.trim_end_matches(".json")),
        ("GET", ["projects", name, "versions.json"]) if *name == state.project.name => {
            let one = |(id, name): &(i64, String)| json!({ "id": id, "name": name, "status": "open" });
            let versions: Vec<Value> = state.project.milestones.iter().map(one).collect();
            Answer::json(200, &json!({ "versions": versions, "total_count": versions.len() }))
        }
        ("GET", ["projects", name, "memberships.json"]) if *name == state.project.name => {
            let one = |(id, _, name): &(i64, String, String)| json!({ "id": id, "user": { "id": id, "name": name } });
            let group = json!({ "id": 99, "group": { "id": 99, "name": "Everybody" } });
            let members: Vec<Value> = state.project.people.iter().map(one).chain([group]).collect();
            counted(head, "memberships", &members)
        }
        ("GET", ["projects.json"]) => {
            let one = json!({ "id": 1, "name": "Demo", "identifier": state.project.name, "status": 1 });
            counted(head, "projects", &[one])
        }
        ("POST", ["uploads.json"]) => upload(state, head, body),
        ("POST", ["issues.json"]) => create(state, body, &root(&state.project, head), lag),
        ("GET", ["issues.json"]) => list(state, head),
        ("GET", ["issues", number]) => {
            let found = number.trim_end_matches(".json").parse().ok().and_then(|number| state.issue(number));
            found.map_or_else(
                || bare(404),
                |found| Answer::json(200, &json!({ "issue": with_files(state, head, found) })),
            )
        }
        ("PUT", ["issues", number]) => {
            let number = number.trim_end_matches(".json").parse().unwrap_or(0);
            add(state, number, body)
        }
        ("GET", ["attachments", id]) => {
            let id: i64 = id.trim_end_matches(".json").parse().unwrap_or_default();
            let found = state.files.iter().find(|file| file.id == id);
            found.map_or_else(
                || bare(404),
                |file| Answer::json(200, &json!({ "attachment": { "id": file.id, "filename": file.name } })),
            )
        }
        _ => bare(404),
    }
}

fn project(project: &Project, asked: &str) -> Answer {
    if asked != project.name || project.is_archived {
        return bare(404);
    }
    let modules = if project.has_issues { json!([{ "id": 1, "name": "issue_tracking" }]) } else { json!([]) };
    let written = json!({ "id": 1, "name": "Demo", "identifier": project.name, "status": 1, "enabled_modules": modules });
    Answer::json(200, &json!({ "project": written }))
}

fn upload(state: &mut State, head: &Head, body: &[u8]) -> Answer {
    if head.header("content-type") != Some("application/octet-stream") {
        return bare(406);
    }
    let Some(name) = head.query("filename") else { return refused(&["File is invalid"]) };
    if body.len() > state.project.most_bytes {
        let most = state.project.most_bytes;
        return refused(&[&format!(
            "This file cannot be uploaded because it exceeds the maximum allowed file size ({most})"
        )]);
    }
    let digest: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    let stored = state.store(&name, body, |id| format!("{id}.{digest}"));
    Answer::json(201, &json!({ "upload": { "id": stored.id, "token": stored.reference } }))
}

fn create(state: &mut State, body: &[u8], root: &str, lag: Duration) -> Answer {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else { return Answer::html(400, "") };
    let asked = &asked["issue"];
    let takes = state.project.has_issues && !state.project.is_archived;
    if asked["project_id"].as_str() != Some(&state.project.name) || !takes {
        return refused(&["Project cannot be blank", "Tracker cannot be blank", "Status cannot be blank"]);
    }
    let subject = asked["subject"].as_str().unwrap_or_default();
    if subject.trim().is_empty() {
        return refused(&["Subject cannot be blank"]);
    }
    if subject.chars().count() > 255 {
        return refused(&["Subject is too long (maximum is 255 characters)"]);
    }
    let chosen = asked["fixed_version_id"].as_i64();
    if chosen.is_some_and(|id| state.project.milestone(id).is_none()) {
        return refused(&["Target version is not included in the list"]);
    }
    let person = asked["assigned_to_id"].as_i64();
    let is_known = |id: i64| state.project.people.iter().any(|(known, _, _)| *known == id);
    if person.is_some_and(|id| state.project.assigns_nobody || !is_known(id)) {
        return refused(&["Assignee is invalid"]);
    }
    let (uploads, places) = match usable(state, asked) {
        Ok(usable) => usable,
        Err(refused) => return refused,
    };
    // Line ends become CRLF.
    let text = asked["description"].as_str().unwrap_or_default().replace("\r\n", "\n").replace('\n', "\r\n");
    let made = state.add_issue(subject, &text, Vec::new(), lag);
    let made = state.choose(made.number, chosen, person.into_iter().collect()).unwrap_or(made);
    hang(state, made.number, &uploads, places);
    let written = json!({ "issue": issue(&state.project, &made) });
    Answer::json(201, &written).with("Location", format!("{root}/issues/{}", made.number))
}

/// Hangs files that went ahead onto an issue; its success has no body.
fn add(state: &mut State, number: u64, body: &[u8]) -> Answer {
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    if state.issue(number).is_none() {
        return bare(404);
    }
    match usable(state, &asked["issue"]) {
        Ok((uploads, places)) => {
            hang(state, number, &uploads, places);
            bare(204)
        }
        Err(refused) => refused,
    }
}

/// The files that a request names, and where they are; refused when one of them is used or unknown.
fn usable(state: &State, asked: &Value) -> Result<(Vec<Value>, Vec<usize>), Answer> {
    let uploads = asked["uploads"].as_array().cloned().unwrap_or_default();
    let place = |upload: &Value| {
        let token = upload["token"].as_str().unwrap_or_default();
        state.files.iter().position(|file| file.reference == token && !file.is_used)
    };
    let places: Vec<Option<usize>> = uploads.iter().map(place).collect();
    let unusable = places.iter().filter(|place| place.is_none()).count();
    if unusable > 0 {
        return Err(refused(&[&format!("{unusable} file(s) could not be saved.")]));
    }
    Ok((uploads, places.into_iter().flatten().collect()))
}

fn hang(state: &mut State, number: u64, uploads: &[Value], places: Vec<usize>) {
    for (upload, place) in uploads.iter().zip(places) {
        state.files[place].is_used = true;
        let file = state.files[place].clone();
        let given = |name: &str| upload[name].as_str().map(str::to_owned);
        if let Some(issue) = state.issue_mut(number) {
            issue.assets.push(Asset {
                id: file.id,
                uuid: file.reference,
                name: given("filename").unwrap_or(file.name),
                media_type: given("content_type").unwrap_or_default(),
                bytes: file.bytes,
                listed_from: tokio::time::Instant::now(),
            });
        }
    }
}

fn list(state: &State, head: &Head) -> Answer {
    let which = head.query("status_id").unwrap_or_else(|| "open".to_owned());
    let from = head.query("created_on").and_then(|filter| filter.strip_prefix(">=").map(str::to_owned));
    let is_in = |issue: &Issue| {
        let day = written(issue.created_ms);
        (which == "*" || !issue.is_closed) && from.as_ref().is_none_or(|from| day.as_str() >= from.as_str())
    };
    if head.query("project_id").as_deref() != Some(&state.project.name) {
        return bare(404);
    }
    let number = |name: &str| head.query(name).and_then(|text| text.parse::<usize>().ok());
    let (limit, offset) =
        (number("limit").unwrap_or(25).clamp(1, state.project.most_on_page), number("offset").unwrap_or(0));
    let all = listed(state, is_in);
    let issues: Vec<Value> =
        all.iter().skip(offset).take(limit).map(|found| issue(&state.project, found)).collect();
    let page = json!({ "issues": issues, "total_count": all.len(), "offset": offset, "limit": limit });
    Answer::json(200, &page)
}

/// An issue as it is read alone, with its files where they are asked for.
fn with_files(state: &State, head: &Head, found: &Issue) -> Value {
    let mut written = issue(&state.project, found);
    if head.query("include").as_deref() == Some("attachments") {
        let file =
            |asset: &Asset| json!({ "id": asset.id, "filename": asset.name, "filesize": asset.bytes.len() });
        written["attachments"] = found.assets.iter().map(file).collect();
    }
    written
}

/// A page of a list by `offset` and `limit`.
fn counted(head: &Head, name: &str, all: &[Value]) -> Answer {
    let number = |name: &str| head.query(name).and_then(|text| text.parse::<usize>().ok());
    let (limit, offset) = (number("limit").unwrap_or(25), number("offset").unwrap_or(0));
    let shown: Vec<&Value> = all.iter().skip(offset).take(limit).collect();
    Answer::json(200, &json!({ name: shown, "total_count": all.len(), "offset": offset, "limit": limit }))
}

fn issue(project: &Project, issue: &Issue) -> Value {
    let named = |id: i64, name: &str| json!({ "id": id, "name": name });
    json!({
        "id": issue.number,
        "project": { "id": 1, "name": "Demo" },
        "status": { "id": if issue.is_closed { 5 } else { 1 }, "is_closed": issue.is_closed },
        "fixed_version": issue.milestone.and_then(|id| Some(named(id, project.milestone(id)?))),
        "assigned_to": project.assigned(issue).map(|(id, _, name)| named(*id, name)).next(),
        "author": { "id": 1, "name": project.login },
        "subject": issue.title,
        "description": issue.body,
        "created_on": written(issue.created_ms / 1000 * 1000),
        "updated_on": written(issue.updated_ms / 1000 * 1000),
    })
}
