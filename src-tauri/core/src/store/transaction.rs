//! A transaction that is open on a connection: what acts are handed. Whoever opened it ends it.

use std::ops::Deref;

use rusqlite::Connection;

/// An open transaction, to read and write in. Its end is not for those who are handed it.
#[derive(Debug)]
pub struct Transaction<'a>(&'a Connection);

impl<'a> Transaction<'a> {
    pub(super) const fn on(connection: &'a Connection) -> Self {
        Self(connection)
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}
