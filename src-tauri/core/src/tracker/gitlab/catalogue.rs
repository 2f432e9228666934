//! What a project offers to choose from, and which projects there are.

use serde::de::DeserializeOwned;
use url::Url;

use super::shapes::{Issue, Label, Milestone, Project, Template, User};
use super::{GitLab, shapes};
use crate::issue::{self, Offer, Part};
use crate::tracker::answer::Answer;
use crate::tracker::catalogue::{MOST, MOST_PROJECTS, MOST_TEMPLATES, MOST_TITLES, Read, Reading};
use crate::tracker::chosen::Known;
use crate::tracker::http::Call;
use crate::tracker::{Reply, catalogue, listing};

const PAGE: usize = 100;
const MOST_PAGES: usize = 20;

impl GitLab {
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
        let labels: Vec<Label> = self.list(&["labels"], &[], PAGE, MOST).await?;
        let label = |label: &Label| {
            catalogue::label(&label.name, label.color.as_deref(), label.description.as_deref())
        };
        Ok(Offer::Labels(labels.iter().filter_map(label).collect()))
    }

    async fn offered_milestones(&self) -> Result<Offer, Reply> {
        let milestones = self.open_milestones().await?;
        let milestone = |known: Known| issue::Milestone { number: known.number, title: known.name };
        Ok(Offer::Milestones(milestones.into_iter().map(milestone).collect()))
    }

    /// The milestones that are open, those of its groups included, by the number that an issue names.
    pub(super) async fn open_milestones(&self) -> Result<Vec<Known>, Reply> {
        let query = [("state", "active"), ("include_ancestors", "true")];
        let milestones: Vec<Milestone> = self.list(&["milestones"], &query, PAGE, MOST).await?;
        let known = |milestone: Milestone| Known { number: milestone.id, name: milestone.title };
        Ok(milestones.into_iter().map(known).filter(|known| !known.name.is_empty()).collect())
    }

    async fn offered_people(&self) -> Result<Offer, Reply> {
        let people: Vec<User> = self.list(&["users"], &[], PAGE, MOST).await?;
        let people = people.iter().filter(|user| user.is_active());
        let person = |user: &User| catalogue::person(&user.username, user.name.as_deref());
        Ok(Offer::Assignees(people.filter_map(person).collect()))
    }

    /// Those of `logins` that an issue can be assigned to: each is searched for, since the list may be long.
    pub(super) async fn known_people(&self, logins: &[String]) -> Result<Vec<Known>, Reply> {
        let mut known = Vec::new();
        for login in logins {
            let found: Vec<User> = self.list(&["users"], &[("search", login.as_str())], PAGE, MOST).await?;
            let found = found.into_iter().filter(User::is_active);
            known.extend(found.map(|user| Known { number: user.id, name: user.username }));
        }
        Ok(known)
    }

    async fn offered_templates(&self) -> Result<Offer, Reply> {
        let all: Vec<Template> = self.list(&["templates", "issues"], &[], PAGE, MOST_TEMPLATES).await?;
        let mut offered = Vec::new();
        for listed in all {
            let key = listed.key.as_deref().unwrap_or(&listed.name);
            let answer = self.ask(&["templates", "issues", key], Call::get).await?;
            let found: Template = self.read(&answer, &[200])?;
            offered.extend(catalogue::template(issue::Template {
                name: listed.name,
                about: None,
                title: String::new(),
                labels: Vec::new(),
                assignees: Vec::new(),
                body: found.content.unwrap_or_default(),
            }));
        }
        Ok(Offer::Templates(offered))
    }

    async fn offered_titles(&self) -> Result<Offer, Reply> {
        let latest = [("scope", "all"), ("state", "all"), ("order_by", "updated_at"), ("sort", "desc")];
        let issues: Vec<Issue> = self.list(&["issues"], &latest, listing::PAGE, MOST_TITLES).await?;
        let title = |found: &shapes::Issue| {
            let receipt = self.receipt(found).unwrap_or_else(|| self.usual(found.iid));
            catalogue::known(found.title.as_deref(), receipt, found.state.as_deref() != Some("closed"))
        };
        Ok(Offer::Titles(issues.iter().filter_map(title).collect()))
    }

    pub(super) async fn read_projects(&self) -> Result<Vec<issue::Project>, Reply> {
        let query = [("membership", "true"), ("archived", "false"), ("order_by", "last_activity_at")];
        let mut all: Vec<Project> = Vec::new();
        for page in 1..=MOST_PAGES {
            let url = paged(self.api(&["projects"]), &query, PAGE, page);
            let answer = self.http.get(url).await?;
            if self.take(&answer, PAGE, MOST_PROJECTS, &mut all)? {
                break;
            }
        }
        let takes = |one: &Project| {
            !one.archived
                && one.issues_enabled != Some(false)
                && one.issues_access_level.as_deref() != Some("disabled")
        };
        let project = |one: Project| issue::Project { project: one.path_with_namespace, name: None };
        Ok(all.into_iter().filter(takes).map(project).collect())
    }

    /// Reads a list of the project, page after page, to its end or to `most` entries.
    async fn list<T: DeserializeOwned>(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
        size: usize,
        most: usize,
    ) -> Result<Vec<T>, Reply> {
        let mut all = Vec::new();
        for page in 1..=MOST_PAGES {
            let answer = self.ask(segments, |url| Call::get(paged(url, query, size, page))).await?;
            if self.take(&answer, size, most, &mut all)? {
                break;
            }
        }
        Ok(all)
    }

    /// Takes in one page; says whether it was the last.
    fn take<T: DeserializeOwned>(
        &self,
        answer: &Answer,
        size: usize,
        most: usize,
        all: &mut Vec<T>,
    ) -> Result<bool, Reply> {
        let shown: Vec<T> = self.read(answer, &[200])?;
        let count = shown.len();
        all.extend(shown);
        let is_last = answer.ends(count, size, all.len()) || all.len() >= most;
        all.truncate(most);
        Ok(is_last)
    }
}

impl User {
    fn is_active(&self) -> bool {
        self.state.as_deref().is_none_or(|state| state == "active")
    }
}

fn paged(mut url: Url, query: &[(&str, &str)], size: usize, page: usize) -> Url {
    url.query_pairs_mut()
        .extend_pairs(query)
        .append_pair("per_page", &size.to_string())
        .append_pair("page", &page.to_string());
    url
}
