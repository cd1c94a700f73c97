//! Where a brain lives and what is configured about it. Values come in; who reads the environment is the command line.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::EgressPolicy;
use sandbox::environment::EnvironmentsConfig;
use secrecy::SecretString;
use serde::Deserialize;
use store::{Durability, Location};
use thiserror::Error;

use crate::app::retention::Keep;
use crate::engine::{CellsConfig, EngineConfig};

#[derive(Debug)]
pub struct Config {
    /// The data folder.
    pub home: PathBuf,
    /// Where the database is; `brain.db` in the data folder unless configured.
    pub database: Location,
    /// The secrets key, where it is given and not kept in a file.
    pub secrets_key: Option<SecretString>,
    pub engine: EngineConfig,
    pub cells: CellsConfig,
    pub keep: Keep,
}

/// What `config.toml` in the data folder may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    /// A `postgres://` URL, or the path of a SQLite file.
    database: Option<String>,
    /// Seconds after which the Runs of a server that says nothing any more are taken over by another; 15 unless given.
    lease_seconds: Option<NonZeroU32>,
    /// What stays of the records of Runs, see [`Keep`].
    keep_days: Option<u32>,
    keep_runs: Option<u32>,
    keep_bytes: Option<u64>,
    /// Run functions without the layers of the sandbox that this machine does not offer, instead of refusing.
    #[serde(default)]
    allow_weaker_sandbox: bool,
    /// What the record of a run that somebody waits for survives.
    durability: Option<Survives>,
    /// Hosts, addresses and networks that functions may be granted although they are not public.
    #[serde(default)]
    private_hosts: Vec<String>,
    /// A file of certificate authorities that are trusted beside the public ones; a relative path is one of the data folder.
    extra_roots: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Survives {
    /// The end of the process; unless configured.
    Process,
    /// Loss of power: a flush of the disk for each run.
    Power,
}

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read `{}`", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not a valid configuration: {detail}", .path.display())]
    Parse { path: PathBuf, detail: String },
}

impl Config {
    /// The configuration of a data folder; what is given here wins over its file.
    pub fn of(
        home: PathBuf,
        database: Option<String>,
        secrets_key: Option<SecretString>,
    ) -> Result<Config, ConfigError> {
        let path = home.join("config.toml");
        let file = ConfigFile::read(&path)?;
        check_private(&file.private_hosts).map_err(|detail| ConfigError::Parse { path, detail })?;
        let extra_roots_pem = extra_roots(&home, file.extra_roots.as_deref())?;
        let database = match database.or(file.database) {
            Some(text) => Location::parse(&text),
            None => Location::Sqlite(home.join("brain.db")),
        };
        let mut config = Config::new(home, database, secrets_key);
        if let Some(seconds) = file.lease_seconds {
            config.engine.lease = Duration::from_secs(seconds.get().into());
        }
        config.keep = Keep { days: file.keep_days, runs: file.keep_runs, bytes: file.keep_bytes };
        config.cells.sandbox.allow_weaker = file.allow_weaker_sandbox;
        config.cells.extra_roots_pem = extra_roots_pem;
        config.engine.private = file.private_hosts;
        config.engine.durability = match file.durability {
            Some(Survives::Power) => Durability::Power,
            Some(Survives::Process) | None => Durability::Process,
        };
        Ok(config)
    }

    /// With everything else as it is unless configured.
    pub fn new(home: PathBuf, database: Location, secrets_key: Option<SecretString>) -> Config {
        let cells = CellsConfig {
            sandbox: sandbox::Config::default(),
            environments: EnvironmentsConfig {
                cache: home.join("environments"),
                ..EnvironmentsConfig::default()
            },
            egress_folder: home.join("egress"),
            extra_roots_pem: String::new(),
        };
        let (engine, keep) = (EngineConfig::default(), Keep::default());
        Config { home, database, secrets_key, engine, cells, keep }
    }

    pub fn secrets_key_file(&self) -> PathBuf {
        self.home.join("secrets.key")
    }

    pub fn search_folder(&self) -> PathBuf {
        self.home.join("search")
    }
}

impl ConfigFile {
    fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(ConfigFile::default()),
            Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
        };
        toml::from_str(&text)
            .map_err(|error| ConfigError::Parse { path: path.to_owned(), detail: error.message().to_owned() })
    }
}

/// What cannot be understood is refused here, and not by every function that is granted a network.
fn check_private(hosts: &[String]) -> Result<(), String> {
    let policy = EgressPolicy { private: hosts.to_vec(), ..EgressPolicy::default() };
    policy.check().map_err(|error| format!("in `private_hosts`, {error}, or an address or network"))
}

fn extra_roots(home: &Path, file: Option<&Path>) -> Result<String, ConfigError> {
    let Some(file) = file else { return Ok(String::new()) };
    let path = home.join(file);
    std::fs::read_to_string(&path).map_err(|source| ConfigError::Read { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_setting_is_refused_and_named() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), "databse = \"x\"").unwrap();
        let error = Config::of(home.path().to_owned(), None, None).unwrap_err().to_string();
        assert!(error.contains("unknown field `databse`"), "{error}");
    }

    #[test]
    fn a_file_says_how_long_servers_are_waited_for_and_what_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let read = || Config::of(home.path().to_owned(), None, None);
        assert_eq!(read().unwrap().keep, Keep::default());
        std::fs::write(home.path().join("config.toml"), "lease_seconds = 7\nkeep_days = 30\nkeep_bytes = 9")
            .unwrap();
        let config = read().unwrap();
        assert_eq!(config.engine.lease, Duration::from_secs(7));
        assert_eq!(config.keep, Keep { days: Some(30), runs: None, bytes: Some(9) });
        std::fs::write(home.path().join("config.toml"), "lease_seconds = 0").unwrap();
        assert!(read().is_err());
    }

    #[test]
    fn only_the_whole_sandbox_will_do_unless_the_file_allows_less() {
        let home = tempfile::tempdir().unwrap();
        let allowed = || Config::of(home.path().to_owned(), None, None).unwrap().cells.sandbox.allow_weaker;
        assert!(!allowed());
        std::fs::write(home.path().join("config.toml"), "allow_weaker_sandbox = true").unwrap();
        assert!(allowed());
    }

    #[test]
    fn what_is_not_public_is_reached_only_where_the_file_lists_it() {
        let home = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            std::fs::write(home.path().join("config.toml"), text).unwrap();
            Config::of(home.path().to_owned(), None, None)
        };
        assert!(of("").unwrap().engine.private.is_empty());
        let config = of("private_hosts = [\"127.0.0.1\", \"10.1.0.0/16\", \"*.intranet.example\"]").unwrap();
        assert_eq!(config.engine.private, ["127.0.0.1", "10.1.0.0/16", "*.intranet.example"]);
        let error = of("private_hosts = [\"http://localhost/\"]").unwrap_err().to_string();
        assert!(error.contains("`private_hosts`") && error.contains("`http://localhost/`"), "{error}");
    }

    #[test]
    fn further_authorities_are_read_from_the_file_that_is_named() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), "extra_roots = \"ours.pem\"").unwrap();
        let read = || Config::of(home.path().to_owned(), None, None);
        assert!(read().unwrap_err().to_string().contains("ours.pem"));
        std::fs::write(home.path().join("ours.pem"), "-----BEGIN CERTIFICATE-----").unwrap();
        assert_eq!(read().unwrap().cells.extra_roots_pem, "-----BEGIN CERTIFICATE-----");
    }

    #[test]
    fn what_runs_survive_is_configured_in_a_word() {
        let home = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            std::fs::write(home.path().join("config.toml"), text).unwrap();
            Config::of(home.path().to_owned(), None, None).map(|config| config.engine.durability)
        };
        assert_eq!(of("").unwrap(), Durability::Process);
        assert_eq!(of("durability = \"power\"").unwrap(), Durability::Power);
        let error = of("durability = \"full\"").unwrap_err().to_string();
        assert!(error.contains("`process`") && error.contains("`power`"), "{error}");
    }

    #[test]
    fn what_is_given_wins_over_the_file_and_the_file_over_the_default() {
        let home = tempfile::tempdir().unwrap();
        let database = |given: Option<&str>| {
            let config = Config::of(home.path().to_owned(), given.map(str::to_owned), None).unwrap();
            config.database
        };
        assert_eq!(database(None), Location::Sqlite(home.path().join("brain.db")));
        std::fs::write(home.path().join("config.toml"), "database = \"postgres://h/from_file\"").unwrap();
        assert_eq!(database(None), Location::Postgres("postgres://h/from_file".to_owned()));
        assert_eq!(database(Some("given.db")), Location::Sqlite("given.db".into()));
    }
}
