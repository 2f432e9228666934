//! What a project offers to choose from, and which projects there are.

use serde::de::DeserializeOwned;
use url::Url;

use super::shapes::{Issue, Label, Milestone, Repository, Template, User};
use super::{Gitea, shapes};
use crate::issue::{self, Offer, Part, Project};
use crate::tracker::catalogue::{MOST, MOST_PROJECTS, MOST_TEMPLATES, MOST_TITLES, Read, Reading};
use crate::tracker::chosen::Known;
use crate::tracker::{CauseKind, Reply, catalogue, listing, template};

const PAGE: usize = 50;
const MOST_PAGES: usize = 20;

impl Gitea {
    pub(super) async fn read_catalogue(&self) -> Vec<Read> {
        let mut reading = Reading::default();
        reading.read(Part::Labels, self.offered_labels()).await;
        reading.read(Part::Milestones, self.offered_milestones()).await;
        reading.read(Part::Assignees, self.offered_people()).await;
        reading.read(Part::Templates, self.offered_templates()).await;
        reading.read(Part::Titles, self.offered_titles()).await;
        reading.done()
    }

    async fn offered_labels(&self) -> Result<Offer, Reply> {
        let mut labels: Vec<Label> = self.list(self.in_project(&["labels"]), PAGE, MOST).await?;
        labels.extend(self.labels_of_the_owner().await?);
        let label = |label: Label| {
            catalogue::label(&label.name, label.color.as_deref(), label.description.as_deref())
                .filter(|_| !label.is_archived)
        };
        Ok(Offer::Labels(labels.into_iter().filter_map(label).take(MOST).collect()))
    }

    /// An owner that is no organisation has none, and answers so.
    async fn labels_of_the_owner(&self) -> Result<Vec<Label>, Reply> {
        match self.list(self.api(&["orgs", &self.owner, "labels"]), PAGE, MOST).await {
            Err(Reply::Refused(cause)) if cause.kind != CauseKind::Redirect => Ok(Vec::new()),
            Err(Reply::SignIn(cause)) if catalogue::is_about_one(&cause) => Ok(Vec::new()),
            labels => labels,
        }
    }

    async fn offered_milestones(&self) -> Result<Offer, Reply> {
        let milestones = self.open_milestones().await?;
        let milestone = |known: Known| issue::Milestone { number: known.number, title: known.name };
        Ok(Offer::Milestones(milestones.into_iter().map(milestone).collect()))
    }

    /// The milestones that are open, by the number that an issue names.
    pub(super) async fn open_milestones(&self) -> Result<Vec<Known>, Reply> {
        let mut url = self.in_project(&["milestones"]);
        url.query_pairs_mut().append_pair("state", "open");
        let milestones: Vec<Milestone> = self.list(url, PAGE, MOST).await?;
        let known = |milestone: Milestone| Known { number: milestone.id, name: milestone.title };
        Ok(milestones.into_iter().map(known).filter(|known| !known.name.is_empty()).collect())
    }

    async fn offered_people(&self) -> Result<Offer, Reply> {
        let people = self.people().await?.into_iter().take(MOST);
        let person = |user: User| catalogue::person(&user.login, user.full_name.as_deref());
        Ok(Offer::Assignees(people.filter_map(person).collect()))
    }

    /// Those an issue can be assigned to. This list has no pages.
    async fn people(&self) -> Result<Vec<User>, Reply> {
        let answer = self.get(self.in_project(&["assignees"])).await?;
        answer.success(&[200]).map_err(|reply| self.known_refusal(reply, &answer))
    }

    pub(super) async fn known_people(&self) -> Result<Vec<Known>, Reply> {
        let known = |user: User| Known { number: user.id, name: user.login };
        Ok(self.people().await?.into_iter().map(known).collect())
    }

    async fn offered_templates(&self) -> Result<Offer, Reply> {
        let answer = self.get(self.in_project(&["issue_templates"])).await?;
        let read: Option<Vec<Template>> =
            answer.success(&[200]).map_err(|reply| self.known_refusal(reply, &answer))?;
        let read = read.unwrap_or_default().into_iter().take(MOST_TEMPLATES);
        let offered = read.filter_map(|found| {
            let stem = found.file_name.rsplit('/').next()?.rsplit_once('.')?.0.to_owned();
            let body = match &found.body {
                Some(fields) if !fields.is_empty() => template::markdown(fields),
                _ => found.content,
            };
            template::written(&found.head, &stem, body)
        });
        Ok(Offer::Templates(offered.collect()))
    }

    async fn offered_titles(&self) -> Result<Offer, Reply> {
        let mut url = self.in_project(&["issues"]);
        url.query_pairs_mut().append_pair("state", "all").append_pair("type", "issues");
        let issues: Vec<Issue> = self.list(url, listing::PAGE, MOST_TITLES).await?;
        let title = |found: &shapes::Issue| {
            let open = found.state.as_deref() != Some("closed");
            catalogue::known(found.title.as_deref(), self.receipt(found), open)
        };
        let issues = issues.iter().filter(|issue| issue.pull_request.is_none());
        Ok(Offer::Titles(issues.filter_map(title).collect()))
    }

    pub(super) async fn read_projects(&self) -> Result<Vec<Project>, Reply> {
        let all: Vec<Repository> = self.list(self.api(&["user", "repos"]), PAGE, MOST_PROJECTS).await?;
        let takes = |one: &Repository| {
            one.has_issues && !one.archived && one.permissions.as_ref().is_none_or(|may| may.pull)
        };
        let project = |one: Repository| Project { project: one.full_name, name: None };
        Ok(all.into_iter().filter(takes).map(project).collect())
    }

    /// Reads a list, page after page, to its end or to `most` entries.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        url: Url,
        page_size: usize,
        most: usize,
    ) -> Result<Vec<T>, Reply> {
        let mut all = Vec::new();
        for page in 1..=MOST_PAGES {
            let mut url = url.clone();
            url.query_pairs_mut()
                .append_pair("page", &page.to_string())
                .append_pair("limit", &page_size.to_string());
            let answer = self.get(url).await?;
            let shown: Vec<T> = answer.success(&[200]).map_err(|reply| self.known_refusal(reply, &answer))?;
            let count = shown.len();
            all.extend(shown);
            if answer.ends(count, page_size, all.len()) || all.len() >= most {
                break;
            }
        }
        all.truncate(most);
        Ok(all)
    }
}
