//! The session bus: one instance, and whether a panel shows tray icons.
//!
//! Both are conveniences. Without a bus the app starts as usual, and the store is safe with any number of processes.
//! The first instance owns a name; a second one hands over its verb (one word of a short list, never what was typed)
//! and exits once the first has taken it. A first instance that does not answer in time does not keep the second from
//! starting. `tauri-plugin-single-instance` sends the whole command line and waits without end, so it is not used.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::time::timeout;
use zbus::fdo::DBusProxy;
use zbus::{Connection, Error, MatchRule, MessageStream, connection};

use crate::verb::Verb;

/// How long anybody on the bus may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);
const NAME: &str = "org.outtray.Outtray.Instance";
const PATH: &str = "/org/outtray/Outtray/Instance";
const INTERFACE: &str = "org.outtray.Outtray.Instance";
const WATCHER: &str = "org.kde.StatusNotifierWatcher";

/// This process's place on the session bus.
pub(crate) struct Bus {
    connection: Option<Connection>,
    /// Whether this process is the one that others hand over to.
    pub is_first: bool,
    /// Verbs that other instances hand over.
    pub verbs: mpsc::Receiver<Verb>,
}

/// What a running instance serves.
struct Instance {
    verbs: mpsc::Sender<Verb>,
    home: String,
}

#[zbus::interface(name = "org.outtray.Outtray.Instance")]
impl Instance {
    /// Takes a verb over; answers with the directory this instance works in, so that the caller knows whom it met.
    fn open(&self, verb: &str) -> String {
        if let Some(verb) = Verb::named(verb) {
            // Full means that nobody has come round to the last ones yet: one more window would help nobody.
            let _ = self.verbs.try_send(verb);
        }
        self.home.clone()
    }
}

impl Bus {
    /// Enters the bus as the instance that works in `home`. Nothing = a running instance has taken `verb` over.
    pub(crate) async fn enter(verb: Verb, home: &Path) -> Option<Self> {
        let home = home.to_string_lossy().into_owned();
        let name = name(&home);
        let (sender, verbs) = mpsc::channel(8);
        let instance = Instance { verbs: sender, home: home.clone() };
        match timeout(PATIENCE, first(&name, instance)).await {
            Ok(Ok(connection)) => return Some(Self { connection: Some(connection), is_first: true, verbs }),
            Ok(Err(Error::NameTaken)) => {}
            Ok(Err(error)) => {
                tracing::info!(%error, "no session bus: no tray, no notifications, no single instance");
                return Some(Self { connection: None, is_first: false, verbs });
            }
            Err(_) => {
                tracing::warn!("the session bus does not answer");
                return Some(Self { connection: None, is_first: false, verbs });
            }
        }
        let why = match timeout(PATIENCE, hand_over(&name, verb)).await {
            Ok(Ok(theirs)) if theirs == home => return None,
            Ok(Ok(_)) => "somebody else answers in the name of Outtray".to_owned(),
            Ok(Err(error)) => format!("the running instance takes nothing over: {error}"),
            Err(_) => "the running instance does not answer".to_owned(),
        };
        tracing::warn!(why, "starting beside another instance");
        let connection = timeout(PATIENCE, Connection::session()).await.ok().and_then(Result::ok);
        Some(Self { connection, is_first: false, verbs })
    }

    /// The panel of this session, to be watched by a task of its own.
    pub(crate) fn panel(&self) -> Panel {
        Panel(self.connection.clone())
    }
}

/// Whatever shows tray icons in this session, or nothing.
pub(crate) struct Panel(Option<Connection>);

impl Panel {
    /// Tells, now and whenever it may have changed, whether tray icons are shown. Returns when the bus is gone.
    pub(crate) async fn watch(self, tell: impl Fn(bool) + Send + Sync) {
        if let Some(connection) = self.0
            && let Err(error) = watch(&connection, &tell).await
        {
            tracing::warn!(%error, "the panel cannot be watched");
        }
        tell(false);
    }
}

async fn first(name: &str, instance: Instance) -> zbus::Result<Connection> {
    // Served before the name is owned, so that a second instance never meets an empty door.
    connection::Builder::session()?
        .serve_at(PATH, instance)?
        .name(name.to_owned())?
        .allow_name_replacements(false)
        .replace_existing_names(false)
        .build()
        .await
}

async fn hand_over(name: &str, verb: Verb) -> zbus::Result<String> {
    let connection = Connection::session().await?;
    connection
        .call_method(Some(name), PATH, Some(INTERFACE), "Open", &verb.name())
        .await?
        .body()
        .deserialize()
}

async fn watch(connection: &Connection, tell: impl Fn(bool) + Send + Sync) -> zbus::Result<()> {
    let bus = DBusProxy::new(connection).await?;
    let mut owners = bus.receive_name_owner_changed_with_args(&[(0, WATCHER)]).await?;
    let rule = MatchRule::builder()
        .msg_type(zbus::message::Type::Signal)
        .interface(WATCHER)?
        .member("StatusNotifierHostRegistered")?
        .build();
    let mut hosts = MessageStream::for_match_rule(rule, connection, None).await?;
    tell(has_host(connection).await);
    loop {
        tokio::select! {
            Some(_) = owners.next() => tell(has_host(connection).await),
            Some(_) = hosts.next() => tell(has_host(connection).await),
            else => return Ok(()),
        }
    }
}

/// Whether somebody shows tray icons, and answers: a panel that hangs would hold up whoever builds an icon for it.
async fn has_host(connection: &Connection) -> bool {
    let ask = async {
        let property = (WATCHER, "IsStatusNotifierHostRegistered");
        let properties = Some("org.freedesktop.DBus.Properties");
        let answer = connection
            .call_method(Some(WATCHER), "/StatusNotifierWatcher", properties, "Get", &property)
            .await?;
        let value: zbus::zvariant::OwnedValue = answer.body().deserialize()?;
        zbus::Result::Ok(bool::try_from(value)?)
    };
    matches!(timeout(PATIENCE, ask).await, Ok(Ok(true)))
}

/// The usual instance has the plain name; one that works elsewhere (`OUTTRAY_HOME`) has one of its own beside it.
fn name(home: &str) -> String {
    if std::env::var_os("OUTTRAY_HOME").is_none() {
        return NAME.to_owned();
    }
    let mut hasher = DefaultHasher::new();
    home.hash(&mut hasher);
    format!("{NAME}.H{:016x}", hasher.finish())
}
