//! Where a brain lives and what is configured about it, read once from what [`crate::settings`] chose.

mod engine;
mod in_force;
mod log;
mod network;
mod notify;
mod serve;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use model::run::retention::RetentionPolicy;
use sandbox::environment::EnvironmentsConfig;
use secrecy::SecretString;
use store::Location;

pub use self::in_force::InForce;
pub use self::log::{DEFAULT_LOG, LogConfig, LogFormat};
pub use self::notify::NotifyConfig;
pub use self::serve::ServeConfig;
use crate::engine::{CellsConfig, EngineConfig};
use crate::http_client::HttpClientConfig;
use crate::settings::{Chosen, ConfigError, SettingInputs};

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
    pub keep: RetentionPolicy,
    pub notify: NotifyConfig,
    pub serve: ServeConfig,
    pub log: LogConfig,
    /// A file of certificate authorities that are trusted beside the public ones.
    pub extra_roots: Option<PathBuf>,
    pub http_client: HttpClientConfig,
}

impl Config {
    /// The configuration of a data folder; what is given here wins over its file.
    pub fn of(
        home: PathBuf,
        database: Option<String>,
        secrets_key: Option<SecretString>,
    ) -> Result<Config, ConfigError> {
        let given = SettingInputs::default().flag("database", database).secret("secrets_key", secrets_key);
        Config::read(home, &given)
    }

    /// The configuration of a data folder, with all that is said about it elsewhere.
    pub fn read(home: PathBuf, given: &SettingInputs) -> Result<Config, ConfigError> {
        let chosen = Chosen::of(&home, given)?;
        let database = match chosen.text("database") {
            Some(text) => Location::parse(text),
            None => Location::Sqlite(home.join("brain.db")),
        };
        let mut config = Config::new(home, database, chosen.secret("secrets_key").cloned());
        engine::read(&chosen, &mut config)?;
        let days = "an integer";
        config.keep = RetentionPolicy {
            days: chosen.read("keep_days", days)?,
            runs: chosen.read("keep_runs", days)?,
            bytes: chosen.read("keep_bytes", days)?,
            event_days: chosen.read("keep_event_days", days)?,
            audit_days: chosen.read("keep_audit_days", days)?,
        };
        if let Some(folder) = chosen.text("package_cache") {
            config.cells.environments.cache = config.home.join(folder);
        }
        network::read(&chosen, &mut config)?;
        config.notify = notify::read(&chosen)?;
        config.serve = serve::read(&chosen)?;
        config.log = log::read(&chosen)?;
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
        Config {
            home,
            database,
            secrets_key,
            engine: EngineConfig::default(),
            cells,
            keep: RetentionPolicy::default(),
            notify: NotifyConfig::default(),
            serve: ServeConfig::default(),
            log: LogConfig::default(),
            extra_roots: None,
            http_client: HttpClientConfig::default(),
        }
    }

    /// Whether packages are kept in the data folder, because nothing else is configured.
    pub fn has_own_packages(&self) -> bool {
        self.cells.environments.cache == self.home.join("environments")
    }

    pub fn secrets_key_file(&self) -> PathBuf {
        self.home.join("secrets.key")
    }

    pub fn search_folder(&self) -> PathBuf {
        self.home.join("search")
    }
}
