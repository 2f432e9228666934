//! What each window may ask Rust for: exactly what its capability file lists, on the mock runtime with the real
//! permissions.

#![allow(clippy::expect_used)]

use std::collections::BTreeSet;

use serde_json::Value;
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, WebviewWindow, WebviewWindowBuilder};

/// The windows and the capability that is theirs.
const WINDOWS: [(&str, &str); 3] = [
    ("compose-7", include_str!("../src-tauri/capabilities/compose.json")),
    ("outbox", include_str!("../src-tauri/capabilities/outbox.json")),
    ("settings", include_str!("../src-tauri/capabilities/settings.json")),
];

/// Doors of Tauri and its plugins that stay shut for every window.
const SHUT: [&str; 14] = [
    "plugin:app|app_hide",
    "plugin:dialog|open",
    "plugin:dialog|save",
    "plugin:event|emit",
    "plugin:fs|read_file",
    "plugin:global-shortcut|register",
    "plugin:http|fetch",
    "plugin:menu|new",
    "plugin:path|resolve_directory",
    "plugin:shell|execute",
    "plugin:sql|execute",
    "plugin:tray|new",
    "plugin:webview|create_webview_window",
    "plugin:window|destroy",
];

fn app() -> App<MockRuntime> {
    outtray::furnish(mock_builder()).build(outtray::context()).expect("the app can be built")
}

fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, Default::default()).build().expect("a window")
}

fn ask(window: &WebviewWindow<MockRuntime>, command: &str, from: &str) -> Result<(), String> {
    let request = InvokeRequest {
        cmd: command.into(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: from.parse().expect("an address"),
        // There is no engine here: a command that is granted is reached, misses it and says so.
        body: InvokeBody::Json(serde_json::json!({ "none": true })),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(drop).map_err(|error| match error {
        Value::String(words) => words,
        other => other.to_string(),
    })
}

fn is_refused(answer: &Result<(), String>) -> bool {
    answer.as_ref().is_err_and(|words| words.contains("not allowed"))
}

fn granted(capability: &str) -> BTreeSet<String> {
    let capability: Value = serde_json::from_str(capability).expect("JSON");
    let permissions = capability["permissions"].as_array().expect("a list");
    permissions
        .iter()
        .map(|name| name.as_str().expect("a name"))
        .filter(|name| !name.starts_with("core:"))
        .map(|name| name.strip_prefix("allow-").expect("a grant").replace('-', "_"))
        .collect()
}

#[test]
fn a_window_is_granted_what_its_capability_lists_and_nothing_else() {
    let app = app();
    let all: BTreeSet<String> = WINDOWS.iter().flat_map(|(_, capability)| granted(capability)).collect();
    for (label, capability) in WINDOWS {
        let window = window(&app, label);
        let granted = granted(capability);
        for command in &all {
            if granted.contains(command) && ["app_quit", "window_close"].contains(&command.as_str()) {
                continue; // They would do what they say.
            }
            let answer = ask(&window, command, "tauri://localhost");
            assert_eq!(is_refused(&answer), !granted.contains(command), "{label} asks {command}: {answer:?}");
        }
    }
}

#[test]
fn every_other_door_is_shut() {
    let app = app();
    for (label, _) in WINDOWS {
        let window = window(&app, label);
        for command in SHUT {
            let answer = ask(&window, command, "tauri://localhost");
            assert!(answer.is_err(), "{label} asks {command}");
        }
    }
}

#[test]
fn a_window_nobody_knows_is_granted_nothing() {
    let app = app();
    for label in ["main", "compose", "outbox-2", "annotate"] {
        let window = window(&app, label);
        for command in ["draft_list", "entry_list", "app_quit", "plugin:event|listen"] {
            let answer = ask(&window, command, "tauri://localhost");
            assert!(is_refused(&answer), "{label} asks {command}: {answer:?}");
        }
    }
}

#[test]
fn a_page_from_elsewhere_is_granted_nothing() {
    let app = app();
    let window = window(&app, "compose-1");
    for from in
        ["https://evil.example", "http://localhost:1420", "file:///tmp/compose.html", "tauri://evil.example"]
    {
        let answer = ask(&window, "draft_list", from);
        assert!(answer.is_err(), "{from}: {answer:?}");
    }
}

#[test]
fn no_capability_is_wider_than_one_kind_of_window() {
    let files = std::fs::read_dir("src-tauri/capabilities").expect("the capabilities");
    let names: BTreeSet<_> =
        files.map(|file| file.expect("a file").file_name().into_string().expect("text")).collect();
    assert_eq!(names, ["compose.json", "outbox.json", "settings.json"].map(str::to_owned).into());
    for (_, capability) in WINDOWS {
        let capability: Value = serde_json::from_str(capability).expect("JSON");
        let identifier = capability["identifier"].as_str().expect("a name");
        let window = if identifier == "compose" { "compose-*" } else { identifier };
        assert_eq!(capability["windows"], serde_json::json!([window]));
        assert_eq!(capability.get("remote"), None);
        assert_eq!(capability.get("webviews"), None);
        let core: Vec<_> = capability["permissions"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|name| name.as_str().expect("a name").contains(':'))
            .cloned()
            .collect();
        assert_eq!(core, ["core:event:allow-listen", "core:event:allow-unlisten"], "{identifier}");
    }
}

#[test]
fn the_configuration_keeps_the_pages_ours() {
    let config: Value = serde_json::from_str(include_str!("../tauri.conf.json")).expect("JSON");
    let app = &config["app"];
    assert_eq!(app["withGlobalTauri"], false);
    assert_eq!(app["windows"], serde_json::json!([]), "windows are built in Rust, where they are fenced in");
    let security = &app["security"];
    assert_eq!(security["freezePrototype"], true);
    assert_eq!(security.get("assetProtocol"), None);
    assert_eq!(security.get("dangerousDisableAssetCspModification"), None);
    let csp = security["csp"].as_object().expect("a policy");
    assert_eq!(csp["default-src"], "'self'");
    for (directive, sources) in csp {
        let sources = sources.as_str().expect("text");
        assert!(!sources.contains("unsafe") && !sources.contains('*'), "{directive} {sources}");
        let remote =
            sources.split(' ').filter(|source| source.contains("://") && *source != "http://ipc.localhost");
        assert_eq!(remote.count(), 0, "{directive} {sources}");
    }
}
