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
    let entries = count(exported.entries, "issue", "issues");
    let drafts = count(exported.drafts, "draft", "drafts");
    let what = format!("{entries} and {drafts}");
    let file = file.display();
    match (exported.kind, exported.unfiled) {
        (Kind::Copy, _) => format!("A copy of {what} is in {file}."),
        (Kind::Move, 0) => format!("{what} went into {file}. Nothing was left to be filed."),
        (Kind::Move, unfiled) => {
            format!("{what} went into {file}. {unfiled} of them are filed here no more.")
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
    let entries = count(imported.entries, "issue", "issues");
    let mut lines = vec![format!("{entries} and {} came.", count(imported.drafts, "draft", "drafts"))];
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

fn count(many: u32, one: &str, more: &str) -> String {
    format!("{many} {}", if many == 1 { one } else { more })
}
