//! Settings: what can be configured, from where, and who wins. A flag wins over a variable of the environment, a variable over
//! `config.toml` in the data folder, the file over the default. What the values mean is left to [`crate::config`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use model::changeset::check::nearest;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use thiserror::Error;

/// One thing that can be configured.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in `config.toml`, where `model_url` may also be `url` in the table `[model]`. Its variable is `SELFMADE_` and this in capitals.
    pub key: &'static str,
    /// Without the dashes, where there is one.
    pub flag: Option<&'static str>,
    /// Whether its value may be shown.
    pub secret: bool,
}

const fn setting(key: &'static str) -> Setting {
    Setting { key, flag: None, secret: false }
}

const fn flagged(key: &'static str, flag: &'static str) -> Setting {
    Setting { key, flag: Some(flag), secret: false }
}

const fn secret(key: &'static str) -> Setting {
    Setting { key, flag: None, secret: true }
}

/// In the order in which they are shown. `docs/operations.md` says what each is for; a test compares.
pub const SETTINGS: &[Setting] = &[
    flagged("database", "database"),
    secret("secrets_key"),
    flagged("listen", "listen"),
    flagged("names", "name"),
    flagged("trusted_proxies", "trusted-proxy"),
    flagged("rate", "rate"),
    flagged("roles", "roles"),
    setting("node_name"),
    flagged("drain_seconds", "drain"),
    flagged("log", "log"),
    flagged("log_format", "log-format"),
    flagged("allow_weaker_sandbox", "allow-weaker-sandbox"),
    setting("otlp_endpoint"),
    setting("notify_function"),
    secret("notify_webhook"),
    setting("durability"),
    setting("changesets"),
    setting("changesets_replace"),
    setting("private_hosts"),
    setting("extra_roots"),
    setting("http_proxy"),
    setting("package_cache"),
    setting("resolve_on_add"),
    setting("model_url"),
    setting("model_name"),
    setting("model_key"),
    setting("model_price"),
    setting("budget_day"),
    setting("budget_agents"),
    setting("lease_seconds"),
    setting("poll_seconds"),
    setting("runs_at_once"),
    setting("waited_at_once"),
    setting("nested_at_once"),
    setting("ready_cells"),
    setting("warm_cells"),
    setting("run_steps"),
    setting("run_journal_bytes"),
    setting("run_event_bytes"),
    setting("event_bytes"),
    setting("keep_days"),
    setting("keep_runs"),
    setting("keep_bytes"),
    setting("keep_event_days"),
    setting("keep_audit_days"),
];

/// Variables of ours that are no settings: what the command line, the Python package and the tests read.
const OTHER_VARIABLES: [&str; 8] = [
    "SELFMADE_BABYAGI_LISTEN",
    "SELFMADE_BABYAGI_PACKS",
    "SELFMADE_BINARY",
    "SELFMADE_HOME",
    "SELFMADE_PLAIN",
    "SELFMADE_POSTGRES",
    "SELFMADE_SERVER",
    "SELFMADE_TOKEN",
];

/// The variable that was probably meant by one that nothing reads. Other programs may have variables that begin like ours, so one that
/// is not much like any of them is none of our business.
pub fn meant_variable(name: &str) -> Option<String> {
    // The others are of the project's own tests.
    if !name.starts_with("SELFMADE_") || name.starts_with("SELFMADE_TEST_") {
        return None;
    }
    let settings = SETTINGS.iter().map(Setting::variable);
    let known: Vec<String> = settings.chain(OTHER_VARIABLES.map(str::to_owned)).collect();
    if known.iter().any(|known| known == name) {
        return None;
    }
    // What all of them begin with says nothing about likeness.
    let tail = |name: &str| name.trim_start_matches("SELFMADE_").to_owned();
    let tails: Vec<String> = known.iter().map(|known| tail(known)).collect();
    nearest(&tail(name), &tails).map(|near| format!("SELFMADE_{near}"))
}

/// A value that lies beside the database would be in every copy of the folder.
const NEVER_IN_FILE: &str = "secrets_key";

impl Setting {
    pub fn variable(&self) -> String {
        format!("SELFMADE_{}", self.key.to_ascii_uppercase())
    }
}

/// Where a value came from; the later ones win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    Default,
    File,
    Variable,
    Flag,
}

/// What was said outside the data folder.
#[derive(Clone, Debug, Default)]
pub struct SettingInputs {
    values: Values,
}

/// As text. Some are secret, so none is printed by accident.
type Values = BTreeMap<&'static str, (SecretString, Source)>;

impl SettingInputs {
    /// Takes what the environment has; `read` is who may look there.
    pub fn variables(read: impl Fn(&str) -> Option<String>) -> SettingInputs {
        let found = SETTINGS.iter().filter_map(|setting| Some((setting.key, read(&setting.variable())?)));
        SettingInputs { values: found.map(|(key, text)| (key, (text.into(), Source::Variable))).collect() }
    }

    /// A flag, if it was given.
    #[must_use]
    pub fn flag(mut self, key: &'static str, value: Option<String>) -> SettingInputs {
        if let Some(text) = value {
            self.values.insert(key, (text.into(), Source::Flag));
        }
        self
    }

    pub fn says(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// What flags say, as variables that say the same.
    pub fn flags(&self) -> Vec<(String, &str)> {
        let flags = SETTINGS.iter().filter_map(|setting| match self.values.get(setting.key)? {
            (text, Source::Flag) => Some((setting.variable(), text.expose_secret())),
            _ => None,
        });
        flags.collect()
    }

    /// A secret, as if the environment had it.
    #[must_use]
    pub fn secret(mut self, key: &'static str, value: Option<SecretString>) -> SettingInputs {
        if let Some(text) = value {
            self.values.insert(key, (text, Source::Variable));
        }
        self
    }
}

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read `{}`", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not a valid configuration: {detail}", .path.display())]
    Parse { path: PathBuf, detail: String },
    #[error("`{}` has an unknown setting `{key}`{}", .path.display(), within(.table.as_deref()))]
    Unknown { path: PathBuf, table: Option<String>, key: String, near: Option<String> },
    #[error("`{}` has an unknown table `[{table}]`", .path.display())]
    UnknownTable { path: PathBuf, table: String, holds: Option<String> },
    #[error("`{key}` is not read from `{}`, where it would be stored next to the database", .path.display())]
    Misplaced { path: PathBuf, key: &'static str },
    #[error("{place} is `{value}`; it must be {expected}")]
    Value { place: String, value: String, expected: &'static str },
}

impl ConfigError {
    pub(crate) fn hint(&self) -> String {
        match self {
            ConfigError::Unknown { near: Some(near), .. } => format!("did you mean `{near}`?"),
            ConfigError::UnknownTable { holds: Some(key), .. } => {
                format!("write `{key}` outside of a table, at the beginning of the file")
            }
            ConfigError::Misplaced { key, .. } => {
                format!("set the variable `SELFMADE_{}` instead", key.to_ascii_uppercase())
            }
            _ => "`selfmade serve --show-config` lists what can be set".to_owned(),
        }
    }
}

/// For every setting the value that wins, as text.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    file: PathBuf,
    values: Values,
}

impl Chosen {
    pub(crate) fn of(home: &Path, given: &SettingInputs) -> Result<Chosen, ConfigError> {
        let file = home.join("config.toml");
        let mut values = in_file(&file)?;
        values.extend(given.values.clone());
        Ok(Chosen { file, values })
    }

    pub(crate) fn source(&self, key: &str) -> Source {
        self.values.get(key).map_or(Source::Default, |(_, source)| *source)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.secret(key).map(ExposeSecret::expose_secret)
    }

    pub(crate) fn secret(&self, key: &str) -> Option<&SecretString> {
        self.values.get(key).map(|(text, _)| text)
    }

    /// The value, if there is one; `expected` tells whoever wrote it what it should be.
    pub(crate) fn read<T: FromStr>(
        &self,
        key: &'static str,
        expected: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.wrong(key, expected))
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&str, T)],
        expected: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| self.wrong(key, expected))
    }

    /// Texts with commas between them.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let parts = self.text(key).unwrap_or_default().split(',').map(str::trim);
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    pub(crate) fn wrong(&self, key: &'static str, expected: &'static str) -> ConfigError {
        let setting = SETTINGS.iter().find(|setting| setting.key == key);
        let place = match (self.source(key), setting) {
            (Source::Flag, Some(Setting { flag: Some(flag), .. })) => format!("`--{flag}`"),
            (Source::Variable, Some(setting)) => format!("`{}`", setting.variable()),
            _ => format!("`{key}` in `{}`", self.file.display()),
        };
        let text = self.text(key).unwrap_or_default();
        // A URL with someone's password has one before its host.
        let is_secret = setting.is_some_and(|setting| setting.secret) || text.contains('@');
        let value = if is_secret { "…" } else { text };
        ConfigError::Value { place, value: value.to_owned(), expected }
    }
}

fn in_file(path: &Path) -> Result<Values, ConfigError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    let parse = |detail: String| ConfigError::Parse { path: path.to_owned(), detail };
    let table: toml::Table = toml::from_str(&text).map_err(|error| parse(error.message().to_owned()))?;
    if let Some(error) = table.iter().find_map(|(name, value)| unknown_table(path, name, value)) {
        return Err(error);
    }
    let mut values = BTreeMap::new();
    for (table, key, value) in flat(table) {
        let whole = table.as_ref().map_or_else(|| key.clone(), |table| format!("{table}_{key}"));
        let Some(setting) = SETTINGS.iter().find(|setting| setting.key == whole) else {
            return Err(unknown(path, table.as_deref(), &key));
        };
        if setting.key == NEVER_IN_FILE {
            return Err(ConfigError::Misplaced { path: path.to_owned(), key: setting.key });
        }
        let text = plain(&value)
            .ok_or_else(|| parse(format!("`{key}` is neither a value nor a list of strings")))?;
        values.insert(setting.key, (text.into(), Source::File));
    }
    Ok(values)
}

/// A table none of whose settings could be known: it is a mistake by itself, whatever it holds.
fn unknown_table(path: &Path, name: &str, value: &toml::Value) -> Option<ConfigError> {
    let inner = value.as_table()?;
    let begins = format!("{name}_");
    if SETTINGS.iter().any(|setting| setting.key.starts_with(&begins)) {
        return None;
    }
    let holds = inner.keys().find(|key| SETTINGS.iter().any(|setting| setting.key == key.as_str())).cloned();
    Some(ConfigError::UnknownTable { path: path.to_owned(), table: name.to_owned(), holds })
}

/// What stands in a table comes with its name, which is before its own.
fn flat(table: toml::Table) -> Vec<(Option<String>, String, toml::Value)> {
    let mut values = Vec::new();
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => {
                values.extend(inner.into_iter().map(|(name, value)| (Some(key.clone()), name, value)));
            }
            value => values.push((None, key, value)),
        }
    }
    values
}

/// Told as it is written: in a table, without the table's name.
fn unknown(path: &Path, table: Option<&str>, key: &str) -> ConfigError {
    let begins = table.map(|table| format!("{table}_")).unwrap_or_default();
    let known = SETTINGS.iter().filter(|setting| setting.key.starts_with(&begins));
    let known: Vec<String> = known.map(|setting| setting.key.to_owned()).collect();
    // Whole names are compared, because two letters of a short one are much of it.
    let near = nearest(&format!("{begins}{key}"), &known);
    let near = near.map(|near| near.strip_prefix(&begins).unwrap_or(near).to_owned());
    ConfigError::Unknown { path: path.to_owned(), table: table.map(str::to_owned), key: key.to_owned(), near }
}

fn within(table: Option<&str>) -> String {
    table.map(|table| format!(" in the table `[{table}]`")).unwrap_or_default()
}

/// As a flag would say it.
fn plain(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(truth) => Some(truth.to_string()),
        toml::Value::Array(parts) => {
            let parts: Option<Vec<&str>> = parts.iter().map(toml::Value::as_str).collect();
            parts.map(|parts| parts.join(","))
        }
        toml::Value::Float(_) | toml::Value::Datetime(_) | toml::Value::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(file: &str, given: &SettingInputs) -> Result<Chosen, ConfigError> {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), file).unwrap();
        Chosen::of(home.path(), given)
    }

    #[test]
    fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
        let variable =
            SettingInputs::variables(|name| (name == "SELFMADE_LISTEN").then(|| "variable".to_owned()));
        let flag = variable.clone().flag("listen", Some("flag".to_owned()));
        let of = |file: &str, given: &SettingInputs| {
            let chosen = chosen(file, given).unwrap();
            (chosen.text("listen").map(str::to_owned), chosen.source("listen"))
        };
        let file = "listen = \"file\"";
        assert_eq!(of("", &SettingInputs::default()), (None, Source::Default));
        assert_eq!(of(file, &SettingInputs::default()), (Some("file".to_owned()), Source::File));
        assert_eq!(of(file, &variable), (Some("variable".to_owned()), Source::Variable));
        assert_eq!(of(file, &flag), (Some("flag".to_owned()), Source::Flag));
    }

    #[test]
    fn a_misspelt_setting_is_refused_and_the_nearest_named() {
        let error = chosen("databse = \"x\"", &SettingInputs::default()).unwrap_err();
        assert!(error.to_string().ends_with("has an unknown setting `databse`"), "{error}");
        assert_eq!(error.hint(), "did you mean `database`?");
        let error = chosen("[notify]\nfuncton = \"x\"", &SettingInputs::default()).unwrap_err();
        assert!(
            error.to_string().ends_with("has an unknown setting `functon` in the table `[notify]`"),
            "{error}"
        );
        assert_eq!(error.hint(), "did you mean `function`?");
        let error = chosen("zzz = 1", &SettingInputs::default()).unwrap_err();
        assert!(error.hint().contains("--show-config"), "{}", error.hint());
    }

    #[test]
    fn a_value_that_cannot_be_read_is_reported_with_its_place() {
        let given =
            SettingInputs::variables(|name| (name == "SELFMADE_KEEP_DAYS").then(|| "many".to_owned()));
        let error = chosen("", &given).unwrap().read::<u32>("keep_days", "a number of days").unwrap_err();
        assert_eq!(error.to_string(), "`SELFMADE_KEEP_DAYS` is `many`; it must be a number of days");
    }

    #[test]
    fn the_key_is_not_taken_from_the_file() {
        let error = chosen("secrets_key = \"00\"", &SettingInputs::default()).unwrap_err();
        assert!(matches!(error, ConfigError::Misplaced { .. }), "{error:?}");
        assert_eq!(error.hint(), "set the variable `SELFMADE_SECRETS_KEY` instead");
    }

    #[test]
    fn a_table_is_a_way_to_write_names_that_begin_alike() {
        let written =
            chosen("[model]\nurl = \"http://localhost:1/v1\"\n", &SettingInputs::default()).unwrap();
        assert_eq!(written.text("model_url"), Some("http://localhost:1/v1"));
        let error = chosen("[model]\nulr = \"x\"\n", &SettingInputs::default()).unwrap_err();
        assert_eq!(error.hint(), "did you mean `url`?");
    }

    #[test]
    fn a_table_that_there_is_not_is_named_as_it_is_written() {
        let error = chosen("[server]\nlisten = \"127.0.0.1:1\"\n", &SettingInputs::default()).unwrap_err();
        assert!(error.to_string().ends_with("has an unknown table `[server]`"), "{error}");
        assert_eq!(error.hint(), "write `listen` outside of a table, at the beginning of the file");
        let error = chosen("[zzz]\na = 1\n", &SettingInputs::default()).unwrap_err();
        assert!(error.hint().contains("--show-config"), "{}", error.hint());
    }

    #[test]
    fn a_misspelt_variable_is_reported_with_what_was_meant() {
        assert_eq!(meant_variable("SELFMADE_LISTN").as_deref(), Some("SELFMADE_LISTEN"));
        assert_eq!(meant_variable("SELFMADE_DATABSE").as_deref(), Some("SELFMADE_DATABASE"));
        for known in ["SELFMADE_LISTEN", "SELFMADE_HOME", "SELFMADE_BINARY", "PATH", "SELFMADE_MY_OWN_THING"]
        {
            assert_eq!(meant_variable(known), None, "{known}");
        }
    }

    #[test]
    fn a_list_is_a_list_in_the_file_and_has_commas_elsewhere() {
        let chosen = chosen("names = [\"a.example\", \"b.example\"]", &SettingInputs::default()).unwrap();
        assert_eq!(chosen.list("names"), ["a.example", "b.example"]);
    }
}
