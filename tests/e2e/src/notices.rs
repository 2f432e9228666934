//! Notifications, as they cross the bus on their way to the real daemon: what was shown, and what was taken back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zbus::MatchRule;
use zbus::blocking::connection::Builder;
use zbus::blocking::fdo::MonitoringProxy;
use zbus::blocking::{Connection, MessageIterator};
use zbus::message::{Message, Type};
use zbus::zvariant::OwnedValue;

const INTERFACE: &str = "org.freedesktop.Notifications";

/// One notification.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The daemon's number; nothing until it answered.
    pub id: Option<u32>,
    /// The number of the one whose place it took; 0 = none.
    pub replaces: u32,
    /// Its title.
    pub summary: String,
    /// Its text.
    pub body: String,
    /// Whether the application took it back.
    pub taken_back: bool,
    serial: u32,
    sender: String,
}

/// All notifications of a desk, oldest first.
pub struct Notices(Arc<Mutex<Vec<Notice>>>);

impl Notices {
    /// Listens on this bus, for as long as it is there.
    pub(crate) fn listen(address: &str) -> Self {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let connection =
            Builder::address(address).and_then(Builder::build).expect("the desk's bus lets us in");
        let monitor = MonitoringProxy::new(&connection).expect("the bus itself is there");
        let rules = [
            MatchRule::builder().interface(INTERFACE).expect("a good name").build(),
            MatchRule::builder().msg_type(Type::MethodReturn).build(),
        ];
        monitor.become_monitor(&rules, 0).expect("a session's bus may be listened to");
        let listening = Arc::clone(&notices);
        std::thread::spawn(move || listen(&connection, &listening));
        Self(notices)
    }

    /// All so far.
    pub fn all(&self) -> Vec<Notice> {
        lock(&self.0).clone()
    }

    /// What the daemon should be showing now: not taken back, and not replaced.
    pub fn shown(&self) -> Vec<Notice> {
        let all = self.all();
        let is_replaced = |notice: &Notice, after: &[Notice]| {
            after.iter().any(|later| later.replaces != 0 && Some(later.replaces) == notice.id)
        };
        let kept = all.iter().enumerate();
        let kept = kept.filter(|(at, notice)| !notice.taken_back && !is_replaced(notice, &all[at + 1..]));
        kept.map(|(_, notice)| notice.clone()).collect()
    }
}

fn listen(connection: &Connection, notices: &Mutex<Vec<Notice>>) {
    // Ends with an error when the desk is cleared away.
    for message in MessageIterator::from(connection).flatten() {
        note(&message, &mut lock(notices));
    }
}

fn note(message: &Message, notices: &mut Vec<Notice>) {
    type Notify = (
        String,
        u32,
        String,
        String,
        String,
        Vec<String>,
        std::collections::HashMap<String, OwnedValue>,
        i32,
    );
    let header = message.header();
    let (sender, member) =
        (header.sender().map(ToString::to_string), header.member().map(ToString::to_string));
    match (message.message_type(), member.as_deref()) {
        (Type::MethodCall, Some("Notify")) => {
            let Ok((_, replaces, _, summary, body, ..)) = message.body().deserialize::<Notify>() else {
                return;
            };
            let serial = message.primary_header().serial_num().get();
            let sender = sender.unwrap_or_default();
            notices.push(Notice { id: None, replaces, summary, body, taken_back: false, serial, sender });
        }
        (Type::MethodCall, Some("CloseNotification")) => {
            let Ok(id) = message.body().deserialize::<u32>() else { return };
            notices
                .iter_mut()
                .filter(|notice| notice.id == Some(id))
                .for_each(|notice| notice.taken_back = true);
        }
        (Type::MethodReturn, _) => {
            let to = header.destination().map(ToString::to_string);
            let answered = notices.iter_mut().rev().find(|notice| {
                Some(notice.serial) == header.reply_serial().map(std::num::NonZeroU32::get)
                    && to.as_ref() == Some(&notice.sender)
            });
            if let Some(notice) = answered {
                notice.id = message.body().deserialize().ok();
            }
        }
        _ => {}
    }
}

fn lock(notices: &Mutex<Vec<Notice>>) -> MutexGuard<'_, Vec<Notice>> {
    notices.lock().unwrap_or_else(PoisonError::into_inner)
}
