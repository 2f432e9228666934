//! What a destination offers to choose from, and issues that are like the one being written.

use outtray_core::Engine;
use outtray_core::issue::Project;
use outtray_core::problem::Result;
use outtray_core::view::{CatalogueView, NewDestination, SimilarView};
use tauri::State;

use super::destinations::secret;
use super::off_main;
use crate::open::open;

/// What a destination offers, as it was last read. `fresh`: it is about to be chosen from.
#[tauri::command]
pub(crate) async fn catalogue_open(
    destination: Option<String>,
    fresh: bool,
    engine: State<'_, Engine>,
) -> Result<CatalogueView> {
    off_main(&engine, move |engine| engine.catalogue(destination.as_deref(), fresh)).await
}

#[tauri::command]
pub(crate) async fn similar_list(
    destination: Option<String>,
    title: String,
    engine: State<'_, Engine>,
) -> Result<Vec<SimilarView>> {
    off_main(&engine, move |engine| engine.similar(destination.as_deref(), &title)).await
}

/// Opens an issue in the browser that is known here. A window can open nothing else.
#[tauri::command]
pub(crate) async fn similar_show(
    destination: Option<String>,
    url: String,
    engine: State<'_, Engine>,
) -> Result<()> {
    off_main(&engine, move |engine| open(&engine.known_link(destination.as_deref(), &url)?)).await
}

/// The projects that a token may file in, for the form that adds a destination.
#[tauri::command]
pub(crate) async fn project_list(
    new: NewDestination,
    token: Option<String>,
    engine: State<'_, Engine>,
) -> Result<Vec<Project>> {
    engine.projects(&new, secret(token)).await
}
