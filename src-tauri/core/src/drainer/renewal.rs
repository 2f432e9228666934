//! Keeps a lease while something slow goes on, and ends that when the lease cannot be kept.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::watch;

use super::Stop;
use crate::clock::Clock;
use crate::fault::mistake;
use crate::outbox::Outbox;
use crate::outbox::lease::{Fenced, Lease};

/// How something under a lease ended.
#[derive(Debug)]
pub(super) enum Under<T> {
    /// It came to its end.
    Done(T),
    /// The lease is somebody else's: it was cancelled at once.
    Lost,
    /// The lease could not be renewed while it was still trusted: it was cancelled before the lease could expire.
    Untrusted,
    /// The deadline of stopping came: it was cancelled.
    Stopped,
}

/// Runs `slow` while renewing `lease` each third of it. Whatever is returned but `Done`, `slow` has been dropped, and its
/// connection with it.
pub(super) async fn under<T>(
    outbox: &Outbox,
    clock: &Arc<dyn Clock>,
    lease: &mut Lease,
    stop: &watch::Receiver<Stop>,
    slow: impl Future<Output = T>,
) -> Under<T> {
    // Whatever was written before may have taken a while.
    if !lease.is_trusted(&clock.now()) {
        return Under::Untrusted;
    }
    let mut slow = pin!(slow);
    let mut stopping = pin!(deadline(clock, stop.clone()));
    let mut renew_at_ms = lease.renew_at_ms();
    loop {
        tokio::select! {
            biased;
            value = &mut slow => return Under::Done(value),
            () = &mut stopping => return Under::Stopped,
            () = clock.sleep_until(renew_at_ms), if !mistake("never_renew") => {
                let asked = clock.now();
                if !lease.is_trusted(&asked) {
                    return Under::Untrusted;
                }
                match outbox.renew(lease, &asked) {
                    Ok(Fenced::Held(renewed)) => {
                        *lease = renewed;
                        renew_at_ms = lease.renew_at_ms();
                    }
                    Ok(Fenced::Lost) => return Under::Lost,
                    // The database is busy: again soon, but not after the trust has run out.
                    Err(problem) => {
                        tracing::warn!(entry = lease.entry, problem = problem.chain(), "a renewal did not work");
                        let soon = clock.now().boot_ms + (lease.length_ms / 12).max(1);
                        renew_at_ms = soon.min(lease.trusted_until_ms);
                    }
                }
            }
        }
    }
}

/// Waits until stopping is asked for and its deadline has come.
async fn deadline(clock: &Arc<dyn Clock>, mut stop: watch::Receiver<Stop>) {
    loop {
        let now = *stop.borrow_and_update();
        if let Stop::By(at) = now {
            clock.sleep_until(at).await;
            return;
        }
        if stop.changed().await.is_err() {
            // Nobody is left who could ask for it.
            std::future::pending::<()>().await;
        }
    }
}
