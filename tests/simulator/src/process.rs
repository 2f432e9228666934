//! One process: the production drainer over the production outbox, on a thread that runs only when it is let.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use outtray_core::Problem;
use outtray_core::clock::Clock as _;
use outtray_core::drainer::{Drainer, Stop, Until};
use outtray_core::outbox::Outbox;
use outtray_core::secrets::Secrets;
use outtray_core::store::{Adoption, Store};
use secrecy::SecretString;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::clock::SimClock;
use crate::tracker::{Door, World};

/// How often every task of a process gets its turn before it is asked whether it has come to rest.
const TURNS: u32 = 3;

/// The token that every process of the machine knows.
#[derive(Clone, Default)]
pub(crate) struct Pocket(Arc<Mutex<String>>);

impl Pocket {
    pub(crate) fn put(&self, token: &str) {
        token.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[async_trait]
impl Secrets for Pocket {
    async fn token(&self, _name: &str) -> Result<Option<SecretString>, Problem> {
        Ok(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().into()))
    }

    async fn keep(&self, _name: &str, _token: SecretString) -> Result<(), Problem> {
        Ok(())
    }

    async fn forget(&self, _name: &str) -> Result<(), Problem> {
        Ok(())
    }
}

pub(crate) struct Process {
    pub(crate) id: u64,
    pub(crate) outbox: Outbox,
    /// Stopped, as by SIGSTOP.
    pub(crate) is_frozen: bool,
    clock: SimClock,
    stop: watch::Sender<Stop>,
    runtime: Runtime,
}

impl Process {
    pub(crate) fn start(
        id: u64,
        home: &Path,
        clock: &SimClock,
        world: &World,
        pocket: &Pocket,
    ) -> Result<Self, Problem> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            Problem::new(outtray_core::Code::Internal, "There is no room for another process.").because(error)
        })?;
        let outbox = {
            let _inside = runtime.enter();
            Outbox::new(Arc::new(Store::open(home, Adoption::No, &clock.now())?))
        };
        let (stop, stopping) = watch::channel(Stop::Not);
        let trackers = Arc::new(Door { world: world.clone(), process: id });
        let drainer = Drainer::new(
            outbox.clone(),
            Arc::new(clock.clone()),
            Arc::new(pocket.clone()),
            trackers,
            home.join("attachments"),
            stopping,
        );
        let store = Arc::clone(outbox.store());
        runtime.spawn(async move { store.listen().await });
        let waits = clock.clone();
        runtime.spawn(async move {
            // As the engine does: what ends a run before it is told to stop is trouble with the store.
            while drainer.run(Until::Stopped).await.is_err() {
                waits.sleep_until(waits.now().boot_ms + 5_000).await;
            }
        });
        Ok(Self { id, outbox, is_frozen: false, clock: clock.clone(), stop, runtime })
    }

    /// Lets every task go as far as it gets at this moment.
    pub(crate) fn turn(&self) {
        self.runtime.block_on(async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Asks it to quit, as SIGTERM does: what is in flight may finish until then.
    pub(crate) fn ask_to_quit(&self, within: Duration) {
        let within_ms = i64::try_from(within.as_millis()).unwrap_or(i64::MAX);
        self.stop.send_replace(Stop::By(self.clock.now().boot_ms.saturating_add(within_ms)));
    }

    /// Ends it from one moment to the next, as SIGKILL does.
    pub(crate) fn kill(self, world: &World) {
        world.books().process_gone(self.id);
        self.outbox.store().vanish();
        drop(self.runtime);
    }

    /// Ends it after it was asked to quit.
    pub(crate) fn leave(self, world: &World) {
        world.books().process_gone(self.id);
        let outbox = self.outbox;
        drop(self.runtime);
        let _written = outbox.leave(&self.clock.now());
    }
}
