//! The application on a desk, driven as a person drives it: by what stands on buttons and fields.

use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::kept::{Kept, children_of, is_alive, signal};
use crate::webdriver::{Element, Refusal, Session, answers, free_port};
use crate::{until, until_so};

/// The application, from its start to its end.
pub struct App<'desk> {
    session: Session,
    driver: Kept,
    pid: u32,
    desk: &'desk Desk,
}

/// One of its windows.
pub struct Window<'app> {
    app: &'app App<'app>,
    handle: String,
}

impl<'desk> App<'desk> {
    /// Starts it, and returns when its first window is there.
    pub fn start(desk: &'desk Desk) -> Self {
        Self::start_with(desk, &[])
    }

    /// Starts it with arguments.
    pub fn start_with(desk: &'desk Desk, arguments: &[&str]) -> Self {
        let port = free_port();
        let mut driver = Kept::start("WebKitWebDriver", &desk.folder().join("outtray.log"), |command| {
            command.arg(format!("--port={port}")).envs(desk.environment());
        });
        until_so("the driver", || {
            assert!(driver.is_running(), "the driver ended at once");
            answers(port)
        });
        let program = Desk::program("outtray");
        let started = Session::start(port, &program.to_string_lossy(), arguments);
        let session = started.unwrap_or_else(|refusal| panic!("the application does not start: {refusal:?}"));
        let pid = until("the application's process", || children_of(driver.pid()).first().copied());
        Self { session, driver, pid, desk }
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        is_alive(self.pid)
    }

    /// Ends it in the middle of whatever it does, as a power cut does.
    pub fn kill(self) {
        signal(self.pid, Signal::KILL);
        self.wait();
    }

    /// Asks it to end, as a log-out does.
    pub fn terminate(&self) {
        signal(self.pid, Signal::TERM);
    }

    /// Waits until it has ended.
    pub fn wait(self) {
        until_so("the application to end", || !self.is_running());
    }

    /// How many windows a person could look at.
    pub fn count(&self) -> usize {
        self.handles().len()
    }

    /// The window that shows this page (`compose`, `outbox`, `settings`), once it is there.
    pub fn window(&self, page: &str) -> Window<'_> {
        until(&format!("the {page} window"), || self.find(page, &[]))
    }

    /// A window that shows this page and is none of those.
    pub fn another_window(&self, page: &str, known: &[&Window<'_>]) -> Window<'_> {
        until(&format!("another {page} window"), || self.find(page, known))
    }

    /// Whether a window shows this page now.
    pub fn shows(&self, page: &str) -> bool {
        self.find(page, &[]).is_some()
    }

    fn find(&self, page: &str, known: &[&Window<'_>]) -> Option<Window<'_>> {
        let name = format!("/{page}.html");
        let is_new = |handle: &String| known.iter().all(|window| window.handle != *handle);
        self.handles().into_iter().filter(is_new).find_map(|handle| {
            // It may be closed between two questions.
            self.session.switch_to(&handle).ok()?;
            let address = self.session.get("url").ok()?;
            address.as_str()?.contains(&name).then_some(Window { app: self, handle })
        })
    }

    fn handles(&self) -> Vec<String> {
        self.session.windows().unwrap_or_default()
    }
}

impl Drop for App<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.desk.look("when-it-went-wrong");
        }
        if self.is_running() {
            self.session.end();
            signal(self.pid, Signal::KILL);
        }
        debug_assert!(self.driver.pid() != self.pid, "the driver ends after the application");
    }
}

/// Finds a visible part of the page by its kind and its name, or else the beginning of its name, as a screen reader
/// would say it.
const FIND: &str = r"
const [kinds, name] = arguments;
const plain = text => (text || '').replace(/[\s\u00a0]+/g, ' ').trim();
const byId = ids => (ids || '').split(' ').map(id => document.getElementById(id)?.textContent).join(' ');
const named = part => plain(part.getAttribute('aria-label') || byId(part.getAttribute('aria-labelledby'))
  || [...(part.labels || [])].map(label => label.textContent).join(' ') || part.textContent
  || part.getAttribute('placeholder') || part.title);
const usable = [...document.querySelectorAll(kinds)].filter(part =>
  part.getClientRects().length && !part.disabled && part.getAttribute('aria-disabled') !== 'true');
return usable.find(part => named(part) === name) || usable.find(part => named(part).startsWith(name)) || null;";

/// Empties the field that is found.
const EMPTY: &str = r"
const field = find.apply(null, arguments);
field.focus();
field.value = '';
field.dispatchEvent(new InputEvent('input', { bubbles: true }));";

/// Picks an option in the list that is found; says whether it is there.
const OPTION: &str = r"
const list = find.apply(null, arguments);
const option = [...(list?.options ?? [])].find(option => option.textContent.trim() === arguments[2]);
if (!option) return false;
list.focus();
option.selected = true;
list.dispatchEvent(new Event('input', { bubbles: true }));
list.dispatchEvent(new Event('change', { bubbles: true }));
return true;";

const BUTTONS: &str = "button, [role=button], a[href], [role=menuitem], [role=option], [role=tab], summary";
const FIELDS: &str = "input, textarea, select, [role=combobox], [contenteditable=true]";

impl Window<'_> {
    /// Everything that can be read in it, with plain spaces.
    pub fn text(&self) -> String {
        let said = self.run("return document.body.innerText", &json!([]));
        said.as_str().unwrap_or_default().replace('\u{a0}', " ")
    }

    /// Whether these words can be read in it.
    pub fn says(&self, words: &str) -> bool {
        self.text().contains(words)
    }

    /// Waits until these words can be read in it.
    pub fn wait_for(&self, words: &str) {
        until_so(&format!("the words “{words}” in a window"), || self.says(words));
    }

    /// Whether it is still there.
    pub fn is_open(&self) -> bool {
        self.app.handles().contains(&self.handle)
    }

    /// Whether there is such a button, and it can be pressed.
    pub fn has_button(&self, name: &str) -> bool {
        self.find(BUTTONS, name).is_some()
    }

    /// Presses the button that is named so, or whose name begins so, once it can be pressed.
    pub fn press(&self, button: &str) {
        self.act(&format!("a button “{button}”"), |session| {
            let element = self.find(BUTTONS, button)?;
            session.click(&element).ok()
        });
    }

    /// Presses a button in one part of the page, such as `form.add`: others may be named so elsewhere.
    pub fn press_in(&self, part: &str, button: &str) {
        let kinds = format!("{part} button");
        self.act(&format!("a button “{button}” in {part}"), |session| {
            session.click(&self.find(&kinds, button)?).ok()
        });
    }

    /// Types into the field that is named so, or whose name begins so, once it is there.
    pub fn write(&self, field: &str, text: &str) {
        self.act(&format!("a field “{field}”"), |session| {
            let element = self.find(FIELDS, field)?;
            session.type_into(&element, text).ok()
        });
    }

    /// Empties a field and types into it.
    pub fn fill(&self, field: &str, text: &str) {
        self.run(&format!("const find = () => {{ {FIND} }}; {EMPTY}"), &json!([FIELDS, field]));
        self.write(field, text);
    }

    /// Picks an option of the list that is named so.
    pub fn choose(&self, list: &str, option: &str) {
        // The list that the toolkit draws is no part of the page, so no driver can press in it.
        self.act(&format!("the option “{option}” of “{list}”"), |_| {
            let script = format!("const find = () => {{ {FIND} }}; {OPTION}");
            let picked = self.try_run(&script, &json!(["select", list, option])).ok()?;
            picked.as_bool()?.then_some(())
        });
    }

    /// What stands in the field whose name begins so.
    pub fn written(&self, field: &str) -> Option<String> {
        let value = self.run(
            &format!("const find = () => {{ {FIND} }}; return find.apply(null, arguments)?.value ?? null"),
            &json!([FIELDS, field]),
        );
        value.as_str().map(str::to_owned)
    }

    /// Presses keys together, such as Control and Enter.
    pub fn chord(&self, keys: &[char]) {
        self.act("keys to be taken", |session| session.press_together(keys).ok());
    }

    /// How many parts of the page match, such as pictures that have loaded.
    pub fn count(&self, script: &str) -> u64 {
        self.run(script, &json!([])).as_u64().unwrap_or_default()
    }

    /// Runs a function's body in the page.
    ///
    /// # Panics
    /// When it throws, or the window is gone.
    pub fn run(&self, script: &str, arguments: &Value) -> Value {
        self.try_run(script, arguments)
            .unwrap_or_else(|refusal| panic!("{}: {}", refusal.code, refusal.words))
    }

    /// Keeps a picture of the screen in the journey's folder, once this window has been drawn.
    pub fn look(&self, name: &str) -> PathBuf {
        let drawn = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));";
        self.act("the window to be drawn", |session| {
            session.post("execute/async", &json!({ "script": drawn, "args": [] })).ok().map(drop)
        });
        self.app.desk.look(name)
    }

    fn try_run(&self, script: &str, arguments: &Value) -> Result<Value, Refusal> {
        self.app.session.switch_to(&self.handle)?;
        self.app.session.run(script, arguments)
    }

    fn find(&self, kinds: &str, name: &str) -> Option<Element> {
        // While a page loads, there is nothing to run a script in.
        Element::of(&self.try_run(FIND, &json!([kinds, name])).ok()?)
    }

    /// Acts until it is done: what was found may be drawn anew before it is touched.
    fn act(&self, what: &str, act: impl Fn(&Session) -> Option<()>) {
        until(what, || {
            self.app.session.switch_to(&self.handle).ok()?;
            act(&self.app.session)
        });
    }
}
