//! What one stage of an entry sends.

use sha2::{Digest, Sha256};

use crate::issue::{Attachment, Issue, Receipt, StageKind};
use crate::outbox::{Stage, Work};
use crate::tracker::Step;
use crate::view::StageState;

/// What has been uploaded, each with the reference its upload left: an issue names all of it, its body the pictures.
pub(super) fn uploaded(work: &Work, kind: StageKind) -> Vec<(&Attachment, &str)> {
    let upload = |stage: &'_ Stage| Some((stage.attachment?, stage.kind, stage.state));
    let takes_all = kind == StageKind::Create || work.destination.tracker.uploads_first();
    work.stages
        .iter()
        .filter_map(|stage| {
            let (attachment, StageKind::Upload, StageState::Done) = upload(stage)? else { return None };
            let is_named = |attachment: &&Attachment| takes_all || attachment.is_picture();
            Some((work.attachment(attachment).filter(is_named)?, stage.reference.as_deref()?))
        })
        .collect()
}

/// The step a stage stands for; nothing when what it needs is not there.
pub(super) fn step<'a>(
    work: &'a Work,
    stage: &Stage,
    uploaded: &'a [(&'a Attachment, &'a str)],
) -> Option<Step<'a>> {
    let receipt: Option<&Receipt> = work.receipt.as_ref();
    match stage.kind {
        StageKind::Create => Some(Step::Create { uploaded }),
        StageKind::Upload => {
            let is_ready = receipt.is_some() || work.destination.tracker.uploads_first();
            let attachment = work.attachment(stage.attachment?)?;
            is_ready.then_some(Step::Upload { receipt, attachment })
        }
        StageKind::Embed => Some(Step::Embed { receipt: receipt?, pictures: uploaded }),
    }
}

/// What travels, in one number: frozen by the first intent.
pub(super) fn body_hash(issue: &Issue) -> String {
    let mut hash = Sha256::new();
    for part in [&issue.key.to_string(), &issue.title, &issue.body].into_iter().chain(&issue.labels) {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    // Named, so that a label is never taken for one of them.
    let named = issue.milestone.iter().map(|title| ("milestone", title));
    for (name, part) in named.chain(issue.assignees.iter().map(|login| ("assignee", login))) {
        hash.update(name);
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    for attachment in &issue.attachments {
        hash.update(&attachment.sha256);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
