//! `catalogue`: what a destination offers to choose from.

use outtray_core::issue::Part;
use outtray_core::problem::Result;
use outtray_core::view::{CatalogueView, PartView};

use crate::End;
use crate::desk::Desk;
use crate::interface::CatalogueArgs;
use crate::output::{columns, local};

pub(crate) async fn run(catalogue: &CatalogueArgs, desk: &Desk<'_>) -> Result<End> {
    let name = desk.engine.destination_called(&catalogue.name)?;
    let shown = if catalogue.refresh {
        desk.engine.refresh_catalogue(&name).await?
    } else {
        desk.engine.catalogue(Some(&name), false)?
    };
    desk.output.show(&shown, || in_full(&shown));
    let is_whole = shown.parts.iter().all(|part| part.failure.is_none());
    Ok(if is_whole || !catalogue.refresh { End::Done } else { End::No })
}

fn in_full(shown: &CatalogueView) -> String {
    if shown.parts.is_empty() {
        return format!("{} offers nothing to choose from.", shown.destination);
    }
    shown.parts.iter().map(|part| one(part, shown)).collect::<Vec<_>>().join("\n\n")
}

fn one(part: &PartView, shown: &CatalogueView) -> String {
    let (head, rows) = match part.part {
        Part::Labels => ("Labels", pairs(&shown.labels, |label| (&label.name, label.description.as_deref()))),
        Part::Milestones => ("Milestones", pairs(&shown.milestones, |milestone| (&milestone.title, None))),
        Part::Assignees => ("Assignees", pairs(&shown.assignees, |who| (&who.login, who.name.as_deref()))),
        Part::Templates => ("Templates", pairs(&shown.templates, |one| (&one.name, one.about.as_deref()))),
        Part::Titles => {
            let state = |open: bool| if open { "open" } else { "closed" };
            let row = |one: &outtray_core::issue::Title| {
                [format!("  #{}", one.number), state(one.open).to_owned(), one.title.clone()]
            };
            ("Titles", columns(&shown.titles.iter().map(row).collect::<Vec<_>>()))
        }
    };
    let age = match &part.fetched_at {
        Some(at) => format!("as of {}", local(at)),
        None => "not read yet".to_owned(),
    };
    let mut lines = vec![format!("{head}, {age}")];
    lines.extend(part.failure.iter().map(|why| format!("  The last try did not work. {why}")));
    if rows.is_empty() && part.fetched_at.is_some() {
        lines.push("  none".to_owned());
    }
    lines.extend(rows);
    lines.join("\n")
}

fn pairs<T>(all: &[T], of: impl Fn(&T) -> (&String, Option<&str>)) -> Vec<String> {
    let row = |one: &T| {
        let (name, about) = of(one);
        [format!("  {name}"), about.unwrap_or_default().to_owned()]
    };
    columns(&all.iter().map(row).collect::<Vec<_>>())
}
