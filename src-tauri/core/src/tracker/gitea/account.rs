//! Who we are there, and whether we may file: what a test of the destination asks.

use super::Gitea;
use super::shapes::{Repository, User, Version};
use crate::tracker::address::bare;
use crate::tracker::{Account, Cause, CauseKind, Reply};

impl Gitea {
    pub(super) async fn ask_account(&self) -> Result<Account, Reply> {
        let server = self.ask_server().await?;
        let login = self.ask_login().await?;
        let (project, may_label) = self.ask_project(login.as_deref()).await?;
        let who = login.as_deref().map_or_else(
            // A token that may file issues need not be allowed to say whose it is.
            || "signed in".to_owned(),
            |login| format!("signed in as {login}"),
        );
        let labels = if may_label { "" } else { " Labels will be left out: this account may not set them." };
        Ok(Account { login, words: format!("{server}, {who}, may file in {project}.{labels}") })
    }

    /// The server's name and version; some tell their version only to people who are signed in.
    async fn ask_server(&self) -> Result<String, Reply> {
        let answer = self.get(self.api(&["version"])).await?;
        match answer.success::<Version>(&[200]) {
            Ok(Version { version }) => {
                let short: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
                let name = if version.contains("+gitea") || version.contains("forgejo") {
                    "Forgejo"
                } else {
                    "Gitea"
                };
                Ok(format!("{name} {short}").trim_end().to_owned())
            }
            Err(Reply::SignIn(_)) => Ok("Gitea".to_owned()),
            Err(Reply::Refused(cause)) if cause.kind == CauseKind::Refused && answer.head.status == 403 => {
                Ok("Gitea".to_owned())
            }
            Err(Reply::Doubt(cause)) if cause.kind == CauseKind::NotTheTracker => Err(self.nobody(cause)),
            Err(Reply::Refused(cause)) if answer.head.status == 404 => Err(self.nobody(cause)),
            Err(reply) => Err(reply),
        }
    }

    async fn ask_login(&self) -> Result<Option<String>, Reply> {
        let answer = self.get(self.api(&["user"])).await?;
        match answer.success::<User>(&[200]) {
            Ok(user) => Ok(Some(user.login)),
            Err(Reply::SignIn(_) | Reply::Refused(_)) if answer.head.status == 403 => Ok(None),
            Err(reply) => Err(reply),
        }
    }

    async fn ask_project(&self, login: Option<&str>) -> Result<(String, bool), Reply> {
        let project = self.project();
        let answer = self.get(self.in_project(&[])).await?;
        let setup = |words: String| Reply::Refused(answer.cause(CauseKind::Setup, words));
        if answer.head.status == 404 {
            let who = login.unwrap_or("this account");
            return Err(setup(format!("{project} is not there, or {who} may not see it.")));
        }
        let repository = answer.success::<Repository>(&[200])?;
        if repository.archived {
            return Err(setup(format!("{project} is archived and takes no issues.")));
        }
        if !repository.has_issues {
            return Err(setup(format!("The issues of {project} are switched off.")));
        }
        let permissions = repository.permissions;
        if permissions.as_ref().is_some_and(|may| !may.pull) {
            return Err(setup(format!("This account may not read {project}, so it cannot file there.")));
        }
        Ok((repository.full_name, permissions.is_none_or(|may| may.push)))
    }

    fn nobody(&self, cause: Cause) -> Reply {
        let words = format!("No Gitea or Forgejo answers at {}. Check the address.", bare(self.http.base()));
        Reply::Refused(Cause { kind: CauseKind::Setup, words, ..cause })
    }
}
