//! What a repository offers to choose from, and which repositories there are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use url::Url;

use super::shapes::{File, Issue, Label, Milestone, Repository, User};
use super::{GitHub, shapes};
use crate::issue::{self, Offer, Part, Project};
use crate::tracker::answer::Answer;
use crate::tracker::catalogue::{
    LONGEST_TEMPLATE, MOST, MOST_PROJECTS, MOST_TEMPLATES, MOST_TITLES, Read, Reading,
};
use crate::tracker::chosen::Known;
use crate::tracker::http::Call;
use crate::tracker::{Reply, address, catalogue, listing, template};

const PAGE: usize = 100;
const MOST_PAGES: usize = 20;
/// Where a repository keeps its templates.
const TEMPLATES: [&str; 3] = ["contents", ".github", "ISSUE_TEMPLATE"];

impl GitHub {
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

    /// The milestones that are open, by the number that an issue names.
    pub(super) async fn open_milestones(&self) -> Result<Vec<Known>, Reply> {
        let milestones: Vec<Milestone> = self.list(&["milestones"], &[("state", "open")], PAGE, MOST).await?;
        let known = |milestone: Milestone| Known { number: milestone.number, name: milestone.title };
        Ok(milestones.into_iter().map(known).filter(|known| !known.name.is_empty()).collect())
    }

    async fn offered_people(&self) -> Result<Offer, Reply> {
        let people: Vec<User> = self.list(&["assignees"], &[], PAGE, MOST).await?;
        Ok(Offer::Assignees(people.iter().filter_map(|user| catalogue::person(&user.login, None)).collect()))
    }

    /// Those of `logins` that an issue can be assigned to: GitHub is asked of each, since its list may be long.
    pub(super) async fn known_people(&self, logins: &[String]) -> Result<Vec<Known>, Reply> {
        let mut known = Vec::new();
        for login in logins.iter().filter(|login| address::is_name(login)) {
            let answer = self.ask(&["assignees", login], Call::get).await?;
            match answer.head.status {
                204 => known.push(Known { number: 0, name: login.clone() }),
                404 if answer.is_json() => {}
                _ => return Err(self.sorted(&answer)),
            }
        }
        Ok(known)
    }

    async fn offered_templates(&self) -> Result<Offer, Reply> {
        let answer = self.ask(&TEMPLATES, Call::get).await?;
        if answer.head.status == 404 && answer.is_json() {
            return Ok(Offer::Templates(Vec::new()));
        }
        let files: Vec<File> = self.read(&answer, &[200])?;
        let is_one = |file: &&File| {
            let name = file.name.to_ascii_lowercase();
            file.size <= LONGEST_TEMPLATE as u64
                && [".md", ".yml", ".yaml"].iter().any(|ending| name.ends_with(ending))
        };
        let mut offered = Vec::new();
        for file in files.iter().filter(is_one).take(MOST_TEMPLATES) {
            let answer = self.ask(&[&TEMPLATES[..], &[file.name.as_str()]].concat(), Call::get).await?;
            let file: File = self.read(&answer, &[200])?;
            offered.extend(file.text().and_then(|text| template::read(&file.name, &text)));
        }
        Ok(Offer::Templates(offered))
    }

    async fn offered_titles(&self) -> Result<Offer, Reply> {
        let latest = [("state", "all"), ("sort", "updated"), ("direction", "desc")];
        let issues: Vec<Issue> = self.list(&["issues"], &latest, listing::PAGE, MOST_TITLES).await?;
        let title = |found: &shapes::Issue| {
            let receipt = self.receipt(found).unwrap_or_else(|| self.usual(found.number));
            catalogue::known(found.title.as_deref(), receipt, found.state.as_deref() != Some("closed"))
        };
        let issues = issues.iter().filter(|issue| issue.pull_request.is_none());
        Ok(Offer::Titles(issues.filter_map(title).collect()))
    }

    pub(super) async fn read_projects(&self) -> Result<Vec<Project>, Reply> {
        let mut all: Vec<Repository> = Vec::new();
        for number in 1..=MOST_PAGES {
            let page = Page { number, size: PAGE };
            let url = page.of(self.http.url(&["user", "repos"]), &[("sort", "pushed")]);
            let answer = self.http.get(url).await?;
            let shown: Vec<Repository> = self.read(&answer, &[200])?;
            let is_last = page.is_last(&answer, shown.len());
            all.extend(shown);
            if is_last || all.len() >= MOST_PROJECTS {
                break;
            }
        }
        let takes = |one: &Repository| one.has_issues && !one.archived && !one.disabled;
        let project = |one: Repository| Project { project: one.full_name, name: None };
        Ok(all.into_iter().filter(takes).take(MOST_PROJECTS).map(project).collect())
    }

    /// Reads a list of the repository, page after page, to its end or to `most` entries.
    async fn list<T: DeserializeOwned>(
        &self,
        segments: &[&str],
        query: &[(&str, &str)],
        size: usize,
        most: usize,
    ) -> Result<Vec<T>, Reply> {
        let mut all = Vec::new();
        for number in 1..=MOST_PAGES {
            let page = Page { number, size };
            let answer = self.ask(segments, |url| Call::get(page.of(url, query))).await?;
            let shown: Vec<T> = self.read(&answer, &[200])?;
            let is_last = page.is_last(&answer, shown.len());
            all.extend(shown);
            if is_last || all.len() >= most {
                break;
            }
        }
        all.truncate(most);
        Ok(all)
    }
}

#[derive(Clone, Copy)]
struct Page {
    number: usize,
    size: usize,
}

impl Page {
    fn of(self, mut url: Url, query: &[(&str, &str)]) -> Url {
        url.query_pairs_mut()
            .extend_pairs(query)
            .append_pair("per_page", &self.size.to_string())
            .append_pair("page", &self.number.to_string());
        url
    }

    /// A list of one page has no `Link` here, and a server may give less than was asked for.
    fn is_last(self, answer: &Answer, shown: usize) -> bool {
        if answer.head.link.is_some() { answer.ends(shown, self.size, 0) } else { shown < self.size }
    }
}

impl File {
    /// What it holds, when that is text.
    fn text(&self) -> Option<String> {
        let lines = self.content.as_deref()?.split_ascii_whitespace().collect::<String>();
        String::from_utf8(STANDARD.decode(lines).ok()?).ok()
    }
}
