//! A program that runs for one test, and what it says.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running program. Ended, by its own number and no other, when it goes.
#[derive(Debug)]
pub struct Running(Child);

impl Running {
    /// Starts a program; what it says goes into `log`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, log: &Path) -> io::Result<Self> {
        let said = std::fs::File::create(log)?;
        command.stdin(Stdio::null()).stderr(said.try_clone()?).stdout(said).spawn().map(Self)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a program to its end.
///
/// # Errors
/// With what it said, when it cannot be started or does not end well.
pub fn run(command: &mut Command) -> io::Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    Err(io::Error::other(format!("{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr))))
}

/// A port that nobody listens on now.
///
/// # Errors
/// When there is none.
pub fn free_port() -> io::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Waits until somebody listens on the port.
///
/// # Errors
/// When nobody does within a minute; with the log's last words.
pub fn await_port(port: u16, log: &Path) -> io::Result<()> {
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        if began.elapsed() > Duration::from_secs(90) {
            let said = std::fs::read_to_string(log).unwrap_or_default();
            return Err(io::Error::other(format!("nobody listens on {port}: {said}")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
