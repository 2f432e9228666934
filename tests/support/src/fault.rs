//! What can go wrong, on which request.

use serde::{Deserialize, Serialize};

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Whatever comes next (the control interface excepted).
    Any,
    /// `GET /version`.
    Version,
    /// `GET /user`.
    User,
    /// `GET /repos/{owner}/{repo}`.
    Project,
    /// `GET …/labels`, of a project or an organisation.
    Labels,
    /// `GET …/milestones`, or versions.
    Milestones,
    /// `GET …/assignees`, or members.
    Assignees,
    /// Issue templates, the list and each of them.
    Templates,
    /// `GET /user/repos`, or projects.
    Projects,
    /// `POST …/issues`.
    Create,
    /// `GET …/issues`.
    List,
    /// `GET …/issues/{n}`.
    Read,
    /// A change of an issue: `PATCH …/issues/{n}`, or `PUT`.
    Embed,
    /// `POST …/issues/{n}/assets`.
    Upload,
    /// `GET …/issues/{n}/assets`.
    Assets,
    /// `GET /settings/…`.
    Settings,
    /// `GET /personal_access_tokens/self`.
    Token,
    /// A file's own row, or a file on a branch.
    File,
    /// Pages and pictures for people.
    Page,
}

/// What goes wrong. "Happens" means that the issue, asset or change is there afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// The connection ends before anything is read (with another route than `Any`: after the head).
    Drop,
    /// The connection ends after the request's head; nothing happens.
    CutAfterHead,
    /// The connection ends after the request's body; it happens, and nobody hears of it.
    CutAfterBody,
    /// It happens, and the connection ends after so many bytes of the answer.
    CutAfterAnswer {
        /// Head included.
        bytes: usize,
    },
    /// A 5xx in JSON; nothing happens.
    TroubleBefore {
        /// Such as 503.
        status: u16,
    },
    /// A 5xx in JSON; it happens all the same.
    TroubleAfter {
        /// Such as 500.
        status: u16,
    },
    /// A proxy's page; nothing happens.
    Html {
        /// Such as 502 or 413.
        status: u16,
    },
    /// A proxy's page, for which the server behind it took too long; it happens all the same.
    HtmlAfter {
        /// Such as 502 or 504.
        status: u16,
    },
    /// A portal's sign-in page with a 200; nothing happens.
    LoginPage,
    /// A 201 in JSON that lacks number and link; nothing happens.
    NoId,
    /// It happens, and the answer's link names another host.
    ForeignLink,
    /// A 401; nothing happens.
    Unauthorized,
    /// A 403 in JSON; nothing happens.
    Forbidden {
        /// Its message.
        message: String,
    },
    /// A 422 in JSON; nothing happens.
    Invalid {
        /// Its message.
        message: String,
    },
    /// A 429; nothing happens.
    RateLimit {
        /// As the header is to say.
        retry_after: Option<String>,
    },
    /// A redirect; nothing happens.
    Redirect {
        /// 301, 302, 303, 307 or 308.
        code: u16,
        /// `Location`.
        to: String,
    },
    /// Any answer word for word; nothing happens.
    Raw {
        /// With status line, head and body.
        answer: String,
    },
    /// It happens after a pause, then the answer comes.
    DelayBefore {
        /// Of the pause.
        ms: u64,
    },
    /// It happens, then comes a pause, then the answer.
    DelayAfter {
        /// Of the pause.
        ms: u64,
    },
    /// The request is read, and then nothing, until the client goes.
    Stall,
    /// The head is read, and then nothing, until the client resets the connection.
    StallUnread,
    /// The head is read; the body only after a pause, as far as it still comes. Then all goes as usual.
    ReadLate {
        /// Of the pause.
        ms: u64,
    },
    /// The answer comes byte by byte.
    Trickle {
        /// Between two bytes.
        ms: u64,
    },
    /// The connection ends after the request's body; it happens later.
    CommitLate {
        /// So much later.
        ms: u64,
    },
    /// It happens and is answered as usual; the new issue or asset shows in lists only later.
    ListLag {
        /// So much later.
        ms: u64,
    },
}

/// One scripted fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// On which request.
    pub on: Route,
    /// What goes wrong.
    #[serde(flatten)]
    pub what: What,
    /// How often.
    #[serde(default = "once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

/// Takes the first fault for a request of this kind off the queue.
pub(crate) fn take(queue: &mut Vec<Fault>, route: Route) -> Option<What> {
    let at = queue.iter().position(|fault| fault.on == route || fault.on == Route::Any)?;
    let fault = &mut queue[at];
    fault.times = fault.times.saturating_sub(1);
    let what = fault.what.clone();
    if fault.times == 0 {
        queue.remove(at);
    }
    Some(what)
}
