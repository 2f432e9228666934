//! A real Redmine, Debian's, with an instance of its own in a folder that goes with the test.
//!
//! Making the database takes most of a minute, so it is made once and kept beside what was built; every test gets a copy.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::process::{Running, await_port, free_port, run};
use crate::{brought, need};

const HOME: &str = "/usr/share/redmine";
const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

/// REST on, one project, somebody who may file there and nowhere else, and a project that takes nothing any more.
const SET_UP: &str = r"
Setting.rest_api_enabled = '1'
Setting.text_formatting = 'common_mark'
project = Project.create!(name: 'Demo', identifier: 'demo', is_public: true, trackers: Tracker.all,
  enabled_module_names: %w[issue_tracking])
closed = Project.create!(name: 'Closed', identifier: 'closed', is_public: true, trackers: Tracker.all,
  enabled_module_names: %w[issue_tracking])
closed.close
ada = User.new(firstname: 'Ada', lastname: 'L', mail: 'ada@example.org', language: 'en')
ada.login = 'ada'
ada.password = 'no-more-secrets'
ada.save!
Member.create!(project: project, principal: ada, roles: [Role.find_by(name: 'Reporter')])
Token.create!(user: ada, action: 'api').update_column(:value, 'KEY')
";

/// A running Redmine.
#[derive(Debug)]
pub struct Redmine {
    /// Where it listens on this computer.
    pub port: u16,
    below: String,
    dir: TempDir,
    _running: Running,
}

impl Redmine {
    /// Starts one at the root of its host; nothing where Redmine is not installed.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start() -> io::Result<Option<Self>> {
        Self::start_below("")
    }

    /// Starts one below a path, such as `/git`.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start_below(below: &str) -> io::Result<Option<Self>> {
        let installed = [HOME, "/usr/bin/puma"].iter().all(|path| Path::new(path).exists());
        let Some(()) = need("Redmine with puma", installed.then_some(())) else { return Ok(None) };
        let prepared = prepared()?;
        let dir = tempfile::tempdir()?;
        lay_out(dir.path())?;
        fs::copy(prepared, dir.path().join("redmine.sqlite3"))?;
        let rack = dir.path().join("config.ru");
        let mount = if below.is_empty() { "/" } else { below };
        fs::write(
            &rack,
            format!(
                "Dir.chdir('{HOME}')\nrequire '{HOME}/config/environment'\n\
                 Rails.application.config.relative_url_root = '{below}'\n\
                 map('{mount}') {{ run Rails.application }}\n"
            ),
        )?;
        let port = free_port()?;
        let log = dir.path().join("puma.log");
        let mut puma = of(dir.path(), "puma");
        puma.args(["-e", "production", "-t", "1:4", "-b", &format!("tcp://127.0.0.1:{port}")]).arg(&rack);
        if !below.is_empty() {
            puma.env("RAILS_RELATIVE_URL_ROOT", below);
        }
        let running = Running::start(&mut puma, &log)?;
        await_port(port, &log)?;
        Ok(Some(Self { port, below: below.to_owned(), dir, _running: running }))
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.below)
    }

    /// The key of ada, who may file in the project `demo`.
    pub fn key(&self) -> &'static str {
        KEY
    }

    /// What its database says: each row of a query, columns joined by a bar.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub fn ask(&self, query: &str) -> io::Result<Vec<String>> {
        let mut sqlite = Command::new("sqlite3");
        let said = run(sqlite.arg("-cmd").arg(".timeout 5000").arg(self.database()).arg(query))?;
        Ok(said.lines().map(str::to_owned).collect())
    }

    fn database(&self) -> PathBuf {
        self.dir.path().join("redmine.sqlite3")
    }
}

/// The folders that an instance has.
fn lay_out(dir: &Path) -> io::Result<()> {
    for name in ["config", "files", "log", "public", "tmp"] {
        fs::create_dir_all(dir.join(name))?;
    }
    fs::write(dir.join("config/secret_key.txt"), "0123456789abcdef".repeat(8))?;
    let database = dir.join("redmine.sqlite3");
    let database = format!(
        "production:\n  adapter: sqlite3\n  database: {}\n  encoding: utf8\n  timeout: 5000\n",
        database.display()
    );
    fs::write(dir.join("config/database.yml"), database)
}

/// A program of Redmine's with the instance in `dir`. Debian's finds instances by name below its own folder; a name can
/// climb out of there.
fn of(dir: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(HOME)
        .env_clear()
        .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("RAILS_ENV", "production")])
        .env("HOME", dir)
        .env("SCHEMA", dir.join("schema.rb"))
        .env("REDMINE_LANG", "en")
        .env("REDMINE_INSTANCE", format!("../../../../../..{}", dir.display()));
    command
}

/// The database that every test begins with.
fn prepared() -> io::Result<PathBuf> {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    fs::create_dir_all(brought())?;
    let version = run(Command::new("dpkg-query").args(["-W", "-f", "${Version}", "redmine"]))?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
    let ready = brought().join(format!("redmine-{}.sqlite3", version.chars().map(plain).collect::<String>()));
    if ready.exists() {
        return Ok(ready);
    }
    let dir = tempfile::tempdir()?;
    lay_out(dir.path())?;
    run(of(dir.path(), "bundle").args(["exec", "rake", "db:migrate"]))?;
    run(of(dir.path(), "bundle").args(["exec", "rake", "redmine:load_default_data"]))?;
    let set_up = dir.path().join("set_up.rb");
    fs::write(&set_up, SET_UP.replace("KEY", KEY))?;
    run(of(dir.path(), "bundle").args(["exec", "rails", "runner"]).arg(&set_up))?;
    // Another process may be doing the same: a name appears whole or not at all.
    let part = ready.with_extension(format!("part-{}", std::process::id()));
    fs::copy(dir.path().join("redmine.sqlite3"), &part)?;
    fs::rename(&part, &ready)?;
    Ok(ready)
}
