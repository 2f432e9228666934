//! The engine's verbs for drafts and what is attached to them.

use std::path::Path;

use super::Engine;
use crate::capture::Kept;
use crate::problem::Result;
use crate::view::{AttachmentView, DraftEdit, DraftView, NewIssue, Saved};

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

    fn attach(&self, draft: i64, kept: &Kept) -> Result<AttachmentView> {
        let attached = self.0.outbox.attach(draft, kept, &self.0.clock.now());
        attached.inspect_err(|_| self.erase_unnamed(std::slice::from_ref(kept)))
    }

    /// Erases copies that no row names. Where that cannot be read they stay, and the next start sweeps.
    pub(super) fn erase_unnamed(&self, copies: &[Kept]) {
        let Ok(named) = self.0.outbox.files() else { return };
        for copy in copies.iter().filter(|copy| !named.contains(&copy.file)) {
            let _erased = self.0.files.erase(&copy.file);
        }
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

    /// Files a whole issue at once, with copies of these files: the issue is safe on disk when this returns, or nothing of
    /// it is there.
    ///
    /// # Errors
    /// `Invalid`, `NotFound`, `OutboxFull`, or what the store or the disk says.
    pub fn file_new(&self, new: &NewIssue, files: &[impl AsRef<Path>]) -> Result<Saved> {
        let mut kept = Vec::with_capacity(files.len());
        let mut keep = || -> Result<()> {
            for file in files {
                kept.push(self.0.files.keep_file(file.as_ref())?);
            }
            Ok(())
        };
        let all = keep();
        let saved = all.and_then(|()| self.0.outbox.file_new(new, &kept, &self.0.clock.now()));
        saved.inspect_err(|_| self.erase_unnamed(&kept))
    }
}
