//! Time between two acts of one kind at one host, kept by all processes of a store together. It is a courtesy: nobody waits
//! for long for somebody who holds it up.
//!
//! Within a process the acts stand in line. Between processes a file beside the store says when the last one was, and is
//! locked by whoever waits for the next. The lock is the kernel's, so it ends with its process.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::clock::{Clock as _, Now, Pace, SystemClock};

/// Between two looks whether the file is free.
const AGAIN: Duration = Duration::from_millis(25);
/// Whoever holds it for longer than so many looks, five seconds, hangs.
const MOST_LOOKS: u32 = 200;

/// The lines of this process, by host.
static PACES: LazyLock<Mutex<HashMap<String, Arc<Pace>>>> = LazyLock::new(Mutex::default);

/// Waits until the last turn at `host` is `apart` ago, and takes the next. `attachments` tells which store it is.
pub(super) async fn turn(host: &str, attachments: &Path, apart: Duration) {
    let pace = {
        let mut paces = PACES.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(paces.entry(host.to_owned()).or_default())
    };
    pace.turn(apart).await;
    let Some(path) = file(host, attachments) else { return };
    if let Err(error) = turn_of_all(&path, apart).await {
        tracing::info!(%error, "the pace is kept in this process only");
    }
}

/// The file of a host, where the attachments lie in a store.
fn file(host: &str, attachments: &Path) -> Option<PathBuf> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let host: String = host.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let store = attachments.parent().filter(|_| attachments.ends_with("attachments"))?;
    Some(store.join(format!("pace-{host}")))
}

async fn turn_of_all(path: &Path, apart: Duration) -> std::io::Result<()> {
    let mut file =
        File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    let mut looks = 0;
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        looks += 1;
        if looks > MOST_LOOKS {
            return Err(std::io::Error::other("another process holds it up"));
        }
        tokio::time::sleep(AGAIN).await;
    }
    let clock = SystemClock::new();
    let mut last = String::new();
    file.read_to_string(&mut last)?;
    // Held while waiting, so that the others stand in line.
    tokio::time::sleep(left(&last, &clock.now(), apart)).await;
    let now = clock.now();
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{} {}", now.boot_id, now.boot_ms)
}

/// How long until the next turn, after one of which this was written. One of another start of the machine is long ago.
fn left(last: &str, now: &Now, apart: Duration) -> Duration {
    let at = last.split_once(' ').filter(|(boot_id, _)| *boot_id == &*now.boot_id);
    let since = at.and_then(|(_, ms)| u64::try_from(now.boot_ms - ms.parse::<i64>().ok()?).ok());
    since.map_or(Duration::ZERO, |since| apart.saturating_sub(Duration::from_millis(since)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_comes_when_the_last_one_is_long_enough_ago() {
        let now = Now { wall_ms: 0, boot_ms: 10_000, awake_ms: 0, boot_id: "boot-1".into() };
        let left = |last: &str| left(last, &now, Duration::from_secs(1)).as_millis();
        assert_eq!((left("boot-1 9400"), left("boot-1 10000"), left("boot-1 8000")), (400, 1000, 0));
        for other in ["", "boot-2 9900", "boot-1 soon", "boot-1 12000", "boot-1"] {
            assert_eq!(left(other), 0, "{other}");
        }
    }

    #[test]
    fn only_a_store_keeps_a_file_and_a_host_is_a_name_in_it() {
        let named = |host: &str| file(host, Path::new("/home/ada/outtray/attachments"));
        assert_eq!(named("api.github.com"), Some("/home/ada/outtray/pace-api.github.com".into()));
        assert_eq!(named("127.0.0.1:80/../x"), Some("/home/ada/outtray/pace-127.0.0.1_80_.._x".into()));
        assert_eq!(file("api.github.com", Path::new("/tmp/x")), None);
    }
}
