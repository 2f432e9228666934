//! Destinations and the tokens for them. A token goes to the keyring and never comes back to a window.

use std::sync::Arc;

use outtray_core::Engine;
use outtray_core::problem::Result;
use outtray_core::view::{DestinationView, NewDestination, Tested};
use outtray_secrets::Keyring;
use secrecy::SecretString;
use tauri::{AppHandle, Manager as _, Runtime, State};

use super::off_main;

#[tauri::command]
pub(crate) async fn destination_list(engine: State<'_, Engine>) -> Result<Vec<DestinationView>> {
    off_main(&engine, Engine::destinations).await
}

#[tauri::command]
pub(crate) async fn destination_add(
    new: NewDestination,
    token: Option<String>,
    engine: State<'_, Engine>,
) -> Result<DestinationView> {
    engine.add_destination(&new, secret(token)).await
}

/// Names the file with certificates that are trusted there besides this computer's own; nothing for none.
#[tauri::command]
pub(crate) async fn destination_certificate(
    name: String,
    ca: Option<String>,
    engine: State<'_, Engine>,
) -> Result<DestinationView> {
    off_main(&engine, move |engine| engine.set_ca(&name, ca.as_deref())).await
}

#[tauri::command]
pub(crate) async fn destination_remove(name: String, engine: State<'_, Engine>) -> Result<()> {
    engine.remove_destination(&name).await
}

#[tauri::command]
pub(crate) async fn destination_test(name: String, engine: State<'_, Engine>) -> Result<Tested> {
    engine.test_destination(&name).await
}

#[tauri::command]
pub(crate) async fn destination_try(
    new: NewDestination,
    token: Option<String>,
    engine: State<'_, Engine>,
) -> Result<Tested> {
    engine.try_destination(&new, secret(token)).await
}

#[tauri::command]
pub(crate) async fn destination_sign_in(
    name: String,
    token: String,
    engine: State<'_, Engine>,
) -> Result<()> {
    engine.sign_in(&name, token.into()).await
}

/// The destinations whose token no keyring keeps: it is in memory, and gone when the app quits.
#[tauri::command]
pub(crate) async fn destination_remembered<R: Runtime>(
    app: AppHandle<R>,
    engine: State<'_, Engine>,
) -> Result<Vec<String>> {
    let keyring = app.try_state::<Arc<Keyring>>().map(|keyring| Arc::clone(&keyring));
    let Some(keyring) = keyring else { return Ok(Vec::new()) };
    let names =
        off_main(&engine, Engine::destinations).await?.into_iter().map(|destination| destination.name);
    Ok(names.filter(|name| keyring.is_for_this_session_only(name)).collect())
}

/// A field left empty is no token.
pub(super) fn secret(token: Option<String>) -> Option<SecretString> {
    token.filter(|token| !token.trim().is_empty()).map(SecretString::from)
}
