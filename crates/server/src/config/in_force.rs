//! Settings as they are in force, for people.

use std::path::PathBuf;

use hyper::Uri;
use model::budget::Price;
use serde::Serialize;

use super::Config;
use super::engine::{DURABILITIES, POLICIES};
use super::log::{DEFAULT_LOG, LOG_FORMATS};
use crate::settings::{Chosen, ConfigError, SETTINGS, Setting, SettingInputs, Source};

const ALL: &str = "(all)";

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
    /// Every setting, its value, and where that came from.
    pub fn in_force(home: PathBuf, given: &SettingInputs) -> Result<Vec<InForce>, ConfigError> {
        let chosen = Chosen::of(&home, given)?;
        let config = Config::read(home, given)?;
        let told = |setting: &Setting| InForce {
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
            "model_price" => or(
                engine
                    .model
                    .price
                    .map(|Price { input, cached, output }| format!("{input}/{cached}/{output}")),
                "(not known)",
            ),
            "budget_day" if engine.days.brain.is_empty() => "(no limit)".to_owned(),
            "budget_day" => engine.days.brain.shown(),
            "budget_agents" => {
                let agents = engine.days.agents.iter();
                or_none(
                    agents
                        .map(|(name, limits)| format!("{name}: {}", limits.shown()))
                        .collect::<Vec<_>>()
                        .join("; "),
                )
            }
            "notify_function" => or(self.notify.function.as_ref().map(ToString::to_string), "(none)"),
            "notify_webhook" => {
                let host = self.notify.webhook.as_ref().and_then(Uri::host);
                or(host.map(|host| format!("at {host}")), "(none)")
            }
            "durability" => word_of(DURABILITIES, engine.durability),
            "lease_seconds" => engine.lease.as_secs().to_string(),
            "poll_seconds" => engine.poll.as_secs().to_string(),
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

fn or_none(text: String) -> String {
    if text.is_empty() { "(none)".to_owned() } else { text }
}

fn word_of<T: Copy + PartialEq>(words: &[(&str, T)], value: T) -> String {
    words.iter().find(|(_, known)| *known == value).map(|(word, _)| (*word).to_owned()).unwrap_or_default()
}
