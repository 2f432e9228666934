//! The commands, from a window on the mock runtime down to a real engine and back.

#![allow(clippy::expect_used)]

use serde_json::{Value, json};
use tauri::http::HeaderMap;
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, Manager as _, WebviewWindow, WebviewWindowBuilder};
use tempfile::TempDir;

use outtray_core::Engine;
use outtray_core::engine::Options;

/// An app on a store of its own. Nothing is delivered: the drainer is not started.
struct Desk {
    app: App<MockRuntime>,
    home: TempDir,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let options = Options {
            home: home.path().join("data"),
            documents: home.path().join("documents"),
            ..Options::from_environment()
        };
        let app = outtray::furnish(mock_builder()).build(outtray::context()).expect("the app can be built");
        app.manage(tauri::async_runtime::block_on(async { Engine::open(options) }).expect("the store opens"));
        Self { app, home }
    }

    fn window(&self, label: &str) -> WebviewWindow<MockRuntime> {
        WebviewWindowBuilder::new(&self.app, label, Default::default()).build().expect("a window")
    }
}

fn send(
    window: &WebviewWindow<MockRuntime>,
    command: &str,
    body: InvokeBody,
    headers: HeaderMap,
) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.into(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().expect("an address"),
        body,
        headers,
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().expect("JSON"))
}

fn ask(window: &WebviewWindow<MockRuntime>, command: &str, arguments: Value) -> Result<Value, Value> {
    send(window, command, InvokeBody::Json(arguments), HeaderMap::new())
}

fn attach(
    window: &WebviewWindow<MockRuntime>,
    draft: &Value,
    name: &str,
    bytes: &[u8],
) -> Result<Value, Value> {
    let mut headers = HeaderMap::new();
    headers.insert("x-draft", draft.to_string().parse().expect("a header"));
    headers.insert("x-name", name.parse().expect("a header"));
    send(window, "draft_attach", InvokeBody::Raw(bytes.to_vec()), headers)
}

#[test]
fn an_issue_goes_from_a_window_into_the_outbox() {
    let desk = Desk::new();
    let compose = desk.window("compose-1");
    let draft = ask(&compose, "draft_new", json!({})).expect("a draft");
    let attachment = attach(&compose, &draft["id"], "Bild%20%C3%A9.txt", b"hello").expect("an attachment");
    assert_eq!(attachment["name"], "Bild é.txt");
    let edit = json!({
        "id": draft["id"], "revision": draft["revision"], "destination": null,
        "title": "Crash \u{1f980} on save", "body": "It crashes.", "labels": ["bug"],
    });
    let saved = ask(&compose, "draft_save", json!({ "edit": edit })).expect("it is saved");
    let filed = ask(&compose, "draft_file", json!({ "draft": draft["id"], "revision": saved["revision"] }));
    assert_eq!(filed.expect("it is filed")["state"], "waiting");

    let outbox = desk.window("outbox");
    let entries = ask(&outbox, "entry_list", json!({ "state": null })).expect("entries");
    assert_eq!(entries[0]["title"], "Crash \u{1f980} on save");
    assert_eq!(entries[0]["key"], draft["key"], "the key is born with the draft");
    let attention = ask(&outbox, "attention_now", json!({})).expect("attention");
    assert_eq!((&attention["level"], &attention["waiting"]), (&json!("waiting"), &json!(1)));
}

#[test]
fn a_problem_crosses_as_code_message_and_hint() {
    let desk = Desk::new();
    let compose = desk.window("compose-1");
    let problem = ask(&compose, "draft_open", json!({ "id": 4711 })).expect_err("there is none");
    assert_eq!(problem["code"], "not_found");
    assert!(problem["message"].as_str().is_some_and(|words| !words.is_empty()));
    let keys: Vec<_> = problem.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(keys, ["code", "hint", "message"], "causes stay in the log");

    let draft = ask(&compose, "draft_new", json!({})).expect("a draft");
    let edit = json!({ "id": draft["id"], "revision": 999, "destination": null, "title": "", "body": "", "labels": [] });
    let problem = ask(&compose, "draft_save", json!({ "edit": edit })).expect_err("it is stale");
    assert_eq!(problem["code"], "stale");
}

#[test]
fn a_window_attaches_no_file_that_was_not_dropped_on_it() {
    let desk = Desk::new();
    let compose = desk.window("compose-1");
    let secret = desk.home.path().join("id_ed25519");
    std::fs::write(&secret, "a key").expect("a file");
    let draft = ask(&compose, "draft_new", json!({})).expect("a draft");
    let arguments = json!({ "draft": draft["id"], "path": secret });
    let problem = ask(&compose, "draft_attach_path", arguments).expect_err("nobody dropped it");
    assert_eq!(problem["code"], "refused");
}

#[test]
fn an_attachment_that_is_not_whole_is_refused_in_words() {
    let desk = Desk::new();
    let compose = desk.window("compose-1");
    let draft = ask(&compose, "draft_new", json!({})).expect("a draft");
    let no_headers = send(&compose, "draft_attach", InvokeBody::Raw(vec![1]), HeaderMap::new());
    assert_eq!(no_headers.expect_err("nobody knows its draft")["code"], "invalid");
    let no_text = attach(&compose, &draft["id"], "%ff%fe", b"x");
    assert_eq!(no_text.expect_err("its name is no text")["code"], "invalid");
    let no_number = attach(&compose, &json!("../1"), "x.txt", b"x");
    assert_eq!(no_number.expect_err("its draft is no number")["code"], "invalid");
}

#[test]
fn an_issue_that_is_not_filed_is_not_opened() {
    let desk = Desk::new();
    let outbox = desk.window("outbox");
    let problem = ask(&outbox, "entry_show", json!({ "id": 1 })).expect_err("there is none");
    assert_eq!(problem["code"], "not_found");
}

#[test]
fn work_is_paused_and_resumed() {
    let desk = Desk::new();
    let outbox = desk.window("outbox");
    ask(&outbox, "work_pause", json!({ "destination": null, "minutes": null })).expect("it is paused");
    assert_eq!(ask(&outbox, "attention_now", json!({})).expect("attention")["paused"], true);
    ask(&outbox, "work_resume", json!({ "destination": null })).expect("it goes on");
    assert_eq!(ask(&outbox, "attention_now", json!({})).expect("attention")["paused"], false);
    let nowhere = ask(&outbox, "work_pause", json!({ "destination": "nowhere", "minutes": 5 }));
    assert_eq!(nowhere.expect_err("there is no such destination")["code"], "not_found");
}
