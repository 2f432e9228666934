//! The commands, from a window on the mock runtime down to a real engine and back.

#![allow(clippy::expect_used)]

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};
use tauri::http::HeaderMap;
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, Listener as _, Manager as _, WebviewWindow, WebviewWindowBuilder};
use tempfile::TempDir;

use outtray_core::Engine;
use outtray_core::engine::Options;
use outtray_secrets::{Keyring, Refusal, Vault};

/// An app on a store of its own. Nothing is delivered: the drainer is not started.
struct Desk {
    app: App<MockRuntime>,
    home: TempDir,
}

/// A keyring that keeps nothing, and says why.
struct Shut(Refusal);

impl Vault for Shut {
    fn read(&mut self, _name: &str) -> Result<Option<SecretString>, Refusal> {
        Err(self.0.clone())
    }

    fn write(&mut self, _name: &str, _token: &SecretString) -> Result<(), Refusal> {
        Err(self.0.clone())
    }

    fn erase(&mut self, _name: &str) -> Result<(), Refusal> {
        Err(self.0.clone())
    }
}

impl Desk {
    fn new() -> Self {
        Self::without_keyring(Refusal::Missing("there is none".to_owned()))
    }

    fn without_keyring(refusal: Refusal) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let keyring =
            Arc::new(Keyring::with_vault(Box::new(Shut(refusal)), Duration::from_secs(5)).remembering());
        let options = Options {
            home: home.path().join("data"),
            documents: home.path().join("documents"),
            secrets: Arc::clone(&keyring) as _,
            ..Options::from_environment()
        };
        let app = outtray::furnish(mock_builder()).build(outtray::context()).expect("the app can be built");
        app.manage(keyring);
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
fn a_window_asks_what_a_destination_offers_and_opens_no_link_that_is_not_known_there() {
    let desk = Desk::new();
    ask(&desk.window("settings"), "destination_add", gitea("work")).expect("it is added");
    let compose = desk.window("compose-1");
    let offered = ask(&compose, "catalogue_open", json!({ "destination": "work", "fresh": false }));
    let offered = offered.expect("a catalogue");
    assert_eq!(offered["destination"], "work");
    assert!(offered["parts"].as_array().is_some_and(|parts| parts.len() == 5), "{offered}");
    let like = ask(&compose, "similar_list", json!({ "destination": "work", "title": "It crashes" }));
    assert_eq!(like.expect("a list"), json!([]), "nobody has asked there yet");
    for url in ["https://git.example/ada/demo/issues/1", "file:///etc/passwd", "https://elsewhere.example"] {
        let arguments = json!({ "destination": "work", "url": url });
        let problem = ask(&compose, "similar_show", arguments).expect_err("it is not known");
        assert_eq!(problem["code"], "not_found", "{url}");
    }
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

fn gitea(name: &str) -> Value {
    let url = "https://git.example";
    json!({ "new": { "name": name, "tracker": "gitea", "url": url, "project": "ada/demo", "path": null }, "token": "secret" })
}

fn names(settings: &WebviewWindow<MockRuntime>) -> Vec<String> {
    let listed = ask(settings, "destination_list", json!({})).expect("destinations");
    let listed = listed.as_array().expect("a list");
    listed.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_destination_whose_token_cannot_be_kept_is_not_added() {
    let desk = Desk::without_keyring(Refusal::Locked("it is locked".to_owned()));
    let settings = desk.window("settings");
    let before = names(&settings);
    for _ in 0..2 {
        let problem = ask(&settings, "destination_add", gitea("work")).expect_err("nothing keeps the token");
        assert_eq!(problem["code"], "keyring", "and no name is taken: {problem}");
    }
    assert_eq!(names(&settings), before);
}

#[test]
fn a_token_that_no_keyring_keeps_is_told_to_last_until_the_app_quits() {
    let desk = Desk::new();
    let settings = desk.window("settings");
    let remembered = || ask(&settings, "destination_remembered", json!({})).expect("names");
    assert_eq!(remembered(), json!([]));
    ask(&settings, "destination_add", gitea("work")).expect("it is added");
    assert_eq!(remembered(), json!(["work"]));
    ask(&settings, "destination_remove", json!({ "name": "work" })).expect("it is removed");
    assert_eq!(remembered(), json!([]));
}

/// Why a window is asked to go, each time it is.
fn asked_to_go(window: &WebviewWindow<MockRuntime>) -> Receiver<String> {
    let (tell, asked) = channel();
    window.listen("asked-to-go", move |event| {
        // The test may be over.
        let _ = tell.send(event.payload().to_owned());
    });
    asked
}

#[test]
fn quitting_asks_every_window_that_is_written_in_and_one_that_stays_calls_it_off() {
    let desk = Desk::new();
    let (one, other) = (desk.window("compose-1"), desk.window("compose-2"));
    let (one_asked, other_asked) = (asked_to_go(&one), asked_to_go(&other));
    let soon = Duration::from_secs(10);
    for _ in 0..2 {
        ask(&one, "app_quit", json!({ "anyway": false })).expect("it is asked");
        assert_eq!(one_asked.recv_timeout(soon).as_deref(), Ok("\"quit\""));
        assert_eq!(other_asked.recv_timeout(soon).as_deref(), Ok("\"quit\""));
        ask(&one, "window_close", json!({})).expect("it has saved");
        assert!(desk.app.get_webview_window("compose-1").is_some(), "nobody goes before all may");
        ask(&other, "window_stay", json!({})).expect("it stays");
        // Called off, so that the next time everybody is asked anew.
        while one_asked.recv_timeout(Duration::from_millis(900)).is_ok() {}
        while other_asked.try_recv().is_ok() {}
    }
    ask(&one, "draft_new", json!({})).expect("the app works on");
}

#[test]
fn without_a_clipboard_no_file_is_pasted() {
    let desk = Desk::new();
    let compose = desk.window("compose-1");
    let draft = ask(&compose, "draft_new", json!({})).expect("a draft");
    // A path that the page names is not looked at.
    let asked = json!({ "draft": draft["id"], "path": "/etc/hostname" });
    let pasted = ask(&compose, "clipboard_files", asked).expect("an answer");
    assert_eq!(pasted, json!({ "attached": [], "refused": [] }));
}
