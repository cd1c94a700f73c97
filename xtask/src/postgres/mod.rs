//! A private PostgreSQL for tests and benchmarks: its own folder, its own port, gone afterwards.
//!
//! The server is held by a second process, the guard, that waits for a pipe to close. The pipe closes when xtask ends,
//! however it ends: after success, after failure, by Ctrl-C or by `kill -9`. So there is one way to clean up, and
//! no way around it.

mod binaries;
pub(crate) mod guard;
mod server;

use std::env;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result, bail};

pub(crate) struct Postgres {
    guard: Child,
    /// Closing it is the guard's sign to clean up.
    pipe: Option<ChildStdin>,
    url: String,
}

impl Postgres {
    /// Starts a server, after installing PostgreSQL from the machine's packages if it is missing.
    /// What is stored in it may be lost at any time.
    pub(crate) fn start() -> Result<Postgres> {
        Postgres::guarded(&[])
    }

    /// The same, but what is committed is on the disk, as benchmarks have to have it.
    pub(crate) fn start_flushing() -> Result<Postgres> {
        Postgres::guarded(&["--flushing"])
    }

    fn guarded(flags: &[&str]) -> Result<Postgres> {
        let found = binaries::find_or_install()?;
        eprintln!("PostgreSQL from {}", found.display());
        // A process group of its own keeps the terminal's Ctrl-C away from the guard.
        let mut guard = Command::new(own_binary()?)
            .arg("postgres-guard")
            .args(flags)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the guard of PostgreSQL")?;
        let pipe = guard.stdin.take();
        let said = guard.stdout.take().context("the guard's output was asked for as a pipe")?;
        let mut url = String::new();
        BufReader::new(said).read_line(&mut url)?;
        let postgres = Postgres { guard, pipe, url: url.trim_end().to_owned() };
        if postgres.url.is_empty() {
            bail!("PostgreSQL did not start; its guard says why above");
        }
        eprintln!("listening at {}", postgres.url);
        Ok(postgres)
    }

    /// The administrator's URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.pipe.take());
        match self.guard.wait() {
            Ok(status) if status.success() => {}
            Ok(status) => eprintln!("warning: the guard of PostgreSQL ended with {status}"),
            Err(error) => eprintln!("warning: cannot wait for the guard of PostgreSQL: {error}"),
        }
    }
}

/// This very program. Linux has a name for it that holds even after a build has replaced the file.
fn own_binary() -> Result<PathBuf> {
    let linux = Path::new("/proc/self/exe");
    if linux.exists() { Ok(linux.to_owned()) } else { Ok(env::current_exe()?) }
}
