//! `emulate`, a GitHub that others made: its REST, with a memory.

use std::fs;
use std::io;
use std::process::Command;

use tempfile::TempDir;

use crate::process::{Running, await_port, free_port};
use crate::{brought, need};

/// Somebody, and a repository of theirs.
const SEED: &str = "\
tokens:
  practice-token:
    login: ada
    scopes: [repo, user]
github:
  users:
    - login: ada
      name: Ada
  repos:
    - owner: ada
      name: demo
      auto_init: true
";

/// A running emulator.
#[derive(Debug)]
pub struct Emulate {
    /// Where it listens on this computer.
    pub port: u16,
    _dir: TempDir,
    _running: Running,
}

impl Emulate {
    /// Starts one that takes itself for `address`; nothing where it was not brought.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start(address: &str) -> io::Result<Option<Self>> {
        let program = brought().join("npm/node_modules/emulate/dist/index.js");
        let Some(program) = need("emulate", program.exists().then_some(program)) else { return Ok(None) };
        let dir = tempfile::tempdir()?;
        let seed = dir.path().join("seed.yaml");
        fs::write(&seed, SEED)?;
        let port = free_port()?;
        let log = dir.path().join("emulate.log");
        let mut node = Command::new("node");
        node.arg(program).args(["start", "--service", "github", "--port", &port.to_string()]);
        node.args(["--base-url", address]).arg("--seed").arg(&seed);
        let running = Running::start(&mut node, &log)?;
        await_port(port, &log)?;
        Ok(Some(Self { port, _dir: dir, _running: running }))
    }
}
