//! Tokens of destinations, kept in the keyring of the desktop.
//!
//! *Authoritative*: the environment (`OUTTRAY_TOKEN_<NAME>`) first, then, in a process that lives for a while, what was
//! given to it while no keyring was there, then the keyring. Nothing read is remembered here: another process may keep
//! a newer token at any time, and an old one from memory would be taken for a change.
//!
//! *Timing*: a keyring may wait for a person to unlock it, or hang for ever. It is asked on a thread of its own, each
//! answer is awaited for five seconds, and while a call hangs the next ones are refused at once.
//!
//! *Never*: a file. Where nothing safe can keep a token, that is said in words, with the variable to set.

mod clerk;
mod vault;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use outtray_core::problem::Result;
use outtray_core::secrets::{Secrets, from_environment, variable};
use outtray_core::{Code, Problem};
use secrecy::SecretString;

use clerk::Clerk;
pub use vault::{Refusal, Vault};

/// How long an answer of the keyring is awaited.
const LIMIT: Duration = Duration::from_secs(5);

/// Tokens from the environment, this session's memory and the keyring.
pub struct Keyring {
    clerk: Clerk,
    session: Option<Mutex<HashMap<String, SecretString>>>,
    /// The store whose destinations the names are of.
    store: OnceLock<String>,
}

impl Keyring {
    /// For a process that ends soon, such as a command: what no keyring can keep is refused.
    pub fn for_a_command() -> Self {
        Self::with_vault(Box::new(vault::Desktop::default()), LIMIT)
    }

    /// For a process that lives as long as the session: what no keyring can keep stays in its memory.
    pub fn for_a_session() -> Self {
        Self { session: Some(Mutex::default()), ..Self::for_a_command() }
    }

    /// Over another vault, with another limit: for tests.
    pub fn with_vault(vault: Box<dyn Vault>, limit: Duration) -> Self {
        Self { clerk: Clerk::new(vault, limit), session: None, store: OnceLock::new() }
    }

    /// The same with a memory for this session: for tests.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { session: Some(Mutex::default()), ..self }
    }

    /// Whether the token of the destination called `name` is known to this process only, and gone when it ends.
    pub fn is_for_this_session_only(&self, name: &str) -> bool {
        from_environment(name).is_none() && self.session().is_some_and(|session| session.contains_key(name))
    }

    /// What a token is called in the keyring, which every store of this person shares.
    fn called(&self, name: &str) -> String {
        self.store.get().map_or_else(|| name.to_owned(), |store| format!("{name}@{store}"))
    }

    fn session(&self) -> Option<MutexGuard<'_, HashMap<String, SecretString>>> {
        self.session.as_ref().map(|session| session.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Secrets for Keyring {
    fn belong_to(&self, store_id: &str) {
        let _already_said = self.store.set(store_id.to_owned());
    }

    async fn token(&self, name: &str) -> Result<Option<SecretString>> {
        if let Some(token) = from_environment(name) {
            return Ok(Some(token));
        }
        if let Some(token) = self.session().and_then(|session| session.get(name).cloned()) {
            return Ok(Some(token));
        }
        let asked = self.called(name);
        self.clerk.ask(move |vault| vault.read(&asked)).await.map_err(|refusal| problem(refusal, name))
    }

    async fn keep(&self, name: &str, token: SecretString) -> Result<()> {
        let (asked, copy) = (self.called(name), token.clone());
        let kept = self.clerk.ask(move |vault| vault.write(&asked, &copy)).await;
        match (kept, self.session()) {
            (Ok(()), session) => {
                if let Some(mut session) = session {
                    session.remove(name);
                }
                Ok(())
            }
            (Err(Refusal::Missing(_)), Some(mut session)) => {
                session.insert(name.to_owned(), token);
                Ok(())
            }
            (Err(refusal), _) => Err(problem(refusal, name)),
        }
    }

    async fn forget(&self, name: &str) -> Result<()> {
        if let Some(mut session) = self.session() {
            session.remove(name);
        }
        let asked = self.called(name);
        match self.clerk.ask(move |vault| vault.erase(&asked)).await {
            // Where there is no keyring, nothing can have been kept in it.
            Ok(()) | Err(Refusal::Missing(_)) => Ok(()),
            Err(refusal) => Err(problem(refusal, name)),
        }
    }
}

/// Says in words why the keyring did not do it.
fn problem(refusal: Refusal, name: &str) -> Problem {
    let variable = variable(name);
    let (message, hint, cause) = match refusal {
        Refusal::Missing(cause) => ("No keyring answers here.", format!("Set {variable} instead."), cause),
        Refusal::Locked(cause) => {
            ("The keyring is locked.", format!("Unlock it and try again, or set {variable}."), cause)
        }
        Refusal::Silent => (
            "The keyring does not answer.",
            format!("See whether it waits for you to unlock it, or set {variable}."),
            "no answer in time".to_owned(),
        ),
        Refusal::Other(cause) => {
            ("The keyring did not do what was asked.", format!("Try again, or set {variable}."), cause)
        }
    };
    Problem::new(Code::Keyring, message).hint(hint).because(cause)
}
