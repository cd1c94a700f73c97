use std::time::Duration;

use model::access::policy::ProposalPolicy;
use model::budget::DayLimits;
use model::run::retention::RetentionPolicy;
use store::{Durability, Location};

use super::Config;
use super::engine::cells_at_once;
use crate::llm::ModelConfig;
use crate::settings::{SETTINGS, SettingInputs, Source};

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
    let given = SettingInputs::variables(variables).flag("drain_seconds", Some("7".to_owned()));
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
    let page = include_str!("../../../../docs/operations.md");
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
    assert_eq!(config.keep, RetentionPolicy { days: Some(30), bytes: Some(9), ..RetentionPolicy::default() });
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
    let ModelConfig { url, name, key, .. } = stated.model;
    assert_eq!(stated.changesets, ProposalPolicy::Auto);
    assert_eq!(
        (url.as_deref(), name.as_deref(), key.as_str()),
        (Some("http://h/v1"), Some("m"), "openai_api_key")
    );
    assert!(of("changesets = \"always\"").unwrap_err().to_string().contains("`auto`"));
}

#[test]
fn what_may_be_spent_in_a_day_is_configured() {
    let home = tempfile::tempdir().unwrap();
    let of = |text: &str| {
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        Config::of(home.path().to_owned(), None, None).map(|config| config.engine)
    };
    let usual = of("").unwrap();
    assert_eq!((usual.days, usual.model.price), (DayLimits::default(), None));
    let stated = of(
        "[budget]\nday = \"money=5 turns=9\"\nagents = [\"build: money=0.50\"]\n[model]\nprice = \"1/0.5/2\"",
    )
    .unwrap();
    assert_eq!(stated.days.brain.shown(), "$5.00, 9 turns");
    assert_eq!(
        (stated.days.agents[0].0.as_str(), stated.days.agents[0].1.shown()),
        ("build", "$0.50".to_owned())
    );
    assert_eq!(stated.model.price.unwrap().cached.to_string(), "$0.50");
    // A day has no deadline.
    for wrong in [
        "[budget]\nday = \"much\"",
        "[budget]\nday = \"seconds=5\"",
        "[budget]\nagents = [\"build\"]",
        "[model]\nprice = \"1\"",
    ] {
        assert!(of(wrong).unwrap_err().to_string().contains("it must be"), "{wrong}");
    }
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
