//! The keyring itself: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.

use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};
use secrecy::{ExposeSecret, SecretString};

/// What the keyring knows us as.
const SERVICE: &str = "outtray";

/// Something that keeps tokens by name. Its calls may block, for ever if need be.
pub trait Vault: Send + 'static {
    /// Returns the token called `name`, or nothing.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn read(&mut self, name: &str) -> Result<Option<SecretString>, Refusal>;

    /// Keeps a token, in place of an older one.
    ///
    /// # Errors
    /// Why it was not kept.
    fn write(&mut self, name: &str, token: &SecretString) -> Result<(), Refusal>;

    /// Erases a token; erasing what is not there is fine.
    ///
    /// # Errors
    /// Why it may be there still.
    fn erase(&mut self, name: &str) -> Result<(), Refusal>;
}

/// Why a keyring did not do what was asked; with the cause, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is none.
    Missing(String),
    /// It is locked, and stays so.
    Locked(String),
    /// It did not answer in time.
    Silent,
    /// Anything else.
    Other(String),
}

/// The keyring of the desktop. The connection is made when it is first needed, and made anew when it breaks: a keyring
/// may start after us, and be started again.
///
/// Asking a locked keyring has the desktop ask the person. Who has declined is not asked again by every look: until the
/// keyring is unlocked, it is only looked whether it is.
#[derive(Default)]
pub(crate) struct Desktop {
    store: Option<Arc<CredentialStore>>,
    /// The person has declined to unlock it.
    declined: bool,
}

impl Vault for Desktop {
    fn read(&mut self, name: &str) -> Result<Option<SecretString>, Refusal> {
        if self.declined && is_locked(name) {
            return Err(Refusal::Locked("it is still locked".to_owned()));
        }
        let read = match self.on(name, Entry::get_password) {
            Ok(token) => Ok(Some(token.into())),
            Err(Failure::Said(Error::NoEntry)) => Ok(None),
            Err(failure) => Err(failure.into()),
        };
        self.declined = matches!(read, Err(Refusal::Locked(_)));
        read
    }

    fn write(&mut self, name: &str, token: &SecretString) -> Result<(), Refusal> {
        Ok(self.on(name, |entry| entry.set_password(token.expose_secret()))?)
    }

    fn erase(&mut self, name: &str) -> Result<(), Refusal> {
        match self.on(name, Entry::delete_credential) {
            Ok(()) | Err(Failure::Said(Error::NoEntry)) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }
}

enum Failure {
    /// No keyring could be reached.
    Missing(Error),
    /// The keyring said so.
    Said(Error),
}

impl Desktop {
    /// Does `act` on the entry called `name`; once more over a new connection, when an older one turns out to be broken.
    fn on<T>(&mut self, name: &str, act: impl Fn(&Entry) -> keyring_core::Result<T>) -> Result<T, Failure> {
        let was_connected = self.store.is_some();
        let done = self.once(name, &act);
        if !matches!(done, Err(Failure::Said(Error::PlatformFailure(_)))) {
            return done;
        }
        self.store = None;
        if was_connected { self.once(name, &act) } else { done }
    }

    fn once<T>(&mut self, name: &str, act: impl Fn(&Entry) -> keyring_core::Result<T>) -> Result<T, Failure> {
        let store = match &self.store {
            Some(store) => Arc::clone(store),
            None => Arc::clone(self.store.insert(connect().map_err(Failure::Missing)?)),
        };
        store.build(SERVICE, name, None).and_then(|entry| act(&entry)).map_err(Failure::Said)
    }
}

/// Whether the token called `name` lies in the keyring, locked. Nobody is asked to unlock it.
#[cfg(all(unix, not(target_os = "macos")))]
fn is_locked(name: &str) -> bool {
    use secret_service::EncryptionType;
    use secret_service::blocking::SecretService;
    let attributes = std::collections::HashMap::from([("service", SERVICE), ("username", name)]);
    // Nothing secret is carried, so nothing has to be encrypted.
    SecretService::connect(EncryptionType::Plain)
        .and_then(|keyring| Ok(!keyring.search_items(attributes)?.locked.is_empty()))
        .unwrap_or(false)
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn is_locked(_name: &str) -> bool {
    false
}

fn connect() -> keyring_core::Result<Arc<CredentialStore>> {
    #[cfg(all(unix, not(target_os = "macos")))]
    let store = zbus_secret_service_keyring_store::Store::new()?;
    #[cfg(target_os = "macos")]
    let store = apple_native_keyring_store::keychain::Store::new()?;
    #[cfg(windows)]
    let store = windows_native_keyring_store::Store::new()?;
    Ok(store)
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Missing(error) => Self::Missing(error.to_string()),
            Failure::Said(error @ Error::NoStorageAccess(_)) => Self::Locked(error.to_string()),
            // What was found could be a secret, so the error's own words are not repeated.
            Failure::Said(Error::BadEncoding(_) | Error::BadDataFormat(..)) => {
                Self::Other("what is kept there is no text".to_owned())
            }
            Failure::Said(error) => Self::Other(error.to_string()),
        }
    }
}
