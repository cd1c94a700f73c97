//! The only place that reads the environment: which data folder is used and why, and what else is set from outside.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use model::llm::stored::KEY_VARIABLES;
use secrecy::SecretString;
use server::Config;
use server::settings::{SettingInputs, meant_variable};

use crate::cli::{Cli, Globals};
use crate::error::Error;
use crate::files;

/// The data folder a project keeps for itself.
pub(crate) const PROJECT_FOLDER: &str = ".selfmade";

/// What `uv` and `pip` have to know where packages are not simply to be had from PyPI.
const FETCHING: [&str; 10] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
];

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) home: Home,
    /// Flags and variables; what they do not say, the data folder does.
    pub(crate) given: SettingInputs,
    /// The server that is asked in place of a data folder.
    pub(crate) server: Option<ServerChoice>,
    /// `VISUAL`, else `EDITOR`, else `vi`.
    pub(crate) editor: OsString,
    /// `PATH`, where Python and uv are looked for.
    pub(crate) path: OsString,
    /// Proxies and certificates of this machine, for whatever fetches packages: those of [`FETCHING`] that are set.
    pub(crate) fetching: BTreeMap<String, String>,
    /// Keys of language models: the variables whose names end in `_API_KEY`.
    pub(crate) model_keys: BTreeMap<String, SecretString>,
    /// Where packages are kept for all brains of this user, if the platform has a place for it.
    pub(crate) package_cache: Option<PathBuf>,
    /// The folder we are in.
    pub(crate) here: PathBuf,
    /// What to type to get this program again, with this data folder.
    pub(crate) program: String,
}

/// A server that was named.
#[derive(Clone, Debug)]
pub(crate) struct ServerChoice {
    /// `--server`, else `SELFMADE_SERVER`.
    pub(crate) url: String,
    /// `--token`, else what is in `--token-file`, else `SELFMADE_TOKEN`.
    pub(crate) token: Option<SecretString>,
    /// Whether it was named by the option.
    pub(crate) by_option: bool,
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
    Demo,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Option => "given by --home",
            Why::Variable => "given by SELFMADE_HOME",
            Why::ThisFolder => "found in this folder",
            Why::ParentFolder => "found in a parent folder",
            Why::Platform => "the platform's data folder",
            Why::Demo => "temporary, for the demo",
        })
    }
}

impl Settings {
    pub(crate) fn read(cli: &Cli) -> Result<Settings, Error> {
        let globals = &cli.globals;
        let here = std::env::current_dir()
            .map_err(|source| Error::Read { what: "this folder".to_owned(), source })?;
        let named = variable("SELFMADE_HOME").map(PathBuf::from);
        let home = Home::find(globals.home.as_deref(), named.as_deref(), &here)?;
        Ok(Settings {
            given: cli.given(SettingInputs::variables(text)),
            server: server(globals)?,
            editor: variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".into()),
            path: variable("PATH").unwrap_or_default(),
            fetching: FETCHING.iter().filter_map(|name| Some(((*name).to_owned(), text(name)?))).collect(),
            model_keys: model_keys(),
            program: program(globals, &here),
            package_cache: package_cache(),
            home,
            here,
        })
    }

    /// What holds for a brain in this folder.
    pub(crate) fn config(&self, home: &Path) -> Result<Config, Error> {
        let mut config = Config::read(home.to_owned(), &self.given).map_err(server::Error::from)?;
        config.engine.name = host_name();
        config.cells.environments.path = self.path.clone();
        if let (Some(cache), true) = (&self.package_cache, config.has_own_packages()) {
            config.cells.environments.cache.clone_from(cache);
        }
        config.cells.environments.variables = self.fetching.clone();
        config.engine.model.variables = self.model_keys.clone();
        Ok(config)
    }
}

/// An option that names a data folder wins over a variable that names a server.
fn server(globals: &Globals) -> Result<Option<ServerChoice>, Error> {
    let elsewhere = globals.home.is_some() || globals.database.is_some();
    let variable = || text("SELFMADE_SERVER").filter(|_| !elsewhere);
    let by_option = globals.server.is_some();
    let Some(url) = globals.server.clone().or_else(variable) else {
        let given = globals.token.is_some() || globals.token_file.is_some();
        return if given { Err(token_for_nothing()) } else { Ok(None) };
    };
    let token = match (&globals.token, &globals.token_file) {
        (Some(token), _) => Some(token.clone()),
        (None, Some(file)) => Some(files::read_text(&file.display().to_string())?),
        (None, None) => text("SELFMADE_TOKEN"),
    };
    let token = token.map(|token| SecretString::from(token.trim()));
    Ok(Some(ServerChoice { url, token, by_option }))
}

fn token_for_nothing() -> Error {
    Error::Input {
        problem: "a token was given, but no server".to_owned(),
        hint: "name the server with `--server URL`; a brain on this machine needs no token".to_owned(),
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

fn package_cache() -> Option<PathBuf> {
    let platform = etcetera::base_strategy::choose_native_strategy().ok()?;
    Some(platform.cache_dir().join("selfmade").join("packages"))
}

/// `selfmade` where the shell finds it by that name, else the path by which it was started.
fn program(globals: &Globals, here: &Path) -> String {
    let started = std::env::args_os().next().map(PathBuf::from).unwrap_or_else(|| "selfmade".into());
    let started = quoted(started.strip_prefix(here).unwrap_or(&started));
    match (&globals.home, &globals.server) {
        (Some(home), _) => format!("{started} --home {}", quoted(home)),
        (None, Some(url)) => format!("{started} --server {}", quoted(Path::new(url))),
        (None, None) => started,
    }
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@,".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// What this machine calls itself.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// Other variables hold keys of something else, and are nobody's to send.
#[allow(clippy::disallowed_methods, reason = "this is the place that reads the environment")]
fn model_keys() -> BTreeMap<String, SecretString> {
    let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let keys = variables.filter(|(name, value)| name.ends_with(KEY_VARIABLES) && !value.is_empty());
    keys.filter_map(|(name, value)| Some((name, value.into_string().ok()?.into()))).collect()
}

/// Variables that nothing reads, each with the one that was probably meant.
#[allow(clippy::disallowed_methods, reason = "this is the place that reads the environment")]
pub(crate) fn misspelt_variables() -> Vec<(String, String)> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut misspelt: Vec<_> =
        names.filter_map(|name| Some((name.clone(), meant_variable(&name)?))).collect();
    misspelt.sort();
    misspelt
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
