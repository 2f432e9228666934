//! `export` and `import`: the outbox as one file.

use std::path::Path;

use outtray_core::archive::Kind;
use outtray_core::engine::{Exported, Imported};
use outtray_core::problem::Result;

use crate::End;
use crate::desk::Desk;
use crate::interface::ExportArgs;

pub(crate) fn export(export: &ExportArgs, desk: &Desk<'_>) -> Result<End> {
    let kind = if export.moves { Kind::Move } else { Kind::Copy };
    let exported = desk.engine.export(&export.file, kind, export.force)?;
    desk.output.show(&exported, || gone(&exported, &export.file));
    if exported.missing > 0 {
        let missing = count(exported.missing, "attachment is", "attachments are");
        desk.output.remark(&format!("{missing} not on this disk any more, and did not come along."));
    }
    Ok(End::Done)
}

fn gone(exported: &Exported, file: &Path) -> String {
    let what = both(exported.entries, exported.drafts);
    let file = file.display();
    match (exported.kind, exported.unfiled) {
        (Kind::Copy, _) => {
            format!("A copy of {} is in {file}.", what.as_deref().unwrap_or("an empty outbox"))
        }
        (Kind::Move, unfiled) => {
            let what = what.as_deref().unwrap_or("Nothing");
            let left = match unfiled {
                0 => "Nothing was left to be filed.".to_owned(),
                1 => "1 of them is filed here no more.".to_owned(),
                more => format!("{more} of them are filed here no more."),
            };
            format!("{what} went into {file}. {left}")
        }
    }
}

pub(crate) fn import(file: &Path, desk: &Desk<'_>) -> Result<End> {
    let imported = desk.engine.import(file)?;
    desk.output.show(&imported, || come(&imported));
    if imported.held > 0 {
        desk.output.remark(
            "Copies are held: “outtrayctl retry ID” files one here, “outtrayctl retry --copies” all of them. Withdraw \
             what the other computer files.",
        );
    }
    Ok(End::Done)
}

fn come(imported: &Imported) -> String {
    let mut lines = match both(imported.entries, imported.drafts) {
        Some(what) => vec![format!("{what} came.")],
        None if imported.put_back > 0 => Vec::new(),
        None => vec!["Nothing new came.".to_owned()],
    };
    if imported.held > 0 {
        lines.push(format!("{} held, since this is a copy.", count(imported.held, "is", "are")));
    }
    if imported.put_back > 0 {
        lines.push(format!("{} put back.", count(imported.put_back, "is", "are")));
    }
    if imported.already > 0 {
        lines.push(format!("{} here already.", count(imported.already, "was", "were")));
    }
    for place in &imported.destinations {
        let then = if place.paused {
            format!(" Paused until you have seen that: “outtrayctl resume {}”.", place.name)
        } else if place.needs_sign_in {
            " It needs a token here.".to_owned()
        } else {
            String::new()
        };
        lines.push(format!("New: {}, {}.{then}", place.name, place.words));
    }
    lines.join("\n")
}

/// What there is of the two; nothing when there is neither.
fn both(issues: u32, drafts: u32) -> Option<String> {
    let issues = (issues > 0).then(|| count(issues, "issue", "issues"));
    let drafts = (drafts > 0).then(|| count(drafts, "draft", "drafts"));
    let words: Vec<String> = issues.into_iter().chain(drafts).collect();
    (!words.is_empty()).then(|| words.join(" and "))
}

fn count(many: u32, one: &str, more: &str) -> String {
    format!("{many} {}", if many == 1 { one } else { more })
}
