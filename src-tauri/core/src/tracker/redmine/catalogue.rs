//! What a project offers to choose from: its versions, which are its milestones, and its members. Labels and templates
//! Redmine does not have; and logins it does not tell, so people go by their names.

use url::Url;

use super::Redmine;
use super::shapes::{Issue, Membership, Memberships, Named, Page, Projects, Versions};
use crate::issue::{self, Offer, Part, Project};
use crate::tracker::answer::Answer;
use crate::tracker::catalogue::{MOST, MOST_PROJECTS, MOST_TITLES, Read, Reading};
use crate::tracker::chosen::Known;
use crate::tracker::{Cause, CauseKind, Reply, catalogue};

const PAGE: usize = 100;

impl Redmine {
    pub(super) async fn read_catalogue(&self) -> Vec<Read> {
        let mut reading = Reading::default();
        reading.read(Part::Milestones, self.offered_milestones()).await;
        reading.read(Part::Assignees, self.offered_people()).await;
        reading.read(Part::Titles, self.offered_titles()).await;
        reading.done()
    }

    async fn offered_milestones(&self) -> Result<Offer, Reply> {
        let versions = self.open_versions().await?;
        let milestone = |known: Known| issue::Milestone { number: known.number, title: known.name };
        Ok(Offer::Milestones(versions.into_iter().map(milestone).collect()))
    }

    /// The versions that take issues. This list has no pages.
    pub(super) async fn open_versions(&self) -> Result<Vec<Known>, Reply> {
        let answer = self.http.get(self.in_project("versions.json")).await?;
        let found: Versions = self.listed(&answer)?;
        let open = found
            .versions
            .into_iter()
            .filter(|version| version.status.as_deref().is_none_or(|status| status == "open"));
        let known = open.map(|version| Known { number: version.id, name: version.name });
        Ok(known.filter(|known| !known.name.is_empty()).take(MOST).collect())
    }

    async fn offered_people(&self) -> Result<Offer, Reply> {
        let people = self.members().await?;
        Ok(Offer::Assignees(
            people.iter().filter_map(|person| catalogue::person(&person.name, None)).collect(),
        ))
    }

    /// The members that are people.
    pub(super) async fn members(&self) -> Result<Vec<Known>, Reply> {
        let mut all: Vec<Named> = Vec::new();
        let mut read = 0;
        while all.len() < MOST {
            let answer = self.http.get(paged(self.in_project("memberships.json"), read)).await?;
            let page: Memberships = self.listed(&answer)?;
            read += page.memberships.len();
            let is_last = page.memberships.is_empty() || read >= page.total_count;
            all.extend(page.memberships.into_iter().filter_map(|Membership { user }| user));
            if is_last {
                break;
            }
        }
        let known = all.into_iter().map(|user| Known { number: user.id, name: user.name });
        Ok(known.filter(|known| !known.name.is_empty()).collect())
    }

    async fn offered_titles(&self) -> Result<Offer, Reply> {
        let mut titles = Vec::new();
        let mut read = 0;
        while titles.len() < MOST_TITLES {
            let mut url = paged(self.http.url(&["issues.json"]), read);
            url.query_pairs_mut()
                .append_pair("project_id", &self.project)
                .append_pair("status_id", "*")
                .append_pair("sort", "updated_on:desc");
            let answer = self.http.get(url).await?;
            let page: Page = self.listed(&answer)?;
            read += page.issues.len();
            let is_last = page.issues.is_empty() || read >= page.total_count;
            let title = |found: &Issue| {
                catalogue::known(found.subject.as_deref(), self.receipt(found.id), found.is_open())
            };
            titles.extend(page.issues.iter().filter_map(title));
            if is_last {
                break;
            }
        }
        titles.truncate(MOST_TITLES);
        Ok(Offer::Titles(titles))
    }

    pub(super) async fn read_projects(&self) -> Result<Vec<Project>, Reply> {
        let mut all = Vec::new();
        let mut read = 0;
        while all.len() < MOST_PROJECTS {
            let answer = self.http.get(paged(self.http.url(&["projects.json"]), read)).await?;
            let page: Projects = self.listed(&answer)?;
            read += page.projects.len();
            let is_last = page.projects.is_empty() || read >= page.total_count;
            let active = page.projects.into_iter().filter(|one| one.status == 1);
            all.extend(active.map(|one| Project { project: one.identifier, name: one.name }));
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    fn in_project(&self, what: &str) -> Url {
        self.http.url(&["projects", &self.project, what])
    }

    /// Reads a list. That this account may not see it is about this list alone.
    fn listed<T: serde::de::DeserializeOwned>(&self, answer: &Answer) -> Result<T, Reply> {
        match answer.success(&[200]) {
            Err(Reply::Refused(_) | Reply::Doubt(_)) if answer.head.status == 403 => {
                Err(Reply::Refused(Cause {
                    kind: CauseKind::Refused,
                    words: format!("This account may not see that in {}.", self.project),
                    detail: format!("{} answered 403", answer.what),
                }))
            }
            Err(Reply::Refused(_) | Reply::Doubt(_)) => Err(self.refused(answer)),
            read => read,
        }
    }
}

impl Issue {
    fn is_open(&self) -> bool {
        let told = self.status.as_ref().and_then(|status| status.is_closed);
        !told.unwrap_or(self.closed_on.is_some())
    }
}

fn paged(mut url: Url, offset: usize) -> Url {
    url.query_pairs_mut().append_pair("limit", &PAGE.to_string()).append_pair("offset", &offset.to_string());
    url
}
