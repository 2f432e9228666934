//! Where tokens come from. The engine asks; the shell's keyring file, or the environment, answers.

use async_trait::async_trait;
use secrecy::SecretString;
use sha2::{Digest, Sha256};

use crate::problem::Result;

/// Gives and keeps the token of a destination. Implementations answer within 5 s.
#[async_trait]
pub trait Secrets: Send + Sync + 'static {
    /// Says whose destinations the names are of: two stores may each have a destination of the same name, and must
    /// never find each other's tokens. Said once, before anything is asked.
    fn belong_to(&self, _store_id: &str) {}

    /// Returns the token kept for the destination called `name`, or nothing.
    ///
    /// # Errors
    /// `Code::Keyring` when the store is locked, missing or silent.
    async fn token(&self, name: &str) -> Result<Option<SecretString>>;

    /// Keeps `token` for the destination called `name`.
    ///
    /// # Errors
    /// `Code::Keyring` when nothing safe can keep it.
    async fn keep(&self, name: &str, token: SecretString) -> Result<()>;

    /// Forgets the token of the destination called `name`; forgetting what is not there is fine.
    ///
    /// # Errors
    /// `Code::Keyring` when the store does not answer.
    async fn forget(&self, name: &str) -> Result<()>;
}

/// The name of the environment variable that may carry the token of the destination called `name`.
pub fn variable(name: &str) -> String {
    let upper: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("OUTTRAY_TOKEN_{upper}")
}

/// Returns the token that the environment carries for the destination called `name`.
pub fn from_environment(name: &str) -> Option<SecretString> {
    std::env::var(variable(name))
        .ok()
        .filter(|token| !token.trim().is_empty())
        .map(|token| token.trim().into())
}

/// Returns a short fingerprint of a token, salted with the store's id: enough to see that a token has
/// changed, too short to find it again.
pub fn mark(store_id: &str, token: &str) -> String {
    let digest = Sha256::new().chain_update(store_id).chain_update([0]).chain_update(token).finalize();
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Tokens from the environment only: what scripts and tests use.
#[derive(Debug, Default, Clone, Copy)]
pub struct Environment;

#[async_trait]
impl Secrets for Environment {
    async fn token(&self, name: &str) -> Result<Option<SecretString>> {
        Ok(from_environment(name))
    }

    async fn keep(&self, name: &str, _token: SecretString) -> Result<()> {
        Err(crate::Problem::new(crate::Code::Keyring, "No keyring answers here.")
            .hint(format!("Set {} instead.", variable(name))))
    }

    async fn forget(&self, _name: &str) -> Result<()> {
        Ok(())
    }
}
