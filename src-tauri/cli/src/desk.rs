//! What every act works with.

use std::sync::Arc;

use outtray_core::Engine;
use outtray_core::engine::Options;
use outtray_core::problem::Result;
use outtray_core::secrets::Secrets;
use outtray_core::{Code, Problem};
use outtray_secrets::Keyring;

use crate::output::Output;

/// An open engine, and where to tell what came of it.
pub(crate) struct Desk<'a> {
    pub(crate) engine: Engine,
    pub(crate) secrets: Arc<dyn Secrets>,
    pub(crate) output: &'a Output,
}

impl<'a> Desk<'a> {
    /// Opens the engine where the environment says. Nothing is delivered by that.
    pub(crate) fn open(output: &'a Output) -> Result<Self> {
        let options = options();
        let secrets = Arc::clone(&options.secrets);
        Ok(Self { engine: Engine::open(options)?, secrets, output })
    }
}

/// The usual places, with tokens from the environment and the keyring.
pub(crate) fn options() -> Options {
    Options { secrets: Arc::new(Keyring::for_a_command()), ..Options::from_environment() }
}

/// Runs what may block for long, such as reading from a pipe, so that a signal is still heard.
pub(crate) async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| Problem::new(Code::Internal, "outtrayctl could not read that.").because(error))?
}
