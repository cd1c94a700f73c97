//! Why there is no such environment.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::environment::policy::Rule;
use crate::environment::problem::Problem;

#[derive(Debug, Error)]
pub enum Error {
    #[error(
        "no Python {least} or newer was found; install it (for example `apt install python3`) or name one"
    )]
    NoPython { least: String, details: String },
    #[error("`{}` is Python {version}, but {least} or newer is needed; install a newer one or name it", .python.display())]
    PythonTooOld { python: PathBuf, version: String, least: String },
    #[error("`{}` does not behave like a Python interpreter: {why}", .python.display())]
    Python { python: PathBuf, why: String },
    #[error("{why}")]
    Uv { why: String, details: String },
    #[error("`{requirement}` is not a requirement that can be installed: {why}")]
    Requirement { requirement: String, why: &'static str },
    #[error("the package `{package}` is refused: {rule}{}", via(.direct))]
    Refused { package: String, rule: Rule, direct: bool },
    #[error("{problem}")]
    Failed { problem: Problem, details: String },
    #[error("cannot use the cache of environments at `{}`", .path.display())]
    Cache {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Error {
    /// All that the failed program wrote, where there was one.
    pub fn details(&self) -> Option<&str> {
        match self {
            Error::NoPython { details, .. } | Error::Uv { details, .. } | Error::Failed { details, .. } => {
                Some(details)
            }
            _ => None,
        }
    }

    pub(super) fn cache(path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Cache { path: path.to_owned(), source }
    }
}

fn via(direct: &bool) -> &'static str {
    if *direct { "" } else { " (another required package needs it)" }
}
