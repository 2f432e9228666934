//! The engine's verbs for destinations and settings.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use super::Engine;
use super::typed::{read, tested};
use crate::issue::Destination;
use crate::problem::{Code, Problem, Result};
use crate::secrets::{mark, variable};
use crate::tracker::{self, Limits, Reply};
use crate::view::{DestinationView, NewDestination, SettingView, Tested};

impl Engine {
    /// All destinations, the default first.
    ///
    /// # Errors
    /// What the store says.
    pub fn destinations(&self) -> Result<Vec<DestinationView>> {
        self.0.outbox.destinations(&self.0.clock.now())
    }

    /// The proper name of the destination called `name`, in whatever case.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn destination_called(&self, name: &str) -> Result<String> {
        Ok(self.0.outbox.destination(name)?.name)
    }

    /// Adds a destination; needs no network. A token goes to where tokens are kept; when it cannot be kept, nothing is
    /// added.
    ///
    /// # Errors
    /// `Invalid` in words for what was typed, `Refused` for a name that is taken or would share the variable of its token,
    /// `Keyring` when the token cannot be kept.
    pub async fn add_destination(
        &self,
        new: &NewDestination,
        token: Option<SecretString>,
    ) -> Result<DestinationView> {
        let new = read(new)?;
        self.refuse_shared_variable(&new)?;
        let added = self.0.outbox.add_destination(&new, &self.0.clock.now())?;
        if let Some(token) = token
            && let Err(problem) = self.sign_in(&added.name, token).await
        {
            // Without its token the person would find a destination that does not work and a name that is taken.
            self.0.outbox.remove_destination(&added.name, &self.0.clock.now())?;
            return Err(problem);
        }
        self.view_of(&added.name)
    }

    fn view_of(&self, name: &str) -> Result<DestinationView> {
        let mut views = self.destinations()?.into_iter();
        views
            .find(|view| view.name == name)
            .ok_or_else(|| Problem::new(Code::NotFound, "The destination was removed meanwhile."))
    }

    /// Two destinations with one variable would send the token of the one to the host of the other.
    fn refuse_shared_variable(&self, new: &Destination) -> Result<()> {
        let shared = variable(&new.name);
        let others = self.destinations()?.into_iter().filter(|other| other.tracker.takes_token());
        let clash = others.map(|other| other.name).find(|name| variable(name) == shared);
        match clash.filter(|name| new.tracker.takes_token() && !name.eq_ignore_ascii_case(&new.name)) {
            Some(other) => Err(Problem::new(
                Code::Refused,
                format!("{} and {other} would share the token in {shared}.", new.name),
            )
            .hint("Give this one a name that differs in a letter or a digit.")),
            None => Ok(()),
        }
    }

    /// Names the PEM file with certificates that are trusted at a destination besides this computer's own, or none.
    ///
    /// # Errors
    /// `NotFound`, `Invalid` for what says not where it is, or `Refused` for a folder.
    pub fn set_ca(&self, name: &str, ca: Option<&str>) -> Result<DestinationView> {
        let ca = ca.map(super::typed::ca).transpose()?;
        let changed = self.0.outbox.set_ca(name, ca.as_deref())?;
        self.view_of(&changed.name)
    }

    /// Makes a destination the default: where a new issue goes unless the person says otherwise.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn set_default_destination(&self, name: &str) -> Result<()> {
        self.0.outbox.set_default_destination(name)
    }

    /// Takes a destination away, and forgets its token.
    ///
    /// # Errors
    /// `NotFound`, or `Refused` while something is still to be filed there.
    pub async fn remove_destination(&self, name: &str) -> Result<()> {
        let removed = self.0.outbox.remove_destination(name, &self.0.clock.now())?;
        if removed.tracker.takes_token() {
            self.0.secrets.forget(&removed.name).await?;
        }
        Ok(())
    }

    /// Asks a destination who we are there and whether we may file. A test that works ends a sign-in hold.
    ///
    /// # Errors
    /// `NotFound`, or `Keyring`.
    pub async fn test_destination(&self, name: &str) -> Result<Tested> {
        let destination = self.0.outbox.destination(name)?;
        let token = if destination.tracker.takes_token() {
            self.0.secrets.token(&destination.name).await?
        } else {
            None
        };
        if destination.tracker.needs_token() && token.is_none() {
            return Ok(Tested {
                works: false,
                words: format!("No token for {} is kept on this computer.", destination.name),
                hint: Some(format!("Sign in, or set {}.", variable(&destination.name))),
            });
        }
        let answer = self.ask(&destination, token.clone()).await;
        if let Ok(account) = &answer {
            if let Some(token) = &token {
                let mark = mark(self.0.outbox.store().id(), token.expose_secret());
                self.0.outbox.credential_seen(destination.id, &mark)?;
            }
            self.0.outbox.signed_in(destination.id, account.login.as_deref())?;
        }
        Ok(tested(answer, &destination, true))
    }

    /// Tests what a person has typed, before it is added.
    ///
    /// # Errors
    /// `Invalid` in words for what was typed.
    pub async fn try_destination(&self, new: &NewDestination, token: Option<SecretString>) -> Result<Tested> {
        let destination = read(new)?;
        let token = match token {
            Some(token) => Some(token),
            None if destination.tracker.takes_token() => crate::secrets::from_environment(&destination.name),
            None => None,
        };
        if destination.tracker.needs_token() && token.is_none() {
            return Ok(Tested {
                works: false,
                words: "A token is needed.".to_owned(),
                hint: Some("Paste one.".to_owned()),
            });
        }
        let answer = self.ask(&destination, token).await;
        Ok(tested(answer, &destination, false))
    }

    async fn ask(
        &self,
        destination: &Destination,
        token: Option<SecretString>,
    ) -> std::result::Result<tracker::Account, Reply> {
        let limits = Limits { stage_timeout: Duration::from_secs(20) };
        match self.0.trackers.open(destination, token, self.0.files.dir(), limits) {
            Ok(tracker) => tracker.account().await,
            Err(cause) => Err(Reply::Refused(cause)),
        }
    }

    /// Signs in anew: keeps the token and ends a sign-in hold.
    ///
    /// # Errors
    /// `NotFound`, or `Keyring` when the token cannot be kept.
    pub async fn sign_in(&self, name: &str, token: SecretString) -> Result<()> {
        let destination = self.0.outbox.destination(name)?;
        let mark = mark(self.0.outbox.store().id(), token.expose_secret());
        self.0.secrets.keep(&destination.name, token).await?;
        self.0.outbox.credential_seen(destination.id, &mark)?;
        self.0.outbox.signed_in(destination.id, None)
    }

    /// Every setting, to be shown.
    ///
    /// # Errors
    /// What the store says.
    pub fn settings(&self) -> Result<Vec<SettingView>> {
        self.0.outbox.setting_views()
    }

    /// Sets one; a bad value is refused in words.
    ///
    /// # Errors
    /// `NotFound` or `Invalid`.
    pub fn set_setting(&self, key: &str, value: &str) -> Result<SettingView> {
        self.0.outbox.set_setting(key, value)
    }

    /// What the store says of itself, for `doctor`.
    ///
    /// # Errors
    /// What the store says.
    pub fn store_facts(&self) -> Result<crate::store::StoreFacts> {
        self.0.outbox.store().facts()
    }
}
