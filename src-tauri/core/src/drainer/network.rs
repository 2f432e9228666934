//! Hears from the kernel that the network changed: an address or a route came or went. What an unreachable lane waits
//! for may have come true, so its pause between probes ends.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Addresses and routes of both families (`RTMGRP_IPV4_IFADDR | _IPV4_ROUTE | _IPV6_IFADDR | _IPV6_ROUTE`).
const GROUPS: u32 = 0x10 | 0x40 | 0x100 | 0x400;
/// A network that comes up says so many times; one probe comes after the last of them.
const SETTLE: Duration = Duration::from_millis(500);

/// The kernel's news of addresses and routes.
pub(super) struct Network(Option<AsyncFd<OwnedFd>>);

impl Network {
    /// Listens, where the kernel lets us; elsewhere the pauses between probes end by time alone.
    pub(super) fn listen() -> Self {
        let opened = open();
        if let Err(error) = &opened {
            tracing::info!(%error, "no news of the network here");
        }
        Self(opened.ok())
    }

    /// Returns when the network has changed and come to rest.
    pub(super) async fn changed(&self) {
        let Some(socket) = &self.0 else { return std::future::pending().await };
        if !heard(socket).await {
            return std::future::pending().await;
        }
        while let Ok(true) = tokio::time::timeout(SETTLE, heard(socket)).await {}
    }
}

fn open() -> std::io::Result<AsyncFd<OwnedFd>> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, GROUPS))?;
    // Marked deprecated for types that could give their descriptor away while registered; an owned one cannot.
    #[allow(deprecated)]
    AsyncFd::with_interest(socket, Interest::READABLE)
}

/// Waits for news and takes it off the socket; what it says in detail does not matter.
async fn heard(socket: &AsyncFd<OwnedFd>) -> bool {
    let Ok(mut ready) = socket.readable().await else { return false };
    let mut news = [0_u8; 8192];
    while recv(socket.get_ref(), &mut news[..], RecvFlags::DONTWAIT).is_ok_and(|(length, _)| length > 0) {}
    ready.clear_ready();
    true
}
