//! The keyring of a desk, unlocked without a window that would ask for its password.

use zbus::blocking::connection::Builder;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

const NAME: &str = "org.freedesktop.secrets";
const PATH: &str = "/org/freedesktop/secrets";

/// Unlocks the collection that was unlocked when the keyring was started.
pub(crate) fn unlock(bus: &str, password: &[u8]) -> zbus::Result<()> {
    let connection = Builder::address(bus)?.build()?;
    let service = Some("org.freedesktop.Secret.Service");
    let opened =
        connection.call_method(Some(NAME), PATH, service, "OpenSession", &("plain", Value::from("")))?;
    let (_, session): (OwnedValue, OwnedObjectPath) = opened.body().deserialize()?;
    let collection = ObjectPath::try_from("/org/freedesktop/secrets/collection/login")?;
    let secret = (session, Vec::<u8>::new(), password.to_vec(), "text/plain");
    let internal = Some("org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface");
    connection
        .call_method(Some(NAME), PATH, internal, "UnlockWithMasterPassword", &(collection, secret))
        .map(drop)
}
