//! As much of WebDriver as the journeys need, spoken to `WebKitWebDriver` over plain HTTP on this computer.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// The name under which WebDriver hands an element over.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Why the driver did not do it: WebDriver's own code (`no such window`), and its words.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) words: String,
}

type Answer<T> = Result<T, Refusal>;

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("there are free ports");
    listener.local_addr().expect("it listens").port()
}

/// Whether a driver answers on this port.
pub(crate) fn answers(port: u16) -> bool {
    call(port, "GET", "/status", None).is_ok()
}

/// One application under the driver's hands.
pub(crate) struct Session {
    port: u16,
    path: String,
}

impl Session {
    /// Lets the driver start this program.
    pub(crate) fn start(port: u16, program: &str, arguments: &[&str]) -> Answer<Self> {
        let options = json!({ "binary": program, "args": arguments });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "webkitgtk:browserOptions": options } } });
        let started = call(port, "POST", "/session", Some(&wanted))?;
        let id = started["sessionId"].as_str().unwrap_or_default();
        Ok(Self { port, path: format!("/session/{id}") })
    }

    pub(crate) fn get(&self, what: &str) -> Answer<Value> {
        call(self.port, "GET", &format!("{}/{what}", self.path), None)
    }

    pub(crate) fn post(&self, what: &str, body: &Value) -> Answer<Value> {
        call(self.port, "POST", &format!("{}/{what}", self.path), Some(body))
    }

    pub(crate) fn end(&self) {
        // The application may be gone already, and the session with it.
        let _ = call(self.port, "DELETE", &self.path, None);
    }

    pub(crate) fn windows(&self) -> Answer<Vec<String>> {
        let handles = self.get("window/handles")?;
        Ok(handles
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect())
    }

    pub(crate) fn switch_to(&self, window: &str) -> Answer<()> {
        self.post("window", &json!({ "handle": window })).map(drop)
    }

    /// Runs a function's body in the window; an element comes back as an [`Element`]'s number.
    pub(crate) fn run(&self, script: &str, arguments: &Value) -> Answer<Value> {
        self.post("execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Presses keys, one after the other while those before are held, and lets go of all.
    pub(crate) fn press_together(&self, keys: &[char]) -> Answer<()> {
        let act = |kind: &str, key: &char| json!({ "type": kind, "value": key });
        let down = keys.iter().map(|key| act("keyDown", key));
        let acts: Vec<Value> = down.chain(keys.iter().rev().map(|key| act("keyUp", key))).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": acts });
        self.post("actions", &json!({ "actions": [keyboard] })).map(drop)
    }

    pub(crate) fn click(&self, element: &Element) -> Answer<()> {
        self.post(&format!("element/{}/click", element.0), &json!({})).map(drop)
    }

    pub(crate) fn type_into(&self, element: &Element, text: &str) -> Answer<()> {
        self.post(&format!("element/{}/value", element.0), &json!({ "text": text })).map(drop)
    }
}

/// A part of a page.
pub(crate) struct Element(String);

impl Element {
    pub(crate) fn of(value: &Value) -> Option<Self> {
        value[ELEMENT].as_str().map(|number| Self(number.to_owned()))
    }
}

fn call(port: u16, method: &str, path: &str, body: Option<&Value>) -> Answer<Value> {
    let answer = exchange(port, method, path, body)
        .map_err(|error| Refusal { code: "no driver".to_owned(), words: error.to_string() })?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let mut answer: Value = serde_json::from_str(body).unwrap_or_default();
    let value = answer["value"].take();
    if head.split(' ').nth(1) == Some("200") {
        return Ok(value);
    }
    let told = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    Err(Refusal { code: told("error"), words: told("message") })
}

/// One request on a connection of its own; returns the whole answer.
fn exchange(port: u16, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<String> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
