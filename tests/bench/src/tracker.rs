//! A tracker inside the process, which answers after a while or never, and a pocket with its token.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use outtray_core::Problem;
use outtray_core::issue::{Destination, Issue, Receipt};
use outtray_core::secrets::Secrets;
use outtray_core::tracker::{Account, Cause, Done, Limits, Look, Reply, Seen, Step, Tracker, Trackers};
use secrecy::SecretString;
use url::Url;

/// How long it takes to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// After so long.
    After(Duration),
    /// Never.
    Never,
}

/// Opens the tracker for every destination.
#[derive(Debug, Clone, Copy)]
pub struct Scripted(pub Answers);

#[async_trait]
impl Tracker for Scripted {
    async fn account(&self) -> Result<Account, Reply> {
        self.wait().await;
        Ok(Account { login: Some("ada".to_owned()), words: String::new() })
    }

    async fn send(&self, _issue: &Issue, step: Step<'_>) -> Reply {
        self.wait().await;
        let receipt = matches!(step, Step::Create { .. }).then(receipt);
        let reference = matches!(step, Step::Upload { .. }).then(|| "asset".to_owned());
        Reply::Done(Done { reference, receipt, login: None, told: None })
    }

    async fn recognise(&self, _issue: &Issue, _link: &Url) -> Result<Option<Receipt>, Reply> {
        Ok(None)
    }

    async fn look(&self, _issue: &Issue, _look: Look<'_>) -> Result<Seen, Reply> {
        self.wait().await;
        Ok(Seen { issues: vec![receipt()], references: vec!["asset".to_owned()] })
    }
}

impl Scripted {
    async fn wait(&self) {
        match self.0 {
            Answers::After(Duration::ZERO) => {}
            Answers::After(latency) => tokio::time::sleep(latency).await,
            Answers::Never => std::future::pending().await,
        }
    }
}

impl Trackers for Scripted {
    fn open(
        &self,
        _destination: &Destination,
        _token: Option<SecretString>,
        _attachments: &Path,
        _limits: Limits,
    ) -> Result<Box<dyn Tracker>, Cause> {
        Ok(Box::new(*self))
    }
}

/// A receipt with a number that nobody had before.
fn receipt() -> Receipt {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    Receipt { number: number.to_string(), url: format!("http://127.0.0.1:1/ada/demo/issues/{number}") }
}

/// One token for every destination.
#[derive(Debug, Clone, Copy)]
pub struct Pocket;

#[async_trait]
impl Secrets for Pocket {
    async fn token(&self, _name: &str) -> Result<Option<SecretString>, Problem> {
        Ok(Some(outtray_support::TOKEN.into()))
    }

    async fn keep(&self, _name: &str, _token: SecretString) -> Result<(), Problem> {
        Ok(())
    }

    async fn forget(&self, _name: &str) -> Result<(), Problem> {
        Ok(())
    }
}
