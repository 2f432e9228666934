//! What the practice tracker does as a receiver of a webhook: it takes JSON, or a form that begins with it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::dialect::root;
use crate::fault::Route;
use crate::multipart;
use crate::state::State;
use crate::wire::{Answer, Head};

/// Which kind of request this is.
pub(crate) fn route(head: &Head) -> Route {
    if head.method == "POST" { Route::Create } else { Route::Project }
}

/// Does what was asked. A key that was seen is recognised where the project says so; otherwise it is not even read.
pub(crate) fn act(state: &mut State, head: &Head, body: &[u8], lag: Duration) -> Answer {
    let root = root(&state.project, head);
    if head.method != "POST" {
        return Answer::json(405, &json!({ "message": "POST only" }));
    }
    let given = head.header("authorization").and_then(|given| given.strip_prefix("Bearer "));
    if given.unwrap_or_default() != state.project.token {
        return Answer::json(401, &json!({ "message": "who are you?" }));
    }
    let Some((asked, files)) = read(head, body) else {
        return Answer::json(400, &json!({ "message": "neither JSON nor a form" }));
    };
    let (Some(title), Some(text)) = (asked["title"].as_str(), asked["body"].as_str()) else {
        return Answer::json(422, &json!({ "message": "title and body are needed" }));
    };
    let key = head.header("idempotency-key").unwrap_or_default().to_owned();
    if key.is_empty() || asked["key"].as_str() != Some(&key) {
        return Answer::json(422, &json!({ "message": "the key is needed" }));
    }
    let answer = |number: u64| {
        Answer::json(201, &json!({ "number": number, "url": format!("{root}/inbox/{number}") }))
    };
    if let Some((_, number)) = state.keys.iter().find(|(known, _)| state.project.honours_key && *known == key)
    {
        return answer(*number);
    }
    let made = state.add_issue(title, text, Vec::new(), lag);
    state.keys.push((key, made.number));
    for told in asked["attachments"].as_array().into_iter().flatten() {
        let Some(part) = files.iter().find(|part| Some(part.name.as_str()) == told["part"].as_str()) else {
            continue;
        };
        let (name, kind) =
            (told["name"].as_str().unwrap_or_default(), told["media_type"].as_str().unwrap_or_default());
        state.add_asset(made.number, name, kind, part.bytes.clone(), Duration::ZERO);
    }
    answer(made.number)
}

fn read(head: &Head, body: &[u8]) -> Option<(Value, Vec<multipart::Part>)> {
    let kind = head.header("content-type").unwrap_or_default();
    if kind == "application/json" {
        return Some((serde_json::from_slice(body).ok()?, Vec::new()));
    }
    let mut parts = multipart::parts(kind, body)?;
    let at = parts.iter().position(|part| part.name == "issue")?;
    let issue = parts.remove(at);
    Some((serde_json::from_slice(&issue.bytes).ok()?, parts))
}
