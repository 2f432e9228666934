//! The engine's verbs: what windows and outtrayctl call.

use std::path::Path;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

use super::Engine;
use super::typed::{read, tested};
use crate::drainer::Until;
use crate::issue::Destination;
use crate::problem::{Code, Problem, Result};
use crate::secrets::{mark, variable};
use crate::tracker::{self, Limits, Reply};
use crate::view::{
    Acted, AttachmentView, DestinationView, DraftEdit, DraftView, EntryDetails, EntryEdit, EntryState,
    EntryView, NewDestination, Saved, SettingView, Tested,
};

/// What a drain left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrainReport {
    /// Entries filed by anybody meanwhile.
    pub filed: u32,
    /// Entries that still wait.
    pub left_waiting: u32,
    /// Items that need the person.
    pub attention: u32,
    /// Destinations that were left alone, since this process has no token for them.
    pub without_token: Vec<String>,
}

/// Drafts.
impl Engine {
    /// Makes an empty draft with a key of its own, for good.
    ///
    /// # Errors
    /// What the store says.
    pub fn new_draft(&self) -> Result<DraftView> {
        self.0.outbox.new_draft(&self.0.clock.now())
    }

    /// The drafts that hold anything, newest first.
    ///
    /// # Errors
    /// What the store says.
    pub fn drafts(&self) -> Result<Vec<DraftView>> {
        self.0.outbox.drafts()
    }

    /// One draft.
    ///
    /// # Errors
    /// `AlreadyFiled` or `NotFound`.
    pub fn draft(&self, id: i64) -> Result<DraftView> {
        self.0.outbox.draft(id)
    }

    /// Saves what a window holds.
    ///
    /// # Errors
    /// `Stale`, `AlreadyFiled`, `NotFound`, or what the store says.
    pub fn save_draft(&self, edit: &DraftEdit) -> Result<DraftView> {
        self.0.outbox.save_draft(edit, &self.0.clock.now())
    }

    /// Throws a draft away.
    ///
    /// # Errors
    /// What the store says.
    pub fn discard_draft(&self, id: i64) -> Result<()> {
        for file in self.0.outbox.discard_draft(id)? {
            self.0.files.erase(&file)?;
        }
        Ok(())
    }

    /// Throws a draft away in which nothing was written and to which nothing is attached; another one stays. Says whether
    /// it was blank.
    ///
    /// # Errors
    /// What the store says.
    pub fn discard_blank(&self, id: i64) -> Result<bool> {
        let files = self.0.outbox.discard_blank(id)?;
        for file in files.iter().flatten() {
            self.0.files.erase(file)?;
        }
        Ok(files.is_some())
    }

    /// Copies bytes beside the store and attaches them; the copy is what travels.
    ///
    /// # Errors
    /// `Invalid` for nothing or too much, as of a draft, or what the disk says.
    pub fn attach_bytes(&self, draft: i64, name: &str, bytes: &[u8]) -> Result<AttachmentView> {
        let kept = self.0.files.keep(name, bytes)?;
        self.attach(draft, &kept)
    }

    /// Copies a file beside the store and attaches it; the copy is what travels.
    ///
    /// # Errors
    /// `Invalid` for what is no file, nothing or too much, `NotFound`, as of a draft, or what the disk says.
    pub fn attach_file(&self, draft: i64, path: &Path) -> Result<AttachmentView> {
        let kept = self.0.files.keep_file(path)?;
        self.attach(draft, &kept)
    }

    fn attach(&self, draft: i64, kept: &crate::capture::Kept) -> Result<AttachmentView> {
        self.0.outbox.attach(draft, kept, &self.0.clock.now()).inspect_err(|_| {
            let _erased = self.0.files.erase(&kept.file);
        })
    }

    /// Takes an attachment off a draft.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn detach(&self, draft: i64, attachment: i64) -> Result<()> {
        self.0.outbox.set_removed(draft, attachment, true, &self.0.clock.now())
    }

    /// Puts it back.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn reattach(&self, draft: i64, attachment: i64) -> Result<()> {
        self.0.outbox.set_removed(draft, attachment, false, &self.0.clock.now())
    }

    /// The bytes and media type of an attachment; as a PNG that fits `fit` × `fit` pixels when that is given.
    ///
    /// # Errors
    /// `NotFound`, or `Invalid` when it is no picture.
    pub fn picture(&self, attachment: i64, fit: Option<u32>) -> Result<(Vec<u8>, String)> {
        let attachment = self.0.outbox.attachment(attachment)?;
        match fit {
            Some(fit) => Ok((self.0.files.thumbnail(&attachment.file, fit)?, "image/png".to_owned())),
            None => Ok((self.0.files.bytes(&attachment.file)?, attachment.media_type)),
        }
    }

    /// Files a draft: the issue is safe on disk when this returns.
    ///
    /// # Errors
    /// `Invalid`, `Stale`, `AlreadyFiled`, `OutboxFull`, or what the store says: the draft stays.
    pub fn file_draft(&self, draft: i64, revision: i64) -> Result<Saved> {
        self.0.outbox.file_draft(draft, revision, &self.0.clock.now())
    }
}

/// Entries.
impl Engine {
    /// The entries in `state`, or all, newest first.
    ///
    /// # Errors
    /// What the store says.
    pub fn entries(&self, state: Option<EntryState>) -> Result<Vec<EntryView>> {
        self.0.outbox.entries(state, &self.0.clock.now())
    }

    /// One entry with everything about it.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn entry(&self, id: i64) -> Result<EntryDetails> {
        self.0.outbox.entry(id, &self.0.clock.now())
    }

    /// Tries now, with a fresh budget and the same key.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn retry(&self, id: i64) -> Result<Acted> {
        self.0.outbox.retry(id, &self.0.clock.now())
    }

    /// Retries everything that waits for the person, a backoff or a probe.
    ///
    /// # Errors
    /// What the store says.
    pub fn retry_all(&self) -> Result<Vec<Acted>> {
        self.0.outbox.retry_all(&self.0.clock.now())
    }

    /// Takes it back.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn withdraw(&self, id: i64) -> Result<Acted> {
        self.0.outbox.withdraw(id, &self.0.clock.now())
    }

    /// Puts it back.
    ///
    /// # Errors
    /// `NotFound`, `OutboxFull` or `Refused`.
    pub fn restore(&self, id: i64) -> Result<Acted> {
        self.0.outbox.restore(id, &self.0.clock.now())
    }

    /// The person says that it is not there: it is sent again.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn resolve_send_again(&self, id: i64) -> Result<Acted> {
        self.0.outbox.resolve_send_again(id, &self.0.clock.now())
    }

    /// Changes its words.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Invalid` without a title, or `Refused`.
    pub fn edit(&self, edit: &EntryEdit) -> Result<Acted> {
        self.0.outbox.edit(edit, &self.0.clock.now())
    }

    /// Sends it to another destination.
    ///
    /// # Errors
    /// `NotFound` or `Refused`.
    pub fn move_to(&self, id: i64, destination: &str) -> Result<Acted> {
        self.0.outbox.move_to(id, destination, &self.0.clock.now())
    }

    /// Pauses one destination, or all work; for some minutes, or until resumed.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn pause(&self, destination: Option<&str>, minutes: Option<u32>) -> Result<()> {
        self.0.outbox.pause(destination, minutes, &self.0.clock.now())
    }

    /// Resumes one destination, or all work.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn resume(&self, destination: Option<&str>) -> Result<()> {
        self.0.outbox.resume(destination)
    }

    /// Runs one drain; or, `until_idle`, drains until nothing is claimable now, waiting up to the deadline for backoffs,
    /// looks, quiet times and rate limits.
    ///
    /// # Errors
    /// What the store says.
    pub async fn drain(&self, until_idle: bool, deadline: Option<Duration>) -> Result<DrainReport> {
        let now = self.0.clock.now().boot_ms;
        let wait_ms = deadline.map_or(0, |wait| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
        let filed = || {
            Ok::<_, Problem>(u32::try_from(self.entries(Some(EntryState::Filed))?.len()).unwrap_or(u32::MAX))
        };
        let before = filed()?;
        let until = if until_idle { Until::IdleBy(now.saturating_add(wait_ms)) } else { Until::OneDrain };
        self.0.drainer.run(until).await?;
        let status = self.status()?;
        Ok(DrainReport {
            filed: filed()? - before,
            left_waiting: status.waiting,
            attention: status.attention,
            without_token: self.0.outbox.names(&self.0.drainer.without_token())?,
        })
    }

    /// Drains until the entry is no longer waiting, or the deadline has come. Returns its state.
    ///
    /// # Errors
    /// `NotFound`, or what the store says.
    pub async fn wait_for(&self, id: i64, deadline: Option<Duration>) -> Result<EntryState> {
        let mut changes = self.0.outbox.store().changes();
        let settled = async {
            loop {
                changes.mark_unchanged();
                let state = self.entry(id)?.entry.state;
                if state != EntryState::Waiting || changes.changed().await.is_err() {
                    return Ok::<_, Problem>(state);
                }
            }
        };
        let far = Duration::from_secs(365 * 24 * 3600);
        let wait_ms = i64::try_from(deadline.unwrap_or(far).as_millis()).unwrap_or(i64::MAX);
        let until_ms = self.0.clock.now().boot_ms.saturating_add(wait_ms);
        // The run is the engine's and not this call's: what is in flight when the entry is settled, or the deadline has
        // come, ends by itself or at `stop`. Were it dropped here, every other entry in flight would be in doubt.
        let drained = async {
            match self.drain_by(until_ms) {
                Some(run) => {
                    if let Ok(Err(problem)) = run.await {
                        return Err(problem);
                    }
                    // Nothing is left to do here; another process may still be at it.
                    if deadline.is_some() {
                        std::future::pending::<()>().await;
                    }
                }
                None => std::future::pending().await,
            }
            Ok(())
        };
        tokio::select! {
            state = settled => return state,
            drained = drained => drained?,
            () = self.0.clock.sleep_until(until_ms) => {}
        }
        Ok(self.entry(id)?.entry.state)
    }

    /// Starts a run that ends when nothing is left to do by then, unless one is there already.
    fn drain_by(&self, until_ms: i64) -> Option<tokio::sync::oneshot::Receiver<Result<()>>> {
        let mut draining = super::lock(&self.0.draining);
        if draining.is_some() {
            return None;
        }
        let (over, run) = tokio::sync::oneshot::channel();
        let drainer = self.0.drainer.clone();
        *draining = Some(tokio::spawn(async move {
            // Nobody may be waiting any more.
            let _left = over.send(drainer.run(Until::IdleBy(until_ms)).await);
        }));
        Some(run)
    }
}

/// Destinations and settings.
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
        self.destinations()?
            .into_iter()
            .find(|view| view.name == added.name)
            .ok_or_else(|| Problem::new(Code::NotFound, "The destination was removed meanwhile."))
    }

    /// Two destinations with one variable would send the token of the one to the host of the other.
    fn refuse_shared_variable(&self, new: &Destination) -> Result<()> {
        let shared = variable(&new.name);
        let others = self.destinations()?.into_iter().filter(|other| other.tracker.needs_token());
        let clash = others.map(|other| other.name).find(|name| variable(name) == shared);
        match clash.filter(|name| new.tracker.needs_token() && !name.eq_ignore_ascii_case(&new.name)) {
            Some(other) => Err(Problem::new(
                Code::Refused,
                format!("{} and {other} would share the token in {shared}.", new.name),
            )
            .hint("Give this one a name that differs in a letter or a digit.")),
            None => Ok(()),
        }
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
        if removed.tracker.needs_token() {
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
        let token = if destination.tracker.needs_token() {
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
            None if destination.tracker.needs_token() => crate::secrets::from_environment(&destination.name),
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
