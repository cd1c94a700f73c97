//! What could not be done, told so that the reader can act on it, and the exit code a script gets.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use axum::http::StatusCode;
use model::changeset::Conflict;
use model::changeset::check::{Check, Finding};
use serde_json::{Value, json};
use server::error::Class;
use server::http::BindError;
use server::serve::control::ControlError;

use crate::terminal::style::{ERROR, HINT, paint, printable};
use crate::views::findings;

/// How a command ended. Documented in `docs/command-line.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Done = 0,
    InPart = 1,
    Input = 3,
    NotFound = 4,
    Refused = 5,
    Unavailable = 6,
    RunFailed = 7,
    Waiting = 8,
    Bug = 70,
    Interrupted = 130,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    App(Arc<server::Error>),
    /// What a server said no to.
    #[error("{}", .0.message)]
    Refused(Box<Refusal>),
    #[error("cannot reach the server at `{server}`")]
    Unreachable { server: String, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("the server at `{server}` sent nothing for {seconds} s")]
    Silent { server: String, seconds: u64 },
    #[error("the response from the server at `{server}` was cut off")]
    BrokenOff { server: String, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("`{server}` is not a selfmade server (it answered {status})")]
    NotSelfmade { server: String, status: StatusCode },
    #[error("the server at `{server}` redirects to `{to}`")]
    Redirected { server: String, to: String },
    #[error("the response from the server at `{server}` cannot be parsed")]
    NotUnderstood { server: String, source: serde_json::Error },
    #[error("{problem}")]
    Input { problem: String, hint: String },
    #[error("cannot read {what}")]
    Read { what: String, source: io::Error },
    #[error("cannot write {what}")]
    Write { what: String, source: io::Error },
    #[error(transparent)]
    Sandbox(#[from] sandbox::Error),
    #[error(transparent)]
    Listen(#[from] BindError),
    #[error("no server of this brain is running")]
    NotRunning,
    #[error("the server did not start{}", .said.lines().fold(String::new(), |said, line| format!("{said}\n  {line}")))]
    NotStarted { log: PathBuf, said: String },
    #[error("the server does not respond")]
    Control(#[source] ControlError),
    #[error("cannot stop process {pid}")]
    Signal { pid: u32, source: io::Error },
    #[error("there is nowhere to put a data folder: this user has no home folder")]
    NoHome,
    #[error("`{}` is not a folder, so it cannot be the data folder", .path.display())]
    NotAFolder { path: PathBuf },
    #[error("the editor `{editor}` {how}")]
    Editor { editor: String, how: String },
    /// What was edited could not be stored. The text is not thrown away.
    #[error("{source}")]
    Edited { kept: PathBuf, again: String, source: Box<Error> },
    #[error("the result cannot be written as JSON")]
    Json { source: serde_json::Error },
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
}

impl From<server::Error> for Error {
    fn from(error: server::Error) -> Error {
        Error::App(Arc::new(error))
    }
}

/// Why a server does not do what it was asked.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) conflicts: Vec<Conflict>,
    /// The changeset that waits for someone else, and its checks.
    pub(crate) proposed: Option<(u64, Vec<Check>)>,
}

impl Refusal {
    /// As the same error would have it here.
    fn exit(&self) -> Exit {
        match (self.code.as_str(), self.status) {
            ("checks_failed" | "unauthorized", _) => Exit::Refused,
            ("no_such_place" | "no_such_method", _) => Exit::Unavailable,
            (_, StatusCode::NOT_FOUND) => Exit::NotFound,
            (_, StatusCode::FORBIDDEN | StatusCode::CONFLICT | StatusCode::PRECONDITION_FAILED) => {
                Exit::Refused
            }
            (_, status) if status.is_server_error() => Exit::Unavailable,
            (_, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT) => Exit::Unavailable,
            _ => Exit::Input,
        }
    }

    /// What someone at a command line can do.
    fn hint(&self) -> Option<String> {
        match self.code.as_str() {
            "unauthorized" => Some(
                "give a valid token with `--token-file FILE` or `SELFMADE_TOKEN`; `selfmade token add` creates one where the server is"
                    .to_owned(),
            ),
            "no_such_place" | "no_such_method" => Some(format!(
                "the server's version differs from this program's, which is {}",
                env!("CARGO_PKG_VERSION")
            )),
            _ => self.hint.clone(),
        }
    }
}

impl Error {
    /// A file that was named, in backticks.
    pub(crate) fn read(path: impl Into<PathBuf>, source: io::Error) -> Error {
        Error::Read { what: format!("`{}`", path.into().display()), source }
    }

    pub(crate) fn write(path: impl Into<PathBuf>, source: io::Error) -> Error {
        Error::Write { what: format!("`{}`", path.into().display()), source }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Error::App(error) => match error.class() {
                Class::Input => Exit::Input,
                Class::NotFound => Exit::NotFound,
                Class::Refused => Exit::Refused,
                Class::Unavailable => Exit::Unavailable,
            },
            Error::Refused(refusal) => refusal.exit(),
            Error::Input { .. } | Error::Read { .. } | Error::Editor { .. } => Exit::Input,
            Error::NotRunning => Exit::NotFound,
            Error::Sandbox(_)
            | Error::NotStarted { .. }
            | Error::Control(_)
            | Error::Signal { .. }
            | Error::Listen(_)
            | Error::Write { .. }
            | Error::NoHome
            | Error::NotAFolder { .. }
            | Error::Unreachable { .. }
            | Error::Silent { .. }
            | Error::BrokenOff { .. }
            | Error::NotSelfmade { .. }
            | Error::Redirected { .. }
            | Error::NotUnderstood { .. }
            | Error::Runtime(_) => Exit::Unavailable,
            Error::Edited { source, .. } => source.exit(),
            Error::Json { .. } => Exit::Bug,
        }
    }

    pub(crate) fn code(&self) -> &str {
        match self {
            Error::App(error) => error.code(),
            Error::Refused(refusal) => &refusal.code,
            Error::Unreachable { .. } | Error::Silent { .. } | Error::BrokenOff { .. } => "unreachable",
            Error::NotSelfmade { .. } | Error::Redirected { .. } | Error::NotUnderstood { .. } => {
                "not_understood"
            }
            Error::Input { .. } => "bad_input",
            Error::Read { .. } => "cannot_read",
            Error::Write { .. } => "cannot_write",
            Error::NoHome | Error::NotAFolder { .. } => "no_data_folder",
            Error::Listen(_) => "cannot_listen",
            Error::NotRunning => "not_running",
            Error::NotStarted { .. } => "not_started",
            Error::Control(_) => "no_answer",
            Error::Signal { .. } => "cannot_stop",
            Error::Sandbox(_) => "sandbox",
            Error::Editor { .. } => "editor_failed",
            Error::Edited { source, .. } => source.code(),
            Error::Json { .. } | Error::Runtime(_) => "internal",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Error::App(error) => error.hint(),
            Error::Refused(refusal) => refusal.hint(),
            Error::Unreachable { .. } | Error::Silent { .. } => {
                Some("check the URL, and that `selfmade serve` runs there".to_owned())
            }
            Error::BrokenOff { .. } => {
                Some("the server may have stopped; check whether it was done before you try again".to_owned())
            }
            Error::NotSelfmade { .. } => Some("check the URL, and what is in front of the server".to_owned()),
            // Followed, it would get the token.
            Error::Redirected { .. } => {
                Some("if the server is there, use that URL with `--server`".to_owned())
            }
            Error::NotUnderstood { .. } => Some(format!(
                "the server's version may differ from this program's, which is {}",
                env!("CARGO_PKG_VERSION")
            )),
            Error::Input { hint, .. } => Some(hint.clone()),
            Error::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("check the name and the current folder".to_owned())
            }
            Error::Read { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("make it readable, for example with `chmod u+r`".to_owned())
            }
            Error::NoHome | Error::NotAFolder { .. } => {
                Some("choose another folder with `--home DIR` or `SELFMADE_HOME`".to_owned())
            }
            Error::NotRunning => Some("`selfmade start` starts one".to_owned()),
            Error::NotStarted { log, .. } => Some(format!("its log is `{}`", log.display())),
            Error::Control(_) => Some("`selfmade status` shows its state; its log may say why".to_owned()),
            Error::Listen(_) => Some(
                "choose another address with `--listen 127.0.0.1:PORT`; port 0 picks a free port".to_owned(),
            ),
            Error::Editor { .. } => Some(
                "set `VISUAL` or `EDITOR` to the command of an editor that waits until the file is closed"
                    .to_owned(),
            ),
            Error::Edited { kept, again, source } => {
                let kept = format!("your text is kept in `{}`; correct it and run `{again}`", kept.display());
                Some(source.hint().map_or(kept.clone(), |hint| format!("{hint}\n{kept}")))
            }
            _ => None,
        }
    }

    /// What it was caused by, outermost first, leaving out what the message says already.
    fn causes(&self) -> Vec<String> {
        let mut told = self.to_string();
        let mut causes = Vec::new();
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            let text = cause.to_string();
            if !told.contains(&text) {
                told.clone_from(&text);
                causes.push(text);
            }
            next = cause.source();
        }
        causes
    }

    /// What was found wrong, entry by entry.
    fn findings(&self) -> Vec<&Finding> {
        match self {
            Error::App(error) => error.findings(),
            Error::Refused(refusal) => refusal.findings.iter().collect(),
            Error::Edited { source, .. } => source.findings(),
            _ => Vec::new(),
        }
    }

    /// What moved.
    fn conflicts(&self) -> &[Conflict] {
        match self {
            Error::App(error) => error.conflicts(),
            Error::Refused(refusal) => &refusal.conflicts,
            Error::Edited { source, .. } => source.conflicts(),
            _ => &[],
        }
    }

    /// The changeset that waits for someone else, and why.
    fn proposed(&self) -> Option<(u64, &[Check])> {
        match self {
            Error::App(error) => match &**error {
                server::Error::NeedsApproval { number, checks } => Some((*number, checks.as_slice())),
                _ => None,
            },
            Error::Refused(refusal) => {
                refusal.proposed.as_ref().map(|(number, checks)| (*number, checks.as_slice()))
            }
            Error::Edited { source, .. } => source.proposed(),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut out = format!("{} {}\n", paint(ERROR, "error:"), printable(&self.to_string()));
        for cause in self.causes() {
            out.push_str(&format!("  caused by: {}\n", printable(&cause)));
        }
        out.push_str(&findings::errors(&self.findings()));
        out.push_str(&findings::conflicts(self.conflicts()));
        for line in self.hint().iter().flat_map(|hint| hint.lines()) {
            out.push_str(&format!("{} {}\n", paint(HINT, "hint:"), printable(line)));
        }
        out
    }

    pub(crate) fn json(&self) -> String {
        let mut details = serde_json::Map::new();
        let mut add = |name: &str, value: Value| {
            if value.as_array().is_none_or(|list| !list.is_empty()) {
                details.insert(name.to_owned(), value);
            }
        };
        add("causes", json!(self.causes()));
        add("findings", json!(self.findings()));
        add("conflicts", json!(self.conflicts()));
        if let Some((number, checks)) = self.proposed() {
            add("changeset", json!(number));
            add("checks", json!(checks));
        }
        let error = json!({
            "code": self.code(), "message": self.to_string(), "hint": self.hint(), "details": details,
        });
        format!("{:#}", json!({ "error": error }))
    }
}
