//! A real nginx before another server, with the refusals that companies' front ends give.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::need;
use crate::process::{Running, await_port, free_port};

/// A running nginx. Each path of its answers in its own way:
/// `/redmine/` passes on, `/small/` takes no more than 8 kB, `/slow-down/` one request a minute, `/down/` has nobody
/// behind it, `/moved/` and `/moved-for-now/` lead to `/redmine/`.
#[derive(Debug)]
pub struct Nginx {
    port: u16,
    _dir: TempDir,
    _running: Running,
}

impl Nginx {
    /// Starts one before the server on port `behind`, which lies below `/redmine`; nothing where nginx is not installed.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start(behind: u16) -> io::Result<Option<Self>> {
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].into_iter().find(|path| Path::new(path).exists());
        let Some(program) = need("nginx", program) else { return Ok(None) };
        let dir = tempfile::tempdir()?;
        let (port, nobody) = (free_port()?, free_port()?);
        let log = dir.path().join("nginx.log");
        let config = dir.path().join("nginx.conf");
        fs::write(&config, written(dir.path(), port, behind, nobody))?;
        let mut nginx = Command::new(program);
        nginx.arg("-p").arg(dir.path()).arg("-e").arg(dir.path().join("error.log")).arg("-c").arg(&config);
        let running = Running::start(&mut nginx, &log)?;
        await_port(port, &log)?;
        Ok(Some(Self { port, _dir: dir, _running: running }))
    }

    /// The address of one of its paths.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

fn written(dir: &Path, port: u16, behind: u16, nobody: u16) -> String {
    let place = |name: &str| format!("{}/{name}", dir.display());
    let to = format!("proxy_pass http://127.0.0.1:{behind}/redmine/; proxy_set_header Host $http_host;");
    let temp: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|kind| format!("  {kind}_temp_path {};\n", place(kind)))
        .collect();
    format!(
        "daemon off;\nmaster_process off;\npid {};\nevents {{}}\nhttp {{\n  access_log off;\n{temp}\
         \x20 limit_req_zone $binary_remote_addr zone=one:1m rate=1r/m;\n\
         \x20 server {{\n    listen 127.0.0.1:{port};\n    client_max_body_size 20m;\n\
         \x20   location /redmine/ {{ {to} }}\n\
         \x20   location /small/ {{ client_max_body_size 8k; {to} }}\n\
         \x20   location /slow-down/ {{ limit_req zone=one; limit_req_status 429; {to} }}\n\
         \x20   location /down/ {{ proxy_pass http://127.0.0.1:{nobody}/; }}\n\
         \x20   location /moved/ {{ return 301 /redmine/; }}\n\
         \x20   location /moved-for-now/ {{ return 307 /redmine/; }}\n  }}\n}}\n",
        place("pid")
    )
}
