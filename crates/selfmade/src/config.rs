//! The only place that reads the environment: which data folder is used and why, and what else is set from outside.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use secrecy::SecretString;

use crate::cli::Globals;
use crate::error::Error;

/// The data folder a project keeps for itself.
pub(crate) const PROJECT_FOLDER: &str = ".selfmade";

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) home: Home,
    /// `--database`, else `SELFMADE_DATABASE`; absent means what the data folder says.
    pub(crate) database: Option<String>,
    /// `SELFMADE_SECRETS_KEY`; absent means the file in the data folder.
    pub(crate) secrets_key: Option<SecretString>,
    /// `--allow-weaker-sandbox`; without it what the data folder says.
    pub(crate) allow_weaker_sandbox: bool,
    /// `VISUAL`, else `EDITOR`, else `vi`.
    pub(crate) editor: OsString,
    /// `PATH`, where Python and uv are looked for.
    pub(crate) path: OsString,
    /// `SELFMADE_LOG`; absent means no log.
    pub(crate) log: Option<String>,
    /// The folder we are in.
    pub(crate) here: PathBuf,
    /// What to type to get this program again, with this data folder.
    pub(crate) program: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    pub(crate) why: Why,
}

/// Why a data folder is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Option,
    Variable,
    ThisFolder,
    ParentFolder,
    Platform,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Option => "given by --home",
            Why::Variable => "given by SELFMADE_HOME",
            Why::ThisFolder => "found in this folder",
            Why::ParentFolder => "found in a parent folder",
            Why::Platform => "the platform's data folder",
        })
    }
}

impl Settings {
    pub(crate) fn read(globals: &Globals) -> Result<Settings, Error> {
        let here = std::env::current_dir()
            .map_err(|source| Error::Read { what: "this folder".to_owned(), source })?;
        let named = variable("SELFMADE_HOME").map(PathBuf::from);
        let home = Home::find(globals.home.as_deref(), named.as_deref(), &here)?;
        Ok(Settings {
            database: globals.database.clone().or_else(|| text("SELFMADE_DATABASE")),
            secrets_key: text("SELFMADE_SECRETS_KEY").map(SecretString::from),
            allow_weaker_sandbox: globals.allow_weaker_sandbox,
            editor: variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".into()),
            path: variable("PATH").unwrap_or_default(),
            log: text("SELFMADE_LOG"),
            program: program(globals, &here),
            home,
            here,
        })
    }
}

impl Home {
    fn find(option: Option<&Path>, variable: Option<&Path>, here: &Path) -> Result<Home, Error> {
        let given = |path: &Path, why| Home { path: here.join(path), why };
        if let Some(path) = option {
            return Ok(given(path, Why::Option));
        }
        if let Some(path) = variable {
            return Ok(given(path, Why::Variable));
        }
        for folder in here.ancestors() {
            let path = folder.join(PROJECT_FOLDER);
            if path.is_dir() {
                let why = if folder == here { Why::ThisFolder } else { Why::ParentFolder };
                return Ok(Home { path, why });
            }
        }
        let platform = etcetera::base_strategy::choose_native_strategy().map_err(|_| Error::NoHome)?;
        Ok(Home { path: platform.data_dir().join("selfmade"), why: Why::Platform })
    }
}

/// `selfmade` where the shell finds it by that name, else the path by which it was started.
fn program(globals: &Globals, here: &Path) -> String {
    let started = std::env::args_os().next().map(PathBuf::from).unwrap_or_else(|| "selfmade".into());
    let started = quoted(started.strip_prefix(here).unwrap_or(&started));
    match &globals.home {
        Some(home) => format!("{started} --home {}", quoted(home)),
        None => started,
    }
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@,".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// A variable that is set to nothing counts as not set.
#[allow(clippy::disallowed_methods, reason = "this is the place that reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_wins_over_the_variable_and_the_variable_over_the_folders() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("a/b");
        std::fs::create_dir_all(&here).unwrap();
        std::fs::create_dir(folder.path().join(PROJECT_FOLDER)).unwrap();
        let why = |option: Option<&str>, variable: Option<&str>, here: &Path| {
            Home::find(option.map(Path::new), variable.map(Path::new), here).unwrap().why
        };
        assert_eq!(why(Some("x"), Some("y"), &here), Why::Option);
        assert_eq!(why(None, Some("y"), &here), Why::Variable);
        assert_eq!(why(None, None, &here), Why::ParentFolder);
        assert_eq!(why(None, None, folder.path()), Why::ThisFolder);
    }

    #[test]
    fn a_relative_folder_is_one_of_this_folder() {
        let home = Home::find(Some(Path::new("brains/mine")), None, Path::new("/elsewhere")).unwrap();
        assert_eq!(home.path, Path::new("/elsewhere/brains/mine"));
    }
}
