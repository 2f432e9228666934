//! Who we are there, and whether we may file: what a test of the destination asks.

use super::Redmine;
use super::shapes::{Current, Found};
use crate::tracker::address::bare;
use crate::tracker::{Account, Cause, CauseKind, Reply};

impl Redmine {
    pub(super) async fn ask_account(&self) -> Result<Account, Reply> {
        let login = self.ask_login().await?;
        let project = self.ask_project(&login).await?;
        Ok(Account {
            words: format!("Redmine, signed in as {login}, files in {project}."),
            login: Some(login),
        })
    }

    async fn ask_login(&self) -> Result<String, Reply> {
        // The answer holds the key itself, so nothing of it goes into words or the log.
        let answer = self.http.get(self.http.url(&["users", "current.json"])).await?;
        match answer.success::<Current>(&[200]) {
            Ok(current) => Ok(current.user.login),
            Err(Reply::Doubt(cause)) if cause.kind == CauseKind::NotTheTracker => Err(self.nobody(cause)),
            Err(Reply::Refused(cause)) if answer.head.status == 404 => Err(self.nobody(cause)),
            Err(Reply::SignIn(cause)) => Err(Reply::SignIn(Cause {
                words: format!(
                    "{} did not accept the key. It is on “My account”, and Redmine’s REST API has to be switched on.",
                    answer.host
                ),
                ..cause
            })),
            Err(reply) => Err(reply),
        }
    }

    async fn ask_project(&self, login: &str) -> Result<String, Reply> {
        let project = &self.project;
        let mut url = self.http.url(&["projects", &format!("{project}.json")]);
        url.set_query(Some("include=enabled_modules"));
        let answer = self.http.get(url).await?;
        let setup = |words: String| Reply::Refused(answer.cause(CauseKind::Setup, words));
        if matches!(answer.head.status, 403 | 404) {
            return Err(setup(format!("{project} is not there or archived, or {login} may not see it.")));
        }
        let found = answer.success::<Found>(&[200])?.project;
        if found.status != 1 {
            return Err(setup(format!("{} is closed and takes no issues.", found.name)));
        }
        let tracks = |modules: &Vec<super::shapes::Module>| {
            modules.iter().any(|module| module.name == "issue_tracking")
        };
        if !found.enabled_modules.as_ref().is_none_or(tracks) {
            return Err(setup(format!("The issues of {} are switched off.", found.name)));
        }
        Ok(found.name)
    }

    fn nobody(&self, cause: Cause) -> Reply {
        let words = format!("No Redmine answers at {}. Check the address.", bare(self.http.base()));
        Reply::Refused(Cause { kind: CauseKind::Setup, words, ..cause })
    }
}
