//! What the tests lean on: the practice tracker, a small server that answers as Gitea does,
//! or another tracker, and misbehaves on request.
//!
//! Its HTTP is written by hand on purpose. A fault has to be exact to the byte: the connection ends after the head of
//! the request and not somewhere in it, the issue is there although its answer was not, bytes come late.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use outtray_support::{PracticeTracker, Route, What};
//!
//! let mut tracker = PracticeTracker::start().await?;
//! tracker.fault(Route::Create, What::CutAfterBody); // the next create happens, and its answer is lost
//! // … file an issue to `tracker.url()`, project `ada/demo`, token `outtray_support::TOKEN` …
//! assert_eq!(tracker.issues().len(), 1);
//! tracker.stop().await; // offline: the port refuses
//! tracker.wake().await?; // online again, same port, same issues
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod control;
mod dialect;
mod fault;
mod gitea;
mod github;
mod gitlab;
mod multipart;
mod pages;
mod proxy;
mod redmine;
mod server;
mod state;
mod tls;
mod webhook;
mod wire;

pub use dialect::Dialect;
pub use fault::{Fault, Route, What};
pub use proxy::{Break, Proxy};
pub use server::PracticeTracker;
pub use state::{Asset, Issue, Logged, Project, Stored, TOKEN, Template};
pub use tls::{Secure, Tunnel};
