//! `destination`: where issues go.

use std::io::{IsTerminal, Read};
use std::path::Path;

use outtray_core::problem::Result;
use outtray_core::secrets::{from_environment, variable};
use outtray_core::view::{DestinationView, NewDestination};
use outtray_core::{Code, Problem};
use secrecy::SecretString;
use serde_json::json;

use crate::End;
use crate::desk::{Desk, blocking};
use crate::interface::{AddArgs, DestinationVerb};
use crate::output::columns;

pub(crate) async fn run(verb: DestinationVerb, desk: &Desk<'_>) -> Result<End> {
    match verb {
        DestinationVerb::Add(add) => self::add(add, desk).await,
        DestinationVerb::List => list(desk),
        DestinationVerb::Remove { name } => {
            desk.engine.remove_destination(&name).await?;
            desk.output.show(&json!({ "name": name, "removed": true }), || format!("{name} is removed."));
            Ok(End::Done)
        }
        DestinationVerb::Default { name } => {
            desk.engine.set_default_destination(&name)?;
            desk.output
                .show(&json!({ "name": name, "default": true }), || format!("New issues go to {name}."));
            Ok(End::Done)
        }
        DestinationVerb::Certificate { name, ca, .. } => {
            let ca = ca.as_deref().map(whole).transpose()?;
            let changed = desk.engine.set_ca(&name, ca.as_deref())?;
            desk.output.show(&changed, || match &changed.ca {
                Some(file) => format!("{name} is also believed by the certificates in {file}."),
                None => format!("{name} is believed by this computer's own certificates."),
            });
            Ok(End::Done)
        }
        DestinationVerb::Test { name, token_stdin } => test(&name, token_stdin, desk).await,
    }
}

async fn add(add: AddArgs, desk: &Desk<'_>) -> Result<End> {
    let token = if add.token_stdin { Some(blocking(read_token).await?) } else { None };
    let new = NewDestination {
        name: add.name,
        tracker: add.tracker,
        url: add.url,
        project: add.project,
        path: add.path.as_deref().map(whole).transpose()?,
        branch: add.branch,
        honours_key: add.honours_key,
        ca: add.ca.as_deref().map(whole).transpose()?,
    };
    let added = desk.engine.add_destination(&new, None).await?;
    if let Some(token) = token {
        keep_or_undo(&added.name, token, desk).await?;
    }
    desk.output.show(&added, || format!("{} is added: {}.", added.name, added.words));
    if !add.token_stdin && added.tracker.needs_token() && !has_token(&added.name, desk).await {
        let variable = variable(&added.name);
        desk.output.remark(&format!(
            "No token for it yet: set {variable}, or pipe one into “outtrayctl destination test {} --token-stdin”.",
            added.name
        ));
    }
    Ok(End::Done)
}

/// Keeps the token of a destination that was just added. Without it the person would find a destination that does not
/// work and a name that is taken, so then nothing is added at all.
async fn keep_or_undo(name: &str, token: SecretString, desk: &Desk<'_>) -> Result<()> {
    let Err(problem) = desk.engine.sign_in(name, token).await else { return Ok(()) };
    let undone = desk.engine.remove_destination(name).await;
    let (what, then) = match undone {
        Ok(()) => ("was not added", " and add it without --token-stdin"),
        Err(_) => ("was added without a token", ""),
    };
    let variable = variable(name);
    Err(Problem::new(
        problem.code,
        format!("{} Its token could not be kept, so {name} {what}.", problem.message),
    )
    .hint(format!("Set {variable}{then}."))
    .because(problem))
}

async fn has_token(name: &str, desk: &Desk<'_>) -> bool {
    from_environment(name).is_some() || matches!(desk.secrets.token(name).await, Ok(Some(_)))
}

fn list(desk: &Desk<'_>) -> Result<End> {
    let destinations = desk.engine.destinations()?;
    desk.output.show(&destinations, || {
        let row = |destination: &DestinationView| {
            let mark = if destination.is_default { " (default)" } else { "" };
            let state = match (&destination.held, destination.paused) {
                (_, true) => "Paused.".to_owned(),
                (Some(held), false) => held.clone(),
                (None, false) => String::new(),
            };
            let name = format!("{}{mark}", destination.name);
            [name, format!("{} waiting", destination.waiting), format!("{}  {state}", destination.words)]
        };
        columns(&destinations.iter().map(row).collect::<Vec<_>>()).join("\n")
    });
    Ok(End::Done)
}

async fn test(name: &str, token_stdin: bool, desk: &Desk<'_>) -> Result<End> {
    if token_stdin {
        let token = blocking(read_token).await?;
        desk.engine.sign_in(name, token).await?;
    }
    let tested = desk.engine.test_destination(name).await?;
    desk.output.show(&tested, || {
        let hint = tested.hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
        format!("{}{hint}", tested.words)
    });
    Ok(if tested.works { End::Done } else { End::No })
}

/// A path as typed in a shell: relative to where that is. A “~” that no shell has read is left to the engine.
fn whole(typed: &Path) -> Result<String> {
    let path = if typed.starts_with("~") || typed.as_os_str().is_empty() {
        typed.to_owned()
    } else {
        std::path::absolute(typed)
            .map_err(|error| Problem::new(Code::Invalid, "The folder you are in is gone.").because(error))?
    };
    path.into_os_string().into_string().map_err(|_| {
        Problem::new(Code::Invalid, "That name is not text in UTF-8.").hint("Choose another one.")
    })
}

/// Reads a token from standard input: one line, which no screen has shown.
fn read_token() -> Result<SecretString> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Problem::new(Code::Invalid, "A token typed here would be shown on the screen.")
            .hint("Pipe it in: outtrayctl destination … --token-stdin < token.txt"));
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(64 * 1024)
        .read_to_end(&mut bytes)
        .map_err(|error| Problem::new(Code::Invalid, "Standard input cannot be read.").because(error))?;
    let token = String::from_utf8(bytes).unwrap_or_default();
    let token = token.trim();
    if token.is_empty() || token.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(Problem::new(
            Code::Invalid,
            "Standard input does not hold a token: one word on one line.",
        )
        .hint("Pipe the token alone."));
    }
    Ok(token.into())
}
