//! Who we are there, and whether we may file: what a test of the destination asks.

use super::GitHub;
use super::shapes::{Repository, User};
use crate::tracker::address::bare;
use crate::tracker::http::Call;
use crate::tracker::{Account, Cause, CauseKind, Reply};

impl GitHub {
    pub(super) async fn ask_account(&self) -> Result<Account, Reply> {
        let login = self.ask_login().await?;
        let repository = self.ask_repository().await?;
        let who =
            login.as_deref().map_or_else(|| "signed in".to_owned(), |login| format!("signed in as {login}"));
        let pictures = match (repository.may_push(), &self.branch) {
            (true, _) => "",
            (false, Some(_)) => " Labels will be left out: this account may not set them.",
            (false, None) => " Labels and pictures will be left out: this account may not write there.",
        };
        let words = format!("GitHub, {who}, may file in {}.{pictures}", repository.full_name);
        Ok(Account { login, words })
    }

    async fn ask_login(&self) -> Result<Option<String>, Reply> {
        let answer = self.http.get(self.http.url(&["user"])).await?;
        match self.read::<User>(&answer, &[200]) {
            Ok(user) if may_file(answer.head.scopes.as_deref()) => Ok(Some(user.login)),
            Ok(user) => Err(Reply::SignIn(answer.cause(
                CauseKind::SignIn,
                format!("The token of {} may not file issues: it needs the scope “repo”.", user.login),
            ))),
            // A token of an app is nobody's.
            Err(Reply::SignIn(_) | Reply::Refused(_)) if answer.head.status == 403 => Ok(None),
            Err(Reply::Doubt(cause)) if cause.kind == CauseKind::NotTheTracker => Err(self.nobody(cause)),
            Err(Reply::Refused(cause)) if answer.head.status == 404 => Err(self.nobody(cause)),
            Err(reply) => Err(reply),
        }
    }

    /// The repository as it is now, and that it takes issues.
    async fn ask_repository(&self) -> Result<Repository, Reply> {
        let answer = self.ask(&[], Call::get).await?;
        let repository: Repository = self.read(&answer, &[200])?;
        let setup = |words: String| Err(Reply::Refused(answer.cause(CauseKind::Setup, words)));
        let name = &repository.full_name;
        if repository.archived || repository.disabled {
            return setup(format!("{name} is archived and takes no issues."));
        }
        if !repository.has_issues {
            return setup(format!("The issues of {name} are switched off."));
        }
        Ok(repository)
    }

    fn nobody(&self, cause: Cause) -> Reply {
        let words = format!("No GitHub answers at {}. Check the address.", bare(&self.web));
        Reply::Refused(Cause { kind: CauseKind::Setup, words, ..cause })
    }
}

/// Whether the scopes of a classic token let it file: all repositories, or the public ones. Whether the one in question
/// is public, the create tells.
fn may_file(scopes: Option<&str>) -> bool {
    let told = scopes.map(str::trim).filter(|scopes| !scopes.is_empty());
    told.is_none_or(|scopes| scopes.split(',').any(|scope| matches!(scope.trim(), "repo" | "public_repo")))
}
