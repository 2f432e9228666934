//! Work whose every trace ends with it.
//!
//! An HTTP client drives its connections in tasks of their own, and such a task goes on after the caller has dropped
//! its future: it writes out what it has buffered, for as long as the other side cares to read (measured: all of
//! 24 MB). "The sender is gone" would then be a hope. So a request runs on a small runtime of its own; when the request
//! is over, or its future is dropped, the runtime goes and takes tasks, buffers and sockets with it. What is left then
//! is in the kernel, and quiet time is there for that.

use std::io;

use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// Runs `work` alone. Dropping the future ends it on the way, also before it has begun.
///
/// # Errors
/// When there is no room for another runtime, in which case nothing was begun, or when the work panicked.
pub(super) async fn alone<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Lost> {
    // Held by this future: when that goes, the other end hears of it.
    let (held, dropped) = oneshot::channel::<()>();
    let running = tokio::task::spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Lost::NotBegun)?;
        let done = runtime.block_on(async {
            tokio::select! {
                // First, so that work nobody waits for any more is not begun.
                biased;
                _ = dropped => Err(Lost::Broken),
                done = work => Ok(done),
            }
        });
        // A name that is still being looked up is not waited for.
        runtime.shutdown_background();
        done
    });
    let done = running.await.unwrap_or(Err(Lost::Broken));
    drop(held);
    done
}

/// Why there is no result.
pub(super) enum Lost {
    /// Nothing was begun.
    NotBegun(io::Error),
    /// It ended on the way.
    Broken,
}
