//! A milestone and people, looked up by name when an issue is sent. Who has gone by then is left out and told: an issue
//! without is better than none.

use super::catalogue::is_about_one;
use super::{CauseKind, Reply};
use crate::issue::Issue;

/// Something that a project has: the number the tracker goes by, and the name that people do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) number: i64,
    pub(super) name: String,
}

/// What was chosen for an issue, as far as it is there.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) milestone: Option<Known>,
    pub(super) assignees: Vec<Known>,
    /// What is not there any more: "the milestone “2.0”".
    pub(super) lacks: Vec<String>,
}

impl Chosen {
    pub(super) fn is_empty(&self) -> bool {
        self.milestone.is_none() && self.assignees.is_empty()
    }

    pub(super) fn logins(&self) -> Vec<&str> {
        self.assignees.iter().map(|person| person.name.as_str()).collect()
    }

    /// What an issue lacks of it, given what it has now: trackers drop in silence what an account may not set. An answer
    /// that does not say it is believed.
    pub(super) fn dropped(&self, milestone: Option<&str>, assignees: Option<&[String]>) -> Vec<String> {
        let title = self.milestone.as_ref().map(|milestone| milestone.name.as_str());
        let is_unset = title.filter(|title| milestone != Some(title) && assignees.is_some());
        let is_absent = |person: &&Known| {
            assignees.is_some_and(|set| !set.iter().any(|login| login.eq_ignore_ascii_case(&person.name)))
        };
        let people = self.assignees.iter().filter(is_absent).map(|person| assignee(&person.name));
        is_unset.map(self::milestone).into_iter().chain(people).collect()
    }

    /// All of it in words, as lacking.
    pub(super) fn words(&self) -> Vec<String> {
        let people = self.assignees.iter().map(|person| assignee(&person.name));
        self.milestone.iter().map(|known| milestone(&known.name)).chain(people).collect()
    }
}

/// Looks up what was chosen for an issue. Each list is asked for only where something was.
///
/// # Errors
/// What stands in the way of the create, too. Nothing of that has left, so nothing here is doubt.
pub(super) async fn choose(
    issue: &Issue,
    milestones: impl Future<Output = Result<Vec<Known>, Reply>> + Send,
    people: impl Future<Output = Result<Vec<Known>, Reply>> + Send,
) -> Result<Chosen, Reply> {
    let mut chosen = Chosen::default();
    if let Some(title) = &issue.milestone {
        chosen.milestone = find(&lenient(milestones.await)?, title);
        if chosen.milestone.is_none() {
            chosen.lacks.push(milestone(title));
        }
    }
    if !issue.assignees.is_empty() {
        let known = lenient(people.await)?;
        for login in &issue.assignees {
            match find(&known, login).filter(|person| is_one(&known, person)) {
                Some(person) if !chosen.assignees.contains(&person) => chosen.assignees.push(person),
                Some(_) => {}
                None => chosen.lacks.push(assignee(login)),
            }
        }
    }
    Ok(chosen)
}

/// What is asked beside a create leaves no doubt about it; what the tracker does not show is not there.
pub(super) fn lenient<T>(asked: Result<Vec<T>, Reply>) -> Result<Vec<T>, Reply> {
    match asked {
        Err(Reply::Doubt(cause)) => Err(Reply::NotSent(cause)),
        Err(Reply::Refused(cause)) if cause.kind != CauseKind::Redirect => {
            tracing::info!(detail = cause.detail, "a list cannot be read, and is left out");
            Ok(Vec::new())
        }
        // A token may file issues and not read this list.
        Err(Reply::SignIn(cause)) if is_about_one(&cause) => Ok(Vec::new()),
        asked => asked,
    }
}

/// By name: exactly, else whatever the case.
fn find(known: &[Known], name: &str) -> Option<Known> {
    let exact = known.iter().find(|known| known.name == name);
    let alike = || known.iter().find(|known| known.name.to_lowercase() == name.to_lowercase());
    exact.or_else(alike).cloned()
}

/// Whether nobody else goes by that name: rather nobody is asked to see to an issue than somebody else.
fn is_one(known: &[Known], person: &Known) -> bool {
    !known.iter().any(|other| other.name == person.name && other.number != person.number)
}

fn milestone(title: &str) -> String {
    format!("the milestone “{title}”")
}

fn assignee(login: &str) -> String {
    format!("the assignee “{login}”")
}
