//! The engine's verbs for what destinations offer to choose from.

use secrecy::SecretString;

use super::Engine;
use super::typed::{self, tested};
use crate::issue::Project;
use crate::outbox::Age;
use crate::problem::{Code, Problem, Result};
use crate::tracker::Reply;
use crate::view::{CatalogueView, NewDestination, SimilarView};

impl Engine {
    /// What a destination offers to choose from, as it was last read; the default one when nobody says. `fresh`: it is about
    /// to be chosen from, so that what is old is read anew meanwhile. Asks nobody itself. Called from within a tokio runtime.
    ///
    /// # Errors
    /// `NotFound`, or what the store says.
    pub fn catalogue(&self, name: Option<&str>, fresh: bool) -> Result<CatalogueView> {
        let destination = self.0.outbox.destination_or_default(name)?;
        if fresh && self.0.may_write {
            self.0.catalogues.refresh_when_old(&destination, Age::Choosing);
        }
        // Asked before what is kept is read: what comes in between is told of by a ring.
        let refreshing = self.0.catalogues.is_reading(destination.id);
        Ok(CatalogueView { refreshing, ..self.0.outbox.catalogue(&destination)? })
    }

    /// Reads what a destination offers now, and returns it. What cannot be read is told part by part.
    ///
    /// # Errors
    /// `NotFound`, or what the store says.
    pub async fn refresh_catalogue(&self, name: &str) -> Result<CatalogueView> {
        let destination = self.0.outbox.destination(name)?;
        self.0.catalogues.refresh(&destination).await?;
        self.0.outbox.catalogue(&destination)
    }

    /// The issues that are like a title, five at most. Asks nobody.
    ///
    /// # Errors
    /// `NotFound`, or what the store says.
    pub fn similar(&self, destination: Option<&str>, title: &str) -> Result<Vec<SimilarView>> {
        let destination = self.0.outbox.destination_or_default(destination)?;
        self.0.outbox.similar(&destination, title)
    }

    /// The link of an issue that is known at a destination, as it was asked for by that link.
    ///
    /// # Errors
    /// `NotFound` when no such issue is known.
    pub fn known_link(&self, destination: Option<&str>, url: &str) -> Result<String> {
        let destination = self.0.outbox.destination_or_default(destination)?;
        self.0.outbox.known_link(&destination, url)
    }

    /// The projects that a token may file in, for somebody who fills in a destination.
    ///
    /// # Errors
    /// `Invalid` in words for what was typed, `SignIn` or `Unreachable` when they cannot be told.
    pub async fn projects(&self, new: &NewDestination, token: Option<SecretString>) -> Result<Vec<Project>> {
        let place = typed::place_of(new)?;
        let told = self.0.catalogues.projects(&place, token).await;
        told.map_err(|reply| {
            let code = match reply {
                Reply::SignIn(_) => Code::SignIn,
                Reply::NotSent(_) => Code::Unreachable,
                _ => Code::Refused,
            };
            let found = tested(Err(reply), &place, false);
            Problem::new(code, found.words).hint(found.hint.unwrap_or_default())
        })
    }
}
