//! One PostgreSQL server in a temporary folder.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::{process, system};

/// Another program may take the free port before the server does; that often in a row means something else is wrong.
const ATTEMPTS: u32 = 3;

pub(super) struct Server {
    binaries: PathBuf,
    owner: Option<Owner>,
    folder: TempDir,
    port: u16,
    flushing: bool,
}

/// The user who runs the server when that cannot be ourselves: PostgreSQL refuses root.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Server {
    pub(super) fn start(binaries: &Path, flushing: bool) -> Result<Server> {
        // Not `TMPDIR`: that may be out of another user's reach, or too long for a socket's path.
        let folder = tempfile::Builder::new().prefix("selfmade-postgres-").tempdir_in("/tmp")?;
        let owner = if system::user_id()? == 0 { Some(Owner::find()?) } else { None };
        if let Some(owner) = owner {
            chown(folder.path(), Some(owner.user), Some(owner.group))
                .context("cannot give the folder away")?;
        }
        let mut server = Server { binaries: binaries.to_owned(), owner, folder, port: 0, flushing };
        let mut initdb = server.program("initdb");
        initdb.args(["--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--locale=C"]);
        process::read(initdb.arg("--pgdata").arg(server.data()))?;
        server.listen()?;
        Ok(server)
    }

    pub(super) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops the server at once, without saving anything, and removes its folder.
    pub(super) fn stop(self) -> Result<()> {
        let mut stop = self.control();
        stop.args(["--mode=immediate", "stop"]);
        if let Err(error) = process::read(&mut stop) {
            eprintln!("warning: killing PostgreSQL, because {error:#}");
            process::run(Command::new("kill").args(["-9", &self.process_id()?]))?;
        }
        let path = self.folder.path().to_owned();
        self.folder.close().with_context(|| format!("cannot remove {}", path.display()))
    }

    fn listen(&mut self) -> Result<()> {
        for _ in 0..ATTEMPTS {
            self.port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            let mut start = self.control();
            start.arg("--log").arg(self.log()).arg("--options").arg(self.options()).arg("start");
            // The server inherits these, so a pipe here would stay open for as long as it runs.
            if process::succeeds(&mut start) {
                return Ok(());
            }
        }
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        bail!("PostgreSQL did not start; its log ends with\n{}", last_lines(&log, 15))
    }

    /// The tests' data may be lost at any time, so nothing is ever forced to disk. A benchmark's is, as usual.
    fn options(&self) -> String {
        let mut settings = vec!["max_connections=300"];
        if !self.flushing {
            settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"]);
        }
        let settings: Vec<String> = settings.iter().map(|setting| format!("-c {setting}")).collect();
        let settings = settings.join(" ");
        format!("-h 127.0.0.1 -p {} -k {} {settings}", self.port, self.folder.path().display())
    }

    fn control(&self) -> Command {
        let mut control = self.program("pg_ctl");
        control.arg("--pgdata").arg(self.data()).args(["--wait", "--timeout=60"]);
        control
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries.join(name));
        // The folder is the one place that surely can be entered by the server's user.
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        for setting in ["PGDATA", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGOPTIONS", "PGSERVICE"] {
            command.env_remove(setting);
        }
        if let Some(owner) = self.owner {
            command.uid(owner.user).gid(owner.group);
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// PostgreSQL keeps its process's id in the first line of this file.
    fn process_id(&self) -> Result<String> {
        let file = fs::read_to_string(self.data().join("postmaster.pid"));
        let file = file.context("cannot read the process id of PostgreSQL from `postmaster.pid`")?;
        let first = file.lines().next().unwrap_or_default().trim();
        ensure!(
            first.parse::<u32>().is_ok(),
            "`postmaster.pid` starts with `{first}`, not with a process id"
        );
        Ok(first.to_owned())
    }
}

impl Owner {
    fn find() -> Result<Owner> {
        let known = ["postgres", "nobody"].into_iter().find_map(Owner::named);
        known
            .context("PostgreSQL refuses root, and there is neither a user `postgres` nor `nobody` to run it")
    }

    fn named(name: &str) -> Option<Owner> {
        let number = |flag| process::read(Command::new("id").args([flag, name])).ok()?.parse().ok();
        Some(Owner { user: number("-u")?, group: number("-g")? })
    }
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
