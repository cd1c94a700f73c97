//! Where a brain lives and what is configured about it, read once from what [`crate::settings`] chose.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::num::{NonZero, NonZeroU32};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use hyper::Uri;
use model::access::policy::ProposalPolicy;
use model::access::scope::Scope;
use model::run::bounds::RunBounds;
use model::run::retention::RetentionPolicy;
use sandbox::EgressPolicy;
use sandbox::environment::EnvironmentsConfig;
use secrecy::SecretString;
use serde::Serialize;
use store::{Durability, Location};

use crate::engine::{CellsConfig, EngineConfig};
use crate::http_client::HttpClientConfig;
use crate::llm::ModelConfig;
use crate::serve::roles::Roles;
use crate::settings::{Chosen, ConfigError, Given, SETTINGS, Source};
use crate::traces::Endpoint;

/// The most of anything that is counted in ones, so that no sum overflows.
const MANY: usize = 10_000;
const COUNT: &str = "an integer from 1 to 10000";

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
    pub serve: ServeConfig,
    pub log: LogConfig,
    /// A file of certificate authorities that are trusted beside the public ones.
    pub extra_roots: Option<PathBuf>,
    pub http_client: HttpClientConfig,
}

/// What only a server needs to know.
#[derive(Clone, Debug)]
pub struct ServeConfig {
    /// Where to listen for HTTP.
    pub listen: String,
    /// Names under which others reach it, in lower case.
    pub names: BTreeSet<String>,
    /// Proxies that are believed for whom they speak.
    pub trusted_proxies: BTreeSet<IpAddr>,
    /// Requests a second that one caller may send.
    pub rate: Option<NonZeroU32>,
    /// What it does.
    pub roles: Roles,
    /// What people know it by among other servers.
    pub node_name: Option<String>,
    /// How long running Runs have to end when the server stops.
    pub drain: Duration,
    /// The collector that receives the traces of Runs.
    pub collector: Option<Endpoint>,
}

impl Default for ServeConfig {
    fn default() -> ServeConfig {
        ServeConfig {
            listen: "127.0.0.1:7333".to_owned(),
            names: BTreeSet::new(),
            trusted_proxies: BTreeSet::new(),
            rate: None,
            roles: Roles::default(),
            node_name: None,
            drain: Duration::from_secs(30),
            collector: None,
        }
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// A level, or levels by target; absent is up to the command.
    pub filter: Option<String>,
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InForce {
    pub key: &'static str,
    /// Without what is secret.
    pub value: String,
    pub source: Source,
    pub variable: String,
    pub flag: Option<&'static str>,
}

impl Config {
    /// The configuration of a data folder; what is given here wins over its file.
    pub fn of(
        home: PathBuf,
        database: Option<String>,
        secrets_key: Option<SecretString>,
    ) -> Result<Config, ConfigError> {
        let given = Given::default().flag("database", database).secret("secrets_key", secrets_key);
        Config::read(home, &given)
    }

    /// The configuration of a data folder, with all that is said about it elsewhere.
    pub fn read(home: PathBuf, given: &Given) -> Result<Config, ConfigError> {
        let chosen = Chosen::of(&home, given)?;
        let database = match chosen.text("database") {
            Some(text) => Location::parse(text),
            None => Location::Sqlite(home.join("brain.db")),
        };
        let mut config = Config::new(home, database, chosen.secret("secrets_key").cloned());
        read_engine(&chosen, &mut config)?;
        read_bounds(&chosen, &mut config.engine.bounds)?;
        let days = "an integer";
        config.keep = RetentionPolicy {
            days: chosen.read("keep_days", days)?,
            runs: chosen.read("keep_runs", days)?,
            bytes: chosen.read("keep_bytes", days)?,
            event_days: chosen.read("keep_event_days", days)?,
            audit_days: chosen.read("keep_audit_days", days)?,
        };
        read_network(&chosen, &mut config)?;
        config.engine.model = read_model(&chosen);
        config.serve = read_serve(&chosen)?;
        config.log = read_log(&chosen)?;
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

    /// Every setting, its value, and where that came from.
    pub fn in_force(home: PathBuf, given: &Given) -> Result<Vec<InForce>, ConfigError> {
        let chosen = Chosen::of(&home, given)?;
        let config = Config::read(home, given)?;
        let told = |setting: &crate::settings::Setting| InForce {
            key: setting.key,
            value: config.shown(setting.key),
            source: chosen.source(setting.key),
            variable: setting.variable(),
            flag: setting.flag,
        };
        Ok(SETTINGS.iter().map(told).collect())
    }

    fn shown(&self, key: &str) -> String {
        let or = |value: Option<String>, absent: &str| value.unwrap_or_else(|| absent.to_owned());
        let (engine, cells, serve) = (&self.engine, &self.cells.sandbox, &self.serve);
        match key {
            // Printed without the password.
            "database" => self.database.to_string(),
            "secrets_key" => match &self.secrets_key {
                Some(_) => "(struck out)".to_owned(),
                None => format!("in {}", self.secrets_key_file().display()),
            },
            "listen" => serve.listen.clone(),
            "names" => serve.names.iter().cloned().collect::<Vec<_>>().join(","),
            "trusted_proxies" => {
                serve.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
            }
            "rate" => or(serve.rate.map(|rate| rate.to_string()), "(any)"),
            "roles" => serve.roles.to_string(),
            "node_name" => or(serve.node_name.clone(), "(host and port)"),
            "drain_seconds" => serve.drain.as_secs().to_string(),
            "log" => or(self.log.filter.clone(), DEFAULT_LOG),
            "log_format" => word_of(LOG_FORMATS, self.log.format),
            "allow_weaker_sandbox" => cells.allow_weaker.to_string(),
            "otlp_endpoint" => or(serve.collector.as_ref().map(ToString::to_string), "(none)"),
            "changesets" => word_of(POLICIES, engine.changesets),
            "changesets_replace" => {
                engine.changesets_replace.patterns().map_or("*".to_owned(), |patterns| patterns.join(","))
            }
            "private_hosts" => engine.private.join(","),
            "extra_roots" => or(self.extra_roots.as_ref().map(|path| path.display().to_string()), "(none)"),
            "http_proxy" => or(self.http_client.proxy.as_ref().map(ToString::to_string), "(none)"),
            "package_cache" if self.has_own_packages() => "(your cache folder)".to_owned(),
            "package_cache" => self.cells.environments.cache.display().to_string(),
            "resolve_on_add" => engine.resolve_on_add.to_string(),
            "model_url" => or(engine.model.url.clone(), "(OpenAI's)"),
            "model_name" => or(engine.model.name.clone(), "(as functions say)"),
            "model_key" => engine.model.key.clone(),
            "durability" => word_of(DURABILITIES, engine.durability),
            "lease_seconds" => engine.lease.as_secs().to_string(),
            "runs_at_once" => engine.at_once.to_string(),
            "waited_at_once" => engine.waited_at_once.to_string(),
            "nested_at_once" => engine.nested_at_once.to_string(),
            "ready_cells" => cells.ready_cells.to_string(),
            "warm_cells" => cells.warm_cells.to_string(),
            "run_steps" => engine.bounds.steps.to_string(),
            "run_journal_bytes" => engine.bounds.journal_bytes.to_string(),
            "run_event_bytes" => engine.bounds.events_bytes.to_string(),
            "event_bytes" => engine.bounds.event_bytes.to_string(),
            "keep_days" => or(self.keep.days.map(|days| days.to_string()), ALL),
            "keep_runs" => or(self.keep.runs.map(|runs| runs.to_string()), ALL),
            "keep_bytes" => or(self.keep.bytes.map(|bytes| bytes.to_string()), ALL),
            "keep_event_days" => or(self.keep.event_days().map(|days| days.to_string()), ALL),
            "keep_audit_days" => or(self.keep.audit_days.map(|days| days.to_string()), ALL),
            _ => String::new(),
        }
    }
}

/// What a server logs unless configured.
pub const DEFAULT_LOG: &str = "warn";
const ALL: &str = "(all)";

const LOG_FORMATS: &[(&str, LogFormat)] = &[("text", LogFormat::Text), ("json", LogFormat::Json)];
const DURABILITIES: &[(&str, Durability)] = &[("process", Durability::Process), ("power", Durability::Power)];
const POLICIES: &[(&str, ProposalPolicy)] =
    &[("auto", ProposalPolicy::Auto), ("ask", ProposalPolicy::Ask), ("never", ProposalPolicy::Never)];
const TRUTHS: &[(&str, bool)] = &[("true", true), ("false", false)];

fn word_of<T: Copy + PartialEq>(words: &[(&str, T)], value: T) -> String {
    words.iter().find(|(_, known)| *known == value).map(|(word, _)| (*word).to_owned()).unwrap_or_default()
}

/// More cells at once than this for each processor only wait for each other, unless they wait for the network.
const CELLS_PER_PROCESSOR: usize = 16;
/// What a cell takes that is not small, and not large either.
const CELL_BYTES: u64 = 64 << 20;

/// Runs that are executed at once while somebody waits for them, and as many again while other Runs wait for them: each has
/// half of the memory.
fn cells_at_once(processors: usize, memory_bytes: u64) -> usize {
    let room = usize::try_from(memory_bytes / CELL_BYTES / 2).unwrap_or(usize::MAX);
    (processors * CELLS_PER_PROCESSOR).min(room).clamp(1, MANY)
}

fn read_engine(chosen: &Chosen, config: &mut Config) -> Result<(), ConfigError> {
    let (engine, cells) = (&mut config.engine, &mut config.cells.sandbox);
    if let Some(seconds) = chosen.read::<NonZeroU32>("lease_seconds", "a number of seconds, at least 1")? {
        engine.lease = Duration::from_secs(seconds.get().into());
    }
    if let Some(count) = count(chosen, "runs_at_once")? {
        engine.at_once = count;
    }
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let usual = cells_at_once(processors, sandbox::memory_bytes());
    engine.waited_at_once = count(chosen, "waited_at_once")?.unwrap_or(usual);
    engine.nested_at_once = count(chosen, "nested_at_once")?.unwrap_or(usual);
    if let Some(count) = count(chosen, "ready_cells")? {
        cells.ready_cells = count;
    }
    if let Some(count) = count(chosen, "warm_cells")? {
        cells.warm_cells = count;
    }
    if let Some(allowed) = chosen.word("allow_weaker_sandbox", TRUTHS, "`true` or `false`")? {
        cells.allow_weaker = allowed;
    }
    if let Some(durability) = chosen.word("durability", DURABILITIES, "`process` or `power`")? {
        engine.durability = durability;
    }
    if let Some(policy) = chosen.word("changesets", POLICIES, "`auto`, `ask` or `never`")? {
        engine.changesets = policy;
    }
    engine.changesets_replace = match chosen.list("changesets_replace") {
        patterns if patterns.is_empty() => Scope::none(),
        patterns => Scope::of_patterns(patterns),
    };
    Ok(())
}

fn read_bounds(chosen: &Chosen, bounds: &mut RunBounds) -> Result<(), ConfigError> {
    if let Some(steps) = chosen.read::<NonZeroU32>("run_steps", "a number of steps, at least 1")? {
        bounds.steps = steps.get();
    }
    let sizes = [
        ("run_journal_bytes", &mut bounds.journal_bytes),
        ("run_event_bytes", &mut bounds.events_bytes),
        ("event_bytes", &mut bounds.event_bytes),
    ];
    for (key, size) in sizes {
        if let Some(bytes) = chosen.read(key, "a number of bytes")? {
            *size = bytes;
        }
    }
    Ok(())
}

fn count(chosen: &Chosen, key: &'static str) -> Result<Option<usize>, ConfigError> {
    match chosen.read::<usize>(key, COUNT)? {
        Some(count) if count == 0 || count > MANY => Err(chosen.wrong(key, COUNT)),
        count => Ok(count),
    }
}

fn read_serve(chosen: &Chosen) -> Result<ServeConfig, ConfigError> {
    let usual = ServeConfig::default();
    let proxies = chosen.list("trusted_proxies");
    let proxies = proxies.iter().map(|text| text.parse()).collect::<Result<_, _>>();
    let drain = chosen.read::<u32>("drain_seconds", "a number of seconds")?;
    Ok(ServeConfig {
        listen: chosen.text("listen").map_or(usual.listen, str::to_owned),
        names: chosen.list("names").iter().map(|name| name.to_ascii_lowercase()).collect(),
        trusted_proxies: proxies.map_err(|_| chosen.wrong("trusted_proxies", "addresses of proxies"))?,
        rate: chosen.read("rate", "a number of requests per second, at least 1")?,
        roles: chosen
            .read("roles", "`http`, `engine`, `triggers` or `scheduler`, separated by commas")?
            .unwrap_or_default(),
        node_name: chosen.text("node_name").map(str::to_owned),
        drain: drain.map_or(usual.drain, |seconds| Duration::from_secs(seconds.into())),
        collector: chosen.read("otlp_endpoint", "a URL that begins with `http://`, without a password")?,
    })
}

fn read_log(chosen: &Chosen) -> Result<LogConfig, ConfigError> {
    Ok(LogConfig {
        filter: chosen.text("log").map(str::to_owned),
        format: chosen.word("log_format", LOG_FORMATS, "`text` or `json`")?.unwrap_or_default(),
    })
}

fn read_network(chosen: &Chosen, config: &mut Config) -> Result<(), ConfigError> {
    config.engine.private = chosen.list("private_hosts");
    // What cannot be understood is refused here, and not by every function that is granted a network.
    let policy = EgressPolicy { private: config.engine.private.clone(), ..EgressPolicy::default() };
    if policy.check().is_err() {
        return Err(chosen.wrong("private_hosts", "names of hosts, addresses and networks"));
    }
    config.extra_roots = chosen.text("extra_roots").map(|file| config.home.join(file));
    if let Some(path) = &config.extra_roots {
        let read = std::fs::read_to_string(path);
        let pem = read.map_err(|source| ConfigError::Read { path: path.clone(), source })?;
        config.cells.extra_roots_pem.clone_from(&pem);
        config.http_client.extra_roots_pem = pem;
    }
    config.http_client.proxy = read_proxy(chosen)?;
    if let Some(resolve) = chosen.word("resolve_on_add", TRUTHS, "`true` or `false`")? {
        config.engine.resolve_on_add = resolve;
    }
    if let Some(folder) = chosen.text("package_cache") {
        config.cells.environments.cache = config.home.join(folder);
    }
    Ok(())
}

fn read_proxy(chosen: &Chosen) -> Result<Option<Uri>, ConfigError> {
    let Some(text) = chosen.text("http_proxy") else { return Ok(None) };
    let proxy: Option<Uri> = text.parse().ok();
    let is_plain = |url: &Uri| {
        url.scheme_str() == Some("http")
            && url.path() == "/"
            && url.query().is_none()
            && url.authority().is_some_and(|authority| !authority.as_str().contains('@'))
    };
    match proxy.filter(is_plain) {
        Some(proxy) => Ok(Some(proxy)),
        None => Err(chosen.wrong("http_proxy", "the address of a proxy such as `http://proxy.example:3128`")),
    }
}

fn read_model(chosen: &Chosen) -> ModelConfig {
    let text = |key: &str| chosen.text(key).map(str::to_owned);
    let key = text("model_key").unwrap_or(ModelConfig::default().key);
    ModelConfig { url: text("model_url"), name: text("model_name"), key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_at_once_follow_processors_and_memory() {
        assert_eq!(cells_at_once(2, 64 << 30), 32);
        assert_eq!(cells_at_once(64, 1 << 30), 8);
        assert_eq!(cells_at_once(1, 0), 1);
    }

    #[test]
    fn every_setting_is_shown_with_where_it_came_from_and_without_secrets() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), "keep_days = 30\nruns_at_once = 3").unwrap();
        let variables = |name: &str| match name {
            "SELFMADE_SECRETS_KEY" => Some("hunter2hunter2".to_owned()),
            "SELFMADE_DATABASE" => Some("postgres://me:hunter2@db.example/brain".to_owned()),
            _ => None,
        };
        let given = Given::variables(variables).flag("drain_seconds", Some("7".to_owned()));
        let all = Config::in_force(home.path().to_owned(), &given).unwrap();
        assert_eq!(all.len(), SETTINGS.len());
        let of = |key: &str| {
            let found = all.iter().find(|setting| setting.key == key).unwrap();
            (found.value.as_str(), found.source)
        };
        assert_eq!(of("keep_days"), ("30", Source::File));
        assert_eq!(of("runs_at_once"), ("3", Source::File));
        assert_eq!(of("drain_seconds"), ("7", Source::Flag));
        assert_eq!(of("durability"), ("process", Source::Default));
        assert_eq!(of("secrets_key"), ("(struck out)", Source::Variable));
        assert_eq!(of("database").1, Source::Variable);
        let may_be_empty = ["names", "trusted_proxies", "private_hosts", "changesets_replace"];
        assert!(
            all.iter().all(|setting| !setting.value.is_empty() || may_be_empty.contains(&setting.key)),
            "{all:?}"
        );
        assert!(!format!("{all:?}{given:?}").contains("hunter2"));
    }

    #[test]
    fn numbers_have_bounds() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), "runs_at_once = 0").unwrap();
        let error = Config::of(home.path().to_owned(), None, None).unwrap_err().to_string();
        assert!(error.ends_with("is `0`; it must be an integer from 1 to 10000"), "{error}");
    }

    #[test]
    fn the_documentation_names_every_setting() {
        let page = include_str!("../../../docs/operations.md");
        for setting in SETTINGS {
            assert!(page.contains(&format!("| `{}` |", setting.key)), "`{}` is not described", setting.key);
        }
    }

    #[test]
    fn a_file_says_how_long_servers_are_waited_for_and_what_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let read = || Config::of(home.path().to_owned(), None, None);
        assert_eq!(read().unwrap().keep, RetentionPolicy::default());
        std::fs::write(home.path().join("config.toml"), "lease_seconds = 7\nkeep_days = 30\nkeep_bytes = 9")
            .unwrap();
        let config = read().unwrap();
        assert_eq!(config.engine.lease, Duration::from_secs(7));
        assert_eq!(
            config.keep,
            RetentionPolicy { days: Some(30), bytes: Some(9), ..RetentionPolicy::default() }
        );
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
    fn a_proxy_is_used_only_where_one_is_named() {
        let home = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            std::fs::write(home.path().join("config.toml"), text).unwrap();
            Config::of(home.path().to_owned(), None, None).map(|config| config.http_client.proxy)
        };
        assert_eq!(of("").unwrap(), None);
        let proxy = of("http_proxy = \"http://proxy.example:3128\"").unwrap().unwrap();
        assert_eq!(proxy.authority().unwrap(), "proxy.example:3128");
        for wrong in [
            "proxy.example:3128",
            "https://proxy.example",
            "http://proxy.example/path",
            "http://me:hunter2@proxy",
        ] {
            let error = of(&format!("http_proxy = \"{wrong}\"")).unwrap_err().to_string();
            assert!(error.contains("`http_proxy`") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn further_authorities_are_read_from_the_file_that_is_named() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), "extra_roots = \"ours.pem\"").unwrap();
        let read = || Config::of(home.path().to_owned(), None, None);
        assert!(read().unwrap_err().to_string().contains("ours.pem"));
        std::fs::write(home.path().join("ours.pem"), "-----BEGIN CERTIFICATE-----").unwrap();
        let config = read().unwrap();
        assert_eq!(config.cells.extra_roots_pem, "-----BEGIN CERTIFICATE-----");
        assert_eq!(config.http_client.extra_roots_pem, "-----BEGIN CERTIFICATE-----");
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
    fn what_becomes_of_proposals_and_which_model_is_asked_is_configured() {
        let home = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            std::fs::write(home.path().join("config.toml"), text).unwrap();
            Config::of(home.path().to_owned(), None, None).map(|config| config.engine)
        };
        let usual = of("").unwrap();
        assert_eq!(
            (usual.changesets, usual.model.url, usual.model.key.as_str()),
            (ProposalPolicy::Ask, None, "openai_api_key")
        );
        let stated = of("changesets = \"auto\"\n[model]\nurl = \"http://h/v1\"\nname = \"m\"").unwrap();
        let ModelConfig { url, name, key } = stated.model;
        assert_eq!(stated.changesets, ProposalPolicy::Auto);
        assert_eq!(
            (url.as_deref(), name.as_deref(), key.as_str()),
            (Some("http://h/v1"), Some("m"), "openai_api_key")
        );
        assert!(of("changesets = \"always\"").unwrap_err().to_string().contains("`auto`"));
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
