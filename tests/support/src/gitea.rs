//! What the practice tracker does when nothing goes wrong: as Gitea does it, refusals included.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fault::Route;
use crate::state::{Asset, Issue, Project, State, written};
use crate::wire::{Answer, Head};
use crate::{multipart, pages};

/// An answer with Gitea's shape of a message.
pub(crate) fn told(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "message": message, "url": "http://localhost/api/swagger" }))
}

/// Whether the request carries the token.
pub(crate) fn is_signed_in(project: &Project, head: &Head) -> bool {
    login(project, head).is_some()
}

/// Who asks.
fn login(project: &Project, head: &Head) -> Option<String> {
    let given = head.header("authorization").unwrap_or_default();
    let token = ["token ", "Bearer "].iter().find_map(|kind| given.strip_prefix(kind))?;
    let own = (project.token == token).then(|| project.login.clone());
    let other = || project.others.iter().find(|(other, _)| other == token).map(|(_, login)| login.clone());
    own.or_else(other)
}

/// The path's parts below the API, with the project's own parts told apart.
enum Place<'a> {
    Api(Vec<&'a str>),
    Page(Vec<&'a str>),
    Nowhere,
}

fn place<'a>(project: &Project, path: &'a str) -> Place<'a> {
    let Some(below) = path.strip_prefix(project.sub_path.as_str()) else { return Place::Nowhere };
    let parts: Vec<&str> = below.split('/').skip(1).collect();
    match parts.as_slice() {
        ["api", "v1", rest @ ..] => Place::Api(rest.to_vec()),
        _ => Place::Page(parts),
    }
}

/// Which kind of request this is.
pub(crate) fn route(project: &Project, head: &Head) -> Route {
    let Place::Api(parts) = place(project, head.path()) else { return Route::Page };
    match (head.method.as_str(), parts.as_slice()) {
        (_, ["version"]) => Route::Version,
        (_, ["user"]) => Route::User,
        (_, ["settings", ..]) => Route::Settings,
        (_, ["repos", _, _]) => Route::Project,
        (_, ["repos", _, _, "labels"] | ["orgs", _, "labels"]) => Route::Labels,
        (_, ["repos", _, _, "milestones"]) => Route::Milestones,
        (_, ["repos", _, _, "assignees"]) => Route::Assignees,
        (_, ["repos", _, _, "issue_templates"]) => Route::Templates,
        (_, ["user", "repos"]) => Route::Projects,
        ("POST", ["repos", _, _, "issues"]) => Route::Create,
        (_, ["repos", _, _, "issues"]) => Route::List,
        ("PATCH", ["repos", _, _, "issues", _]) => Route::Embed,
        (_, ["repos", _, _, "issues", _]) => Route::Read,
        ("POST", ["repos", _, _, "issues", _, "assets"]) => Route::Upload,
        (_, ["repos", _, _, "issues", _, "assets"]) => Route::Assets,
        _ => Route::Page,
    }
}

/// Does what was asked; what is new shows in lists only after `lag`.
pub(crate) fn act(state: &mut State, head: &Head, body: &[u8], lag: Duration) -> Answer {
    let root = root(&state.project, head);
    let parts = match place(&state.project, head.path()) {
        Place::Api(parts) => parts,
        Place::Page(parts) => return pages::answer(state, &parts, &root),
        Place::Nowhere => return Answer::html(404, "<html>Not found</html>"),
    };
    if let ["version"] = parts.as_slice() {
        return Answer::json(200, &json!({ "version": state.project.version }));
    }
    if let ["settings", "attachment"] = parts.as_slice() {
        return Answer::json(
            200,
            &json!({ "enabled": true, "allowed_types": state.project.allowed_types, "max_size": state.project.most_bytes.div_ceil(1_048_576), "max_files": 5 }),
        );
    }
    let Some(login) = login(&state.project, head) else {
        let is_without = head.header("authorization").is_none();
        return told(
            401,
            if is_without { "token is required" } else { "invalid username, password or token" },
        );
    };
    match parts.as_slice() {
        ["user"] if !state.project.may_read_user => {
            told(403, "token does not have at least one of required scope(s), required=[read:user]")
        }
        ["user"] => Answer::json(200, &json!({ "id": 1, "login": login, "full_name": "" })),
        ["user", "repos"] => {
            let all = vec![project(&state.project, &root)];
            paged(&state.project, head, all)
        }
        ["orgs", _, "labels"] => not_found(),
        ["repos", owner, name, rest @ ..] => {
            if *owner != state.project.owner || *name != state.project.name {
                return not_found();
            }
            let before = state.issues.len();
            let answer = in_project(state, head, rest, body, &root, lag);
            match state.issues.get_mut(before) {
                Some(made) if made.login != login => {
                    made.login = login;
                    let made = made.clone();
                    one(state, &made, 201, &root)
                }
                _ => answer,
            }
        }
        _ => Answer::html(404, "<html>Not found</html>"),
    }
}

fn in_project(
    state: &mut State,
    head: &Head,
    rest: &[&str],
    body: &[u8],
    root: &str,
    lag: Duration,
) -> Answer {
    let (has_issues, is_archived) = (state.project.has_issues, state.project.is_archived);
    match (head.method.as_str(), rest) {
        ("GET", []) => Answer::json(200, &project(&state.project, root)),
        ("GET", ["labels"]) => {
            let label = |(id, name): &(i64, String)| json!({ "id": id, "name": name, "color": "d73a4a", "description": "" });
            paged(&state.project, head, state.project.labels.iter().map(label).collect())
        }
        ("GET", ["milestones"]) => {
            let one = |(id, title): &(i64, String)| milestone(*id, title);
            paged(&state.project, head, state.project.milestones.iter().map(one).collect())
        }
        ("GET", ["assignees"]) => {
            Answer::json(200, &Value::Array(state.project.people.iter().map(user).collect()))
        }
        ("GET", ["issue_templates"]) => {
            Answer::json(200, &json!(state.project.templates.iter().map(|one| &one.told).collect::<Vec<_>>()))
        }
        (_, ["issues", ..]) if !has_issues => not_found(),
        ("POST" | "PATCH", _) if is_archived => told(423, "ada/demo is archived"),
        ("POST", ["issues"]) => create(state, body, root, lag),
        ("GET", ["issues"]) => list(state, head, root),
        (method, ["issues", number, rest @ ..]) => {
            let Some(number) = number.parse().ok().filter(|number| state.issue(*number).is_some()) else {
                return not_found();
            };
            match (method, rest) {
                ("GET", []) => {
                    state.issue(number).map_or_else(not_found, |found| one(state, found, 200, root))
                }
                ("PATCH", []) => edit(state, number, body, root),
                ("POST", ["assets"]) => attach(state, number, head, body, root, lag),
                ("GET", ["assets"]) => {
                    let now = Instant::now();
                    let listed = state.issue(number).map(|issue| &issue.assets).into_iter().flatten();
                    let assets: Vec<Value> = listed
                        .filter(|asset| asset.listed_from <= now)
                        .map(|found| asset(found, root))
                        .collect();
                    Answer::json(200, &Value::Array(assets))
                }
                _ => told(405, "method not allowed"),
            }
        }
        _ => not_found(),
    }
}

fn create(state: &mut State, body: &[u8], root: &str, lag: Duration) -> Answer {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return told(422, "[]: unexpected end of JSON input");
    };
    let title = asked["title"].as_str().unwrap_or_default();
    if title.trim().is_empty() {
        return told(422, "[Title]: Required");
    }
    let labels = asked["labels"].as_array().cloned().unwrap_or_default();
    if labels.iter().any(|label| !label.is_i64()) {
        return told(
            422,
            "[]: json: cannot unmarshal string into Go struct field CreateIssueOption.labels of type int64",
        );
    }
    let known = |id: &i64| state.project.labels.iter().any(|(known, _)| known == id);
    let labels = labels.iter().filter_map(Value::as_i64).filter(known).collect();
    let labels = if state.project.may_push { labels } else { Vec::new() };
    let mut people = Vec::new();
    for login in asked["assignees"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        match state.project.person(login) {
            Some(id) => people.push(id),
            None => return told(422, &format!("Assignee does not exist: [name: {login}]")),
        }
    }
    let chosen = asked["milestone"].as_i64().filter(|id| *id != 0);
    if chosen.is_some_and(|id| state.project.milestone(id).is_none()) {
        return told(404, "milestone does not exist");
    }
    let (chosen, people) = if state.project.may_push { (chosen, people) } else { (None, Vec::new()) };
    let issue = state.add_issue(title, asked["body"].as_str().unwrap_or_default(), labels, lag);
    state.choose(issue.number, chosen, people).map_or_else(not_found, |issue| one(state, &issue, 201, root))
}

fn edit(state: &mut State, number: u64, body: &[u8], root: &str) -> Answer {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return told(422, "[]: unexpected end of JSON input");
    };
    let Some(issue) = state.issue_mut(number) else { return not_found() };
    if let Some(title) = asked["title"].as_str() {
        title.clone_into(&mut issue.title);
    }
    if let Some(body) = asked["body"].as_str() {
        body.clone_into(&mut issue.body);
    }
    if let Some(state) = asked["state"].as_str() {
        issue.is_closed = state == "closed";
    }
    issue.updated_ms = crate::state::now_ms();
    let issue = issue.clone();
    one(state, &issue, 201, root)
}

fn attach(state: &mut State, number: u64, head: &Head, body: &[u8], root: &str, lag: Duration) -> Answer {
    if head.header("content-length").is_none() {
        return told(411, "length required");
    }
    let parts = multipart::parts(head.header("content-type").unwrap_or_default(), body).unwrap_or_default();
    let Some(part) = parts.into_iter().find(|part| part.name == "attachment") else {
        // Gitea does not look before it opens the file.
        return told(500, "");
    };
    if part.bytes.len() > state.project.most_bytes {
        return told(413, &format!("attachment exceeds limit {}", state.project.most_bytes));
    }
    let name = head.query("name").or(part.file_name).unwrap_or_default();
    let media_type = part.media_type.unwrap_or_default();
    let added = state.add_asset(number, &name, &media_type, part.bytes, lag);
    added.map_or_else(not_found, |added| Answer::json(201, &asset(&added, root)))
}

fn list(state: &State, head: &Head, root: &str) -> Answer {
    if head.query("q").is_some() {
        // The index of the search has not seen anything yet.
        return Answer::json(200, &json!([]));
    }
    let by = head.query("created_by");
    let is_known = |login: &String| {
        *login == state.project.login || state.issues.iter().any(|issue| issue.login == *login)
    };
    if by.as_ref().is_some_and(|login| !is_known(login)) {
        return not_found();
    }
    let since: Option<i64> = match head.query("since").map(|since| since.parse::<jiff::Timestamp>()) {
        Some(Err(_)) => return told(422, "since: cannot be parsed"),
        since => since.and_then(Result::ok).map(jiff::Timestamp::as_millisecond),
    };
    let which = head.query("state").unwrap_or_else(|| "open".to_owned());
    let now = Instant::now();
    let mut found: Vec<&Issue> = state
        .issues
        .iter()
        .filter(|issue| which == "all" || (which == "closed") == issue.is_closed)
        .filter(|issue| by.as_ref().is_none_or(|login| issue.login == *login))
        .filter(|issue| since.is_none_or(|since| issue.updated_ms >= since))
        .filter(|issue| issue.listed_from <= now)
        .collect();
    found.sort_by_key(|issue| std::cmp::Reverse((issue.created_ms, issue.number)));
    paged(
        &state.project,
        head,
        found.into_iter().map(|issue| written_issue(&state.project, issue, root)).collect(),
    )
}

fn paged(project: &Project, head: &Head, all: Vec<Value>) -> Answer {
    let number = |name: &str| head.query(name).and_then(|text| text.parse::<usize>().ok());
    let limit = number("limit").unwrap_or(30).clamp(1, project.most_on_page);
    let page = number("page").unwrap_or(1).max(1);
    let total = all.len();
    let shown: Vec<Value> = all.into_iter().skip((page - 1) * limit).take(limit).collect();
    let answer = Answer::json(200, &Value::Array(shown));
    if !project.has_paging_headers {
        return answer;
    }
    let answer = answer.with("X-Total-Count", total.to_string());
    let last = total.div_ceil(limit).max(1);
    let link = |page: usize, rel: &str| format!("<{}?page={page}&limit={limit}>; rel=\"{rel}\"", head.path());
    match page {
        page if page < last => {
            answer.with("Link", format!("{},{}", link(page + 1, "next"), link(last, "last")))
        }
        page if page > 1 => answer.with("Link", link(page - 1, "prev")),
        _ => answer,
    }
}

fn one(state: &State, issue: &Issue, status: u16, root: &str) -> Answer {
    Answer::json(status, &written_issue(&state.project, issue, root))
}

fn project(project: &Project, root: &str) -> Value {
    let full_name = format!("{}/{}", project.owner, project.name);
    json!({
        "id": 1,
        "name": project.name,
        "html_url": format!("{root}/{full_name}"),
        "full_name": full_name,
        "has_issues": project.has_issues,
        "archived": project.is_archived,
        "permissions": { "admin": false, "push": project.may_push, "pull": true },
    })
}

pub(crate) fn written_issue(project: &Project, issue: &Issue, root: &str) -> Value {
    let name = |id: &i64| project.labels.iter().find(|(known, _)| known == id).map(|(_, name)| name.as_str());
    let labels: Vec<Value> = issue.labels.iter().map(|id| json!({ "id": id, "name": name(id) })).collect();
    json!({
        "id": issue.number + 1000,
        "number": issue.number,
        "html_url": format!("{root}/{}/{}/issues/{}", project.owner, project.name, issue.number),
        "title": issue.title,
        "body": issue.body,
        "labels": labels,
        "milestone": issue.milestone.and_then(|id| Some(milestone(id, project.milestone(id)?))),
        "assignees": (!issue.assignees.is_empty()).then(|| project.assigned(issue).map(user).collect::<Vec<_>>()),
        "state": if issue.is_closed { "closed" } else { "open" },
        "user": { "id": 1, "login": issue.login },
        "assets": issue.assets.iter().map(|found| asset(found, root)).collect::<Vec<_>>(),
        "created_at": written(issue.created_ms),
        "updated_at": written(issue.updated_ms),
        "pull_request": null,
    })
}

fn milestone(id: i64, title: &str) -> Value {
    json!({ "id": id, "title": title, "state": "open" })
}

fn user((id, login, name): &(i64, String, String)) -> Value {
    json!({ "id": id, "login": login, "full_name": name })
}

fn asset(asset: &Asset, root: &str) -> Value {
    json!({
        "id": asset.id,
        "name": asset.name,
        "size": asset.bytes.len(),
        "uuid": asset.uuid,
        "browser_download_url": format!("{root}/attachments/{}", asset.uuid),
    })
}

/// The address that links begin with.
fn root(project: &Project, head: &Head) -> String {
    let own = || format!("http://{}{}", head.header("host").unwrap_or_default(), project.sub_path);
    project.root_url.clone().unwrap_or_else(own)
}

fn not_found() -> Answer {
    Answer::json(
        404,
        &json!({ "message": "The target couldn't be found.", "url": "http://localhost/api/swagger", "errors": [] }),
    )
}
