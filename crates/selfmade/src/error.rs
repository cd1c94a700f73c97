//! What could not be done, told so that the reader can act on it, and the exit code a script gets.

use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};
use server::app::error::Class;
use server::http::BindError;

use crate::findings;
use crate::style::{ERROR, HINT, paint, printable};

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
    Bug = 70,
    Interrupted = 130,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    App(#[from] server::Error),
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
    #[error("there is no place for a data folder: this user has no home folder")]
    NoHome,
    #[error("`{}` is not a folder, so it cannot be the data folder", .path.display())]
    NotAFolder { path: PathBuf },
    #[error("the editor `{editor}` {how}")]
    Editor { editor: String, how: String },
    /// What was edited could not be stored. The text is not thrown away.
    #[error("{source}")]
    Edited { kept: PathBuf, again: String, source: Box<Error> },
    #[error("the answer has no JSON form")]
    Json { source: serde_json::Error },
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        Error::App(error.into())
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
            Error::Input { .. } | Error::Read { .. } | Error::Editor { .. } => Exit::Input,
            Error::Sandbox(_)
            | Error::Listen(_)
            | Error::Write { .. }
            | Error::NoHome
            | Error::NotAFolder { .. }
            | Error::Runtime(_) => Exit::Unavailable,
            Error::Edited { source, .. } => source.exit(),
            Error::Json { .. } => Exit::Bug,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::App(error) => error.code(),
            Error::Input { .. } => "bad_input",
            Error::Read { .. } => "cannot_read",
            Error::Write { .. } => "cannot_write",
            Error::NoHome | Error::NotAFolder { .. } => "no_data_folder",
            Error::Listen(_) => "cannot_listen",
            Error::Sandbox(_) => "sandbox",
            Error::Editor { .. } => "editor_failed",
            Error::Edited { source, .. } => source.code(),
            Error::Json { .. } | Error::Runtime(_) => "internal",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Error::App(error) => error.hint(),
            Error::Input { hint, .. } => Some(hint.clone()),
            Error::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("check the name, and the folder you are in".to_owned())
            }
            Error::Read { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("make it readable for you, for example with `chmod u+r`".to_owned())
            }
            Error::NoHome | Error::NotAFolder { .. } => {
                Some("name another folder with `--home DIR` or `SELFMADE_HOME`".to_owned())
            }
            Error::Listen(_) => {
                Some("choose another place with `--listen 127.0.0.1:PORT`; port 0 is any free one".to_owned())
            }
            Error::Editor { .. } => {
                Some("set `VISUAL` or `EDITOR` to the command of an editor that waits".to_owned())
            }
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

    fn app(&self) -> Option<&server::Error> {
        match self {
            Error::App(error) => Some(error),
            Error::Edited { source, .. } => source.app(),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut out = format!("{} {}\n", paint(ERROR, "error:"), printable(&self.to_string()));
        for cause in self.causes() {
            out.push_str(&format!("  caused by: {}\n", printable(&cause)));
        }
        if let Some(app) = self.app() {
            out.push_str(&findings::errors(&app.findings()));
            out.push_str(&findings::conflicts(app.conflicts()));
        }
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
        if let Some(app) = self.app() {
            add("findings", json!(app.findings()));
            add("conflicts", json!(app.conflicts()));
        }
        let error = json!({
            "code": self.code(), "message": self.to_string(), "hint": self.hint(), "details": details,
        });
        format!("{:#}", json!({ "error": error }))
    }
}
