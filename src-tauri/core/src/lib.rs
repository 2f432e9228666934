//! Outtray's engine: what a person files is kept safe here and delivered exactly once.
//!
//! Nothing in this crate knows of windows, the tray or Tauri. `ARCHITECTURE.md` is the map.

pub mod archive;
pub mod attention;
pub mod capture;
pub mod clock;
pub mod drainer;
pub mod engine;
#[cfg(feature = "faults")]
pub mod fault;
#[cfg(not(feature = "faults"))]
mod fault;
pub mod issue;
pub mod outbox;
pub mod problem;
pub mod secrets;
pub mod settings;
pub mod store;
pub mod tracker;
pub mod view;

pub use engine::Engine;
pub use problem::{Code, Problem};
