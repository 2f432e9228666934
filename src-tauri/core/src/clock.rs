//! The one reader of the system's clocks. Everything else is handed a [`Now`].
//!
//! Three clocks, because they answer three questions. *Wall* time is for people and for "file later"; it
//! jumps. *Boot* time counts leases and backoff: it goes on through sleep and starts over, under another
//! boot id, with the machine. *Awake* time stands still in sleep, as a kernel's socket buffers do, and
//! counts quiet time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// One reading of all clocks, in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    /// Since 1970, UTC.
    pub wall_ms: i64,
    /// Since the machine started, sleep included.
    pub boot_ms: i64,
    /// Since the machine started, sleep left out.
    pub awake_ms: i64,
    /// Which start of the machine that was.
    pub boot_id: Arc<str>,
}

impl Now {
    /// The wall time `boot_ms` of this boot stands for.
    pub fn wall_of_boot(&self, boot_ms: i64) -> i64 {
        self.wall_ms.saturating_add(boot_ms.saturating_sub(self.boot_ms))
    }
}

/// Reads the clocks and sleeps by them.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// Returns the time now.
    fn now(&self) -> Now;

    /// Waits until the boot clock shows `boot_ms`, also when the machine slept meanwhile.
    async fn sleep_until(&self, boot_ms: i64);
}

/// The machine's own clocks.
#[derive(Debug, Clone)]
pub struct SystemClock {
    boot_id: Arc<str>,
}

impl SystemClock {
    /// Reads the boot id once; it cannot change while this process lives.
    pub fn new() -> Self {
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let boot_id = boot_id.trim();
        Self { boot_id: if boot_id.is_empty() { "unknown".into() } else { boot_id.into() } }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Now {
        use rustix::time::{ClockId, clock_gettime};
        let ms = |id| {
            let at = clock_gettime(id);
            at.tv_sec * 1000 + at.tv_nsec / 1_000_000
        };
        Now {
            wall_ms: ms(ClockId::Realtime),
            boot_ms: ms(ClockId::Boottime),
            awake_ms: ms(ClockId::Monotonic),
            boot_id: Arc::clone(&self.boot_id),
        }
    }

    async fn sleep_until(&self, boot_ms: i64) {
        // tokio's timers stand still while the machine sleeps; a timer on the boot clock does not.
        while self.now().boot_ms < boot_ms {
            if boot_timer(boot_ms).await.is_err() {
                let left = u64::try_from(boot_ms - self.now().boot_ms).unwrap_or(0);
                tokio::time::sleep(Duration::from_millis(left.min(1000))).await;
            }
        }
    }
}

async fn boot_timer(boot_ms: i64) -> std::io::Result<()> {
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    let timer = timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
    let at = Timespec { tv_sec: boot_ms / 1000, tv_nsec: (boot_ms % 1000) * 1_000_000 };
    let never = Timespec { tv_sec: 0, tv_nsec: 0 };
    timerfd_settime(&timer, TimerfdTimerFlags::ABSTIME, &Itimerspec { it_interval: never, it_value: at })?;
    // Marked deprecated for types that could give their descriptor away while registered; an owned one cannot.
    #[allow(deprecated)]
    let timer = tokio::io::unix::AsyncFd::with_interest(timer, tokio::io::Interest::READABLE)?;
    let _ready = timer.readable().await?;
    Ok(())
}

/// Keeps acts of one kind apart in time, within one process.
#[derive(Debug, Default)]
pub struct Pace(tokio::sync::Mutex<Option<tokio::time::Instant>>);

impl Pace {
    /// Waits until the last turn is `apart` ago, and takes the next.
    pub async fn turn(&self, apart: Duration) {
        // Held while waiting, so that those who come meanwhile stand in line.
        let mut last = self.0.lock().await;
        if let Some(last) = *last {
            tokio::time::sleep_until(last + apart).await;
        }
        *last = Some(tokio::time::Instant::now());
    }
}

/// Returns what tells this machine from another one.
pub fn machine_id() -> String {
    ["/etc/machine-id", "/var/lib/dbus/machine-id"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok())
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// A clock that moves only when it is told to: for tests.
#[derive(Debug, Clone)]
pub struct ManualClock {
    now: Arc<Mutex<Now>>,
    moved: Arc<tokio::sync::Notify>,
}

impl ManualClock {
    /// A clock that shows `wall_ms` and an hour since the machine's start.
    pub fn new(wall_ms: i64) -> Self {
        let now = Now { wall_ms, boot_ms: 3_600_000, awake_ms: 3_600_000, boot_id: "boot-1".into() };
        Self { now: Arc::new(Mutex::new(now)), moved: Arc::default() }
    }

    /// Lets time pass on all clocks.
    pub fn advance(&self, by: Duration) {
        let ms = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.change(|now| {
            now.wall_ms += ms;
            now.boot_ms += ms;
            now.awake_ms += ms;
        });
    }

    /// Lets the machine sleep: only the awake clock stands still.
    pub fn suspend(&self, for_: Duration) {
        let ms = i64::try_from(for_.as_millis()).unwrap_or(i64::MAX);
        self.change(|now| {
            now.wall_ms += ms;
            now.boot_ms += ms;
        });
    }

    /// Starts the machine again: a new boot id, boot clocks near nothing.
    pub fn reboot(&self, boot_id: &str) {
        self.change(|now| {
            now.boot_id = boot_id.into();
            now.boot_ms = 5_000;
            now.awake_ms = 5_000;
        });
    }

    /// Moves only the wall clock, as a person or a time server may.
    pub fn set_wall(&self, wall_ms: i64) {
        self.change(|now| now.wall_ms = wall_ms);
    }

    fn change(&self, change: impl FnOnce(&mut Now)) {
        change(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner));
        self.moved.notify_waiters();
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Now {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn sleep_until(&self, boot_ms: i64) {
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            if self.now().boot_ms >= boot_ms {
                return;
            }
            moved.await;
        }
    }
}

/// A wall time as scripts and people read it: RFC 3339, UTC, to the second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(pub String);

impl Stamp {
    /// Writes `wall_ms` down.
    pub fn of(wall_ms: i64) -> Self {
        let at = jiff::Timestamp::from_millisecond(wall_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let second = jiff::Timestamp::from_second(at.as_second()).unwrap_or(at);
        Self(second.to_string())
    }
}
