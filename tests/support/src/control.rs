//! The control interface for tests in another process, under `/_practice/`:
//!
//! | | |
//! |---|---|
//! | `GET issues` | every issue, its attachments with their SHA-256 |
//! | `GET requests` | what was asked so far |
//! | `GET faults`, `POST faults`, `DELETE faults` | the script: one fault or a list is added; all are forgotten |
//! | `GET project`, `POST project` | how the project is set up; the members given are changed |
//! | `POST clear` | forgets issues, faults and requests |

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::fault::Fault;
use crate::state::{Issue, State, written};
use crate::wire::{Answer, Head};

pub(crate) fn answer(state: &mut State, head: &Head, body: &[u8]) -> Answer {
    let what = head.path().trim_start_matches("/_practice/");
    match (head.method.as_str(), what) {
        ("GET", "issues") => {
            Answer::json(200, &Value::Array(state.issues.iter().map(|issue| told(state, issue)).collect()))
        }
        ("GET", "requests") => Answer::json(200, &json!(state.log)),
        ("GET", "faults") => Answer::json(200, &json!(state.faults)),
        ("POST", "faults") => match read_faults(body) {
            Ok(faults) => {
                state.faults.extend(faults);
                Answer::json(200, &json!(state.faults))
            }
            Err(error) => refused(&error),
        },
        ("DELETE", "faults") => {
            state.faults.clear();
            Answer::json(200, &json!([]))
        }
        ("GET", "project") => Answer::json(200, &json!(state.project)),
        ("POST", "project") => match change_project(state, body) {
            Ok(()) => Answer::json(200, &json!(state.project)),
            Err(error) => refused(&error),
        },
        ("POST", "clear") => {
            state.issues.clear();
            state.faults.clear();
            state.files.clear();
            state.keys.clear();
            state.log.clear();
            Answer::json(200, &json!({}))
        }
        _ => Answer::json(404, &json!({ "message": "no such control" })),
    }
}

fn told(state: &State, issue: &Issue) -> Value {
    let name =
        |id: &i64| state.project.labels.iter().find(|(known, _)| known == id).map(|(_, name)| name.clone());
    let assets: Vec<Value> = issue
        .assets
        .iter()
        .map(|asset| {
            let digest: String =
                Sha256::digest(&asset.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            json!({
                "name": asset.name,
                "media_type": asset.media_type,
                "size": asset.bytes.len(),
                "sha256": digest,
                "uuid": asset.uuid,
            })
        })
        .collect();
    json!({
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "labels": issue.labels.iter().filter_map(name).collect::<Vec<_>>(),
        "milestone": issue.milestone.and_then(|id| state.project.milestone(id)),
        "assignees": state.project.assigned(issue).map(|(_, login, _)| login).collect::<Vec<_>>(),
        "login": issue.login,
        "created_at": written(issue.created_ms),
        "closed": issue.is_closed,
        "assets": assets,
    })
}

fn read_faults(body: &[u8]) -> serde_json::Result<Vec<Fault>> {
    match serde_json::from_slice(body)? {
        list @ Value::Array(_) => serde_json::from_value(list),
        one => Ok(vec![serde_json::from_value(one)?]),
    }
}

fn change_project(state: &mut State, body: &[u8]) -> serde_json::Result<()> {
    let mut project = serde_json::to_value(&state.project)?;
    if let (Value::Object(known), Value::Object(given)) = (&mut project, serde_json::from_slice(body)?) {
        known.extend(given);
    }
    state.project = serde_json::from_value(project)?;
    Ok(())
}

fn refused(error: &serde_json::Error) -> Answer {
    Answer::json(422, &json!({ "message": error.to_string() }))
}
