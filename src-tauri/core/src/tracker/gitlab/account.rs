//! Who we are there, and whether we may file: what a test of the destination asks.

use super::GitLab;
use super::shapes::{Project, Token, User};
use crate::tracker::address::bare;
use crate::tracker::http::Call;
use crate::tracker::{Account, Cause, CauseKind, Reply};

impl GitLab {
    pub(super) async fn ask_account(&self) -> Result<Account, Reply> {
        let login = self.ask_login().await?;
        self.ask_scopes().await?;
        let project = self.ask_project().await?;
        Ok(Account {
            words: format!("GitLab, signed in as {login}, may file in {project}."),
            login: Some(login),
        })
    }

    async fn ask_login(&self) -> Result<String, Reply> {
        let answer = self.http.get(self.api(&["user"])).await?;
        match answer.success::<User>(&[200]) {
            Ok(user) => Ok(user.username),
            Err(Reply::Doubt(cause)) if cause.kind == CauseKind::NotTheTracker => Err(self.nobody(cause)),
            Err(Reply::Refused(cause)) if answer.head.status == 404 => Err(self.nobody(cause)),
            Err(Reply::Refused(_)) if answer.head.status == 403 => self.read(&answer, &[200]),
            Err(reply) => Err(reply),
        }
    }

    /// Says which scope is missing, where GitLab tells the token's. Not every kind of token has any.
    async fn ask_scopes(&self) -> Result<(), Reply> {
        let answer = self.http.get(self.api(&["personal_access_tokens", "self"])).await?;
        let scopes = answer.success::<Token>(&[200]).ok().and_then(|token| token.scopes);
        if scopes.is_none_or(|scopes| scopes.iter().any(|scope| scope == "api")) {
            return Ok(());
        }
        let words = "The token may only read: filing needs the scope “api”.".to_owned();
        Err(Reply::SignIn(answer.cause(CauseKind::SignIn, words)))
    }

    async fn ask_project(&self) -> Result<String, Reply> {
        let answer = self.ask(&[], Call::get).await?;
        let project: Project = self.read(&answer, &[200])?;
        let name = project.path_with_namespace;
        let setup = |words: String| Err(Reply::Refused(answer.cause(CauseKind::Setup, words)));
        if project.archived {
            return setup(format!("{name} is archived and takes no issues."));
        }
        if project.issues_enabled == Some(false) || project.issues_access_level.as_deref() == Some("disabled")
        {
            return setup(format!("The issues of {name} are switched off."));
        }
        Ok(name)
    }

    fn nobody(&self, cause: Cause) -> Reply {
        let words = format!("No GitLab answers at {}. Check the address.", bare(self.http.base()));
        Reply::Refused(Cause { kind: CauseKind::Setup, words, ..cause })
    }
}
