//! The tray, seen over D-Bus: a `StatusNotifierWatcher` of our own that keeps a list of icons, and a person's eyes and
//! hands on the one that is there: its picture, its tooltip, its menu.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use zbus::blocking::fdo::DBusProxy;
use zbus::blocking::proxy::{Builder, Proxy};
use zbus::blocking::{Connection, connection};
use zbus::message::Header;
use zbus::names::BusName;
use zbus::proxy::CacheProperties;
use zbus::zvariant::{OwnedValue, Structure, Value};

use crate::until;

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";

/// What stands in the tray: `(bus name, path)` of each icon that was registered.
type Items = Arc<Mutex<Vec<(String, String)>>>;

/// The tray of a desk.
pub struct Tray {
    connection: Connection,
    /// Whose watcher it is: ours, or a panel's.
    items: Option<Items>,
}

/// What the icon looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// Of the largest picture.
    pub width: i32,
    /// Of the largest picture.
    pub height: i32,
    /// ARGB, a byte each.
    pub pixels: Vec<u8>,
}

impl Icon {
    /// The picture's silhouette: which pixels are filled. Colour is not part of it.
    pub fn shape(&self) -> Vec<bool> {
        self.pixels.chunks_exact(4).map(|pixel| pixel[0] > 127).collect()
    }
}

/// One line of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number in the menu.
    pub id: i32,
    /// What it says, without the mark of its access key.
    pub label: String,
    /// Whether it can be chosen.
    pub enabled: bool,
}

struct Watcher(Items);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    #[allow(clippy::needless_pass_by_value, reason = "zbus hands it over")]
    fn register_status_notifier_item(&self, service: &str, #[zbus(header)] header: Header<'_>) {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let item = match service {
            path if path.starts_with('/') => (sender, path.to_owned()),
            name => (name.to_owned(), "/StatusNotifierItem".to_owned()),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
    }

    #[allow(clippy::unused_self, reason = "a host needs no more than to be let in")]
    fn register_status_notifier_host(&self, _service: &str) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        let items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        items.iter().map(|(name, path)| format!("{name}{path}")).collect()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

impl Tray {
    /// Puts a tray of our own on this bus.
    pub(crate) fn ours(address: &str) -> Self {
        let items = Items::default();
        let connection = connection::Builder::address(address)
            .and_then(|builder| builder.serve_at("/StatusNotifierWatcher", Watcher(Arc::clone(&items))))
            .and_then(|builder| builder.name(WATCHER))
            .and_then(connection::Builder::build)
            .expect("the desk's bus takes a watcher");
        Self { connection, items: Some(items) }
    }

    /// Looks at the tray that somebody else keeps on this bus, or nobody.
    pub(crate) fn of_others(address: &str) -> Self {
        let connection = connection::Builder::address(address).and_then(connection::Builder::build);
        Self { connection: connection.expect("the desk's bus lets us in"), items: None }
    }

    /// Whether there is a tray at all.
    pub fn is_there(&self) -> bool {
        self.is_on_the_bus(WATCHER)
    }

    /// How many icons stand in it.
    pub fn count(&self) -> usize {
        self.all().len()
    }

    /// The tooltip's title and text, on one line.
    pub fn tooltip(&self) -> Option<String> {
        type Pictures = Vec<(i32, i32, Vec<u8>)>;
        let (_, _, title, text): (String, Pictures, String, String) =
            self.item()?.get_property("ToolTip").ok()?;
        Some(format!("{title} {text}").trim().to_owned())
    }

    /// The icon's largest picture.
    pub fn icon(&self) -> Option<Icon> {
        let pictures: Vec<(i32, i32, Vec<u8>)> = self.item()?.get_property("IconPixmap").ok()?;
        let icons = pictures.into_iter().map(|(width, height, pixels)| Icon { width, height, pixels });
        icons.max_by_key(|icon| icon.width)
    }

    /// The menu, top to bottom, without separators.
    pub fn menu(&self) -> Option<Vec<Line>> {
        type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);
        let menu = self.menu_proxy()?;
        // A host says that it is about to show the menu before it asks what is in it.
        let _ = menu.call_method("AboutToShow", &(0_i32,));
        let none: [&str; 0] = [];
        let (_, (_, _, children)): (u32, Layout) =
            menu.call("GetLayout", &(0_i32, -1_i32, &none[..])).ok()?;
        let mut lines = Vec::new();
        children.iter().for_each(|child| collect(child, &mut lines));
        Some(lines)
    }

    /// The first line of the menu: what a person should know now.
    pub fn headline(&self) -> Option<String> {
        self.menu()?.first().map(|line| line.label.clone())
    }

    /// Clicks the icon.
    pub fn click(&self) {
        let item = until("an icon to click", || self.item());
        item.call_method("Activate", &(0_i32, 0_i32)).expect("the icon takes a click");
    }

    /// Chooses a line of the menu, once it is there.
    pub fn choose(&self, label: &str) {
        let line = until(&format!("“{label}” in the menu"), || {
            self.menu()?.into_iter().find(|line| line.label.starts_with(label) && line.enabled)
        });
        let menu = self.menu_proxy().expect("the menu was there a moment ago");
        // The application may be gone before it answers: Quit is a line, too.
        let _ = menu.call_method("Event", &(line.id, "clicked", Value::from(0_i32), 0_u32));
    }

    fn all(&self) -> Vec<(String, String)> {
        let items = match &self.items {
            Some(items) => items.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            None => self.told_by_the_watcher(),
        };
        items.into_iter().filter(|(name, _)| self.is_on_the_bus(name)).collect()
    }

    fn told_by_the_watcher(&self) -> Vec<(String, String)> {
        let watcher = self.proxy(WATCHER, "/StatusNotifierWatcher", WATCHER);
        let items = watcher
            .and_then(|watcher| watcher.get_property::<Vec<String>>("RegisteredStatusNotifierItems").ok());
        let part =
            |item: &String| item.split_once('/').map(|(name, path)| (name.to_owned(), format!("/{path}")));
        items.unwrap_or_default().iter().filter_map(part).collect()
    }

    fn item(&self) -> Option<Proxy<'static>> {
        let (name, path) = self.all().pop()?;
        self.proxy(&name, &path, ITEM)
    }

    fn menu_proxy(&self) -> Option<Proxy<'static>> {
        let item = self.item()?;
        let path: zbus::zvariant::OwnedObjectPath = item.get_property("Menu").ok()?;
        self.proxy(item.destination().as_str(), path.as_str(), MENU)
    }

    /// Properties are asked for anew each time: what a person sees is what is there now.
    fn proxy(&self, name: &str, path: &str, interface: &'static str) -> Option<Proxy<'static>> {
        let builder = Builder::new(&self.connection).cache_properties(CacheProperties::No);
        let builder = builder.destination(name.to_owned()).ok()?.path(path.to_owned()).ok()?;
        builder.interface(interface).ok()?.build().ok()
    }

    pub(crate) fn is_on_the_bus(&self, name: &str) -> bool {
        let bus = DBusProxy::new(&self.connection).expect("the bus itself is there");
        BusName::try_from(name.to_owned()).is_ok_and(|name| bus.name_has_owner(name).unwrap_or_default())
    }
}

/// Takes one entry of a menu's layout, and what is below it.
fn collect(value: &Value<'_>, lines: &mut Vec<Line>) {
    let Ok(entry) = value.downcast_ref::<Structure<'_>>() else { return };
    let [Value::I32(id), Value::Dict(properties), Value::Array(children)] = entry.fields() else { return };
    let text = |name: &str| properties.get::<_, String>(&name).ok().flatten();
    let switch = |name: &str| properties.get::<_, bool>(&name).ok().flatten().unwrap_or(true);
    if text("type").as_deref() != Some("separator") && switch("visible") {
        let label = text("label").unwrap_or_default().replace('_', "");
        lines.push(Line { id: *id, label, enabled: switch("enabled") });
    }
    children.iter().for_each(|child| {
        let inner = if let Value::Value(inner) = child { inner } else { child };
        collect(inner, lines);
    });
}
