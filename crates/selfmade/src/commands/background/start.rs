//! `selfmade start`: a server in the background. It is this program again, told to `serve`; it says on its standard output when
//! it is ready, and everything else in its log.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::json;
use server::serve::announcement::Announcement;
use server::serve::control;

use super::{find, log_file};
use crate::commands::serve::Flags;
use crate::error::{Error, Exit};
use crate::session::{Session, make_folder};

/// A log that is longer is set aside when a server is started.
const LOG_BYTES: u64 = 10 << 20;
/// How much of the log is shown when it does not start.
const LAST_LINES: usize = 10;

/// Start a server in the background, and wait until it is ready
///
/// It logs to `server.log` in the data folder, at `info` unless configured. `selfmade stop` stops it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade start
  selfmade start --listen 127.0.0.1:8000 --log-format json
  selfmade status
  selfmade stop")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) flags: Flags,
}

/// What a server in the background says when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ready {
    pub(crate) pid: u32,
    pub(crate) url: String,
    pub(crate) sign_in: String,
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    make_folder(&session.settings.home.path)?;
    if let Some(running) = find(session)? {
        return already(session, &running).await;
    }
    let log = log_file(session);
    let ready = tokio::task::spawn_blocking({
        let session = session.clone();
        move || start(&session, &arguments.flags)
    });
    let ready = ready.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
    tell(session, &ready, true)?;
    session.output.aside(format!("process {}, log in {}", ready.pid, log.display()));
    Ok(Exit::Done)
}

async fn already(session: &Session, running: &Announcement) -> Result<Exit, Error> {
    let sign_in = control::sign_in_url(&session.http_client()?, running).await.map_err(Error::Control)?;
    session.output.note(format!("a server is already running as process {}", running.pid));
    tell(session, &Ready { pid: running.pid, url: running.url.clone(), sign_in }, false)?;
    Ok(Exit::Done)
}

fn tell(session: &Session, ready: &Ready, started: bool) -> Result<(), Error> {
    let Ready { pid, url, sign_in } = ready;
    let document = json!({ "started": started, "pid": pid, "url": url, "sign_in": sign_in });
    session.output.answer(&document, |_| format!("{url}\n"))?;
    session.output.note(format!("sign in (works once, within a day): {sign_in}"));
    Ok(())
}

/// Starts it and waits until it says that it is ready, or ends.
#[allow(
    clippy::disallowed_methods,
    reason = "the server in the background is this program, not foreign code"
)]
fn start(session: &Session, flags: &Flags) -> Result<Ready, Error> {
    let path = log_file(session);
    let log = open_log(&path).map_err(|source| Error::write(&path, source))?;
    let begin = log.metadata().map_err(|source| Error::read(&path, source))?.len();
    let program =
        std::env::current_exe().map_err(|source| Error::Read { what: "this program".to_owned(), source })?;
    let mut child = Command::new(program)
        .args(["serve", "--background", "--quiet", "--home"])
        .arg(&session.settings.home.path)
        .args(flags.warm.iter().flat_map(|name| ["--warm".to_owned(), name.to_string()]))
        // Others can see arguments, and a database's URL may hold a password.
        .envs(session.settings.given.flags())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|source| Error::Read { what: "this program".to_owned(), source })?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        // What cannot be read is as good as nothing.
        let _ = BufReader::new(stdout).read_line(&mut line);
    }
    serde_json::from_str(&line).map_err(|_| {
        // It has closed its output, so it has ended or is about to.
        let _ = child.wait();
        Error::NotStarted { log: path.clone(), said: last_lines(&path, begin) }
    })
}

fn open_log(path: &Path) -> std::io::Result<File> {
    if path.metadata().is_ok_and(|found| found.len() > LOG_BYTES) {
        std::fs::rename(path, path.with_extension("log.1"))?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// What was logged since it was started.
fn last_lines(path: &Path, begin: u64) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(begin))?;
        let mut text = String::new();
        file.take(64 << 10).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = read().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
