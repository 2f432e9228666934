//! The UI's types come from Rust: `ui/src/host/types.ts` is written from the engine's shapes, and this test fails
//! when it is stale. `OUTTRAY_WRITE_TYPES=1 cargo test -p outtray-core --test ui_types` writes it anew.

#![allow(clippy::expect_used)]

use std::fmt::Write as _;

use outtray_core::{archive, attention, engine, issue, problem, view};
use ts_rs::{Config, TS};

fn declare<T: TS>(text: &mut String) {
    let config = Config::default().with_large_int("number");
    if let Some(docs) = T::docs() {
        text.push_str(docs.trim_end());
        text.push('\n');
    }
    writeln!(text, "export {}\n", T::decl(&config)).expect("a string takes every line");
}

#[test]
fn the_types_of_the_ui_are_those_of_the_engine() {
    let mut text =
        String::from("// Written from the engine's Rust types; do not edit. See tests/ui_types.rs.\n\n");
    macro_rules! declare_all { ($($type:ty),* $(,)?) => { $(declare::<$type>(&mut text);)* } }
    declare_all!(
        problem::Code,
        problem::Problem,
        issue::Key,
        issue::TrackerKind,
        issue::StageKind,
        issue::Receipt,
        issue::Part,
        issue::Label,
        issue::Milestone,
        issue::Assignee,
        issue::Template,
        issue::Title,
        issue::Project,
        attention::Level,
        attention::Item,
        attention::Attention,
        view::EntryState,
        view::Row,
        view::Act,
        view::EntryView,
        view::StageState,
        view::StageView,
        view::AttemptView,
        view::AttachmentView,
        view::EntryDetails,
        view::DraftView,
        view::DraftEdit,
        view::DestinationView,
        view::NewDestination,
        view::Tested,
        view::Saved,
        view::Acted,
        view::SettingView,
        view::Preview,
        view::PreviewFile,
        view::SavedFiles,
        archive::Kind,
        engine::Exported,
        engine::Imported,
        engine::Added,
        view::PartView,
        view::CatalogueView,
        view::Standing,
        view::SimilarView,
    );
    let text = format!("{}\n", text.trim_end());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/host/types.ts");
    if std::env::var_os("OUTTRAY_WRITE_TYPES").is_some() {
        std::fs::write(path, &text).expect("the file can be written");
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(stored, text, "ui/src/host/types.ts is stale: run this test with OUTTRAY_WRITE_TYPES=1");
}
