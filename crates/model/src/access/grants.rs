//! Grants: what a Version may reach beyond its own memory, and its limits. Nothing is granted that is not stated.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::function::options::{LONGEST_MS, OptionError, boolean, count, milliseconds, wrong};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Grants {
    /// Hosts, each as `host`, `host:port` or `*.domain`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub network: BTreeSet<String>,
    /// Names of Secrets.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub secrets: BTreeSet<String>,
    #[serde(skip_serializing_if = "is_false")]
    pub model: bool,
    #[serde(skip_serializing_if = "BrainGrant::is_none")]
    pub brain: BrainGrant,
    /// A folder of its own for each Run.
    #[serde(skip_serializing_if = "is_false")]
    pub files: bool,
    /// Values that outlive its Runs.
    #[serde(skip_serializing_if = "StorageGrant::is_none")]
    pub storage: StorageGrant,
    #[serde(skip_serializing_if = "Limits::is_default")]
    pub limits: Limits,
}

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BrainGrant {
    #[default]
    None,
    /// Search and read.
    Read,
    /// Also draft, check and propose Changesets.
    Propose,
}

impl BrainGrant {
    fn is_none(&self) -> bool {
        *self == BrainGrant::None
    }
}

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum StorageGrant {
    #[default]
    None,
    Read,
    /// Also set and remove values.
    Write,
}

impl StorageGrant {
    fn is_none(&self) -> bool {
        *self == StorageGrant::None
    }

    /// As a function declares it.
    pub fn word(self) -> Option<&'static str> {
        match self {
            StorageGrant::None => None,
            StorageGrant::Read => Some("read"),
            StorageGrant::Write => Some("write"),
        }
    }
}

/// Limits a Version asks for; absent means the server's default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
}

impl Limits {
    fn is_default(&self) -> bool {
        *self == Limits::default()
    }
}

// serde's `skip_serializing_if` hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

impl Grants {
    /// From the keyword arguments of `@selfmade.function`.
    pub fn from_options(options: &BTreeMap<String, Value>) -> Result<Grants, OptionError> {
        Grants::default().updated(options)
    }

    /// With what the options state; what they do not state stays.
    pub fn updated(mut self, options: &BTreeMap<String, Value>) -> Result<Grants, OptionError> {
        let grants = &mut self;
        for (key, value) in options {
            match key.as_str() {
                "network" => grants.network = hosts(value)?,
                "model" => grants.model = boolean("model", value)?,
                "files" => grants.files = boolean("files", value)?,
                "storage" => grants.storage = storage(value)?,
                "brain" => grants.brain = brain(value)?,
                "timeout" => grants.limits.timeout_ms = Some(timeout(value)?),
                "memory" => grants.limits.memory_bytes = Some(bytes(value)?),
                "processes" => grants.limits.processes = Some(count("processes", value)?),
                _ => return Err(OptionError::Unknown { key: key.clone() }),
            }
        }
        Ok(self)
    }

    /// Adds what another has. Limits stay: they are about one's own work.
    pub fn widen(&mut self, other: &Grants) {
        self.network.extend(other.network.iter().cloned());
        self.secrets.extend(other.secrets.iter().cloned());
        self.model |= other.model;
        self.files |= other.files;
        self.storage = self.storage.max(other.storage);
        self.brain = self.brain.max(other.brain);
    }

    /// Whether whoever holds these may do all that the other may. Limits are about one's own work and do not count.
    pub fn cover(&self, other: &Grants) -> bool {
        other.network.is_subset(&self.network)
            && other.secrets.is_subset(&self.secrets)
            && other.model <= self.model
            && other.files <= self.files
            && other.storage <= self.storage
            && other.brain <= self.brain
    }

    /// What these allow that the other do not. Limits do not count.
    pub fn beyond(&self, other: &Grants) -> Grants {
        Grants {
            network: self.network.difference(&other.network).cloned().collect(),
            secrets: self.secrets.difference(&other.secrets).cloned().collect(),
            model: self.model && !other.model,
            brain: if self.brain > other.brain { self.brain } else { BrainGrant::None },
            files: self.files && !other.files,
            storage: if self.storage > other.storage { self.storage } else { StorageGrant::None },
            limits: Limits::default(),
        }
    }

    /// In words, one grant a line, as a reviewer reads them.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.network.iter().map(|host| format!("network {host}")).collect();
        lines.extend(self.secrets.iter().map(|name| format!("secret {name}")));
        if self.model {
            lines.push("model".to_owned());
        }
        match self.brain {
            BrainGrant::None => {}
            BrainGrant::Read => lines.push("brain read".to_owned()),
            BrainGrant::Propose => lines.push("brain propose".to_owned()),
        }
        if self.files {
            lines.push("files".to_owned());
        }
        lines.extend(self.storage.word().map(|word| format!("storage {word}")));
        lines.extend(self.limits.timeout_ms.map(|ms| format!("timeout {} s", ms as f64 / 1000.0)));
        lines.extend(self.limits.memory_bytes.map(|bytes| format!("memory {bytes} bytes")));
        lines.extend(self.limits.processes.map(|n| format!("processes {n}")));
        lines
    }
}

fn brain(value: &Value) -> Result<BrainGrant, OptionError> {
    match value.as_str() {
        Some("read") => Ok(BrainGrant::Read),
        Some("propose") => Ok(BrainGrant::Propose),
        _ if value.is_null() => Ok(BrainGrant::None),
        _ => Err(wrong("brain", "\"read\" or \"propose\"", value)),
    }
}

fn storage(value: &Value) -> Result<StorageGrant, OptionError> {
    match value.as_str() {
        Some("read") => Ok(StorageGrant::Read),
        Some("write") => Ok(StorageGrant::Write),
        _ if value.is_null() => Ok(StorageGrant::None),
        _ => Err(wrong("storage", "\"read\" or \"write\"", value)),
    }
}

fn hosts(value: &Value) -> Result<BTreeSet<String>, OptionError> {
    let list = value.as_array().ok_or_else(|| wrong("network", "a list of hosts", value))?;
    list.iter()
        .map(|item| {
            let host = item.as_str().ok_or_else(|| wrong("network", "a list of hosts", value))?;
            if is_host(host) {
                Ok(host.to_ascii_lowercase())
            } else {
                Err(OptionError::Host { host: host.to_owned() })
            }
        })
        .collect()
}

pub(crate) fn is_host(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let host = host.strip_prefix("*.").unwrap_or(host);
    let part = |p: &str| !p.is_empty() && p.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    host.split('.').all(part) && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// The milliseconds of a time that is stated in seconds.
pub fn timeout(value: &Value) -> Result<u64, OptionError> {
    // A day bounds a single Run; longer work is made of Steps.
    milliseconds(value).ok_or_else(|| wrong("timeout", "seconds between 0 and 86400", value))
}

/// What a single Run may take instead of what its Version states: no longer than any Version may.
pub fn timeout_of_run(ms: u64) -> Result<u64, OptionError> {
    let failed = || wrong("timeout_ms", "an integer from 1 to 86400000 (one day)", &ms.into());
    if (1..=LONGEST_MS).contains(&ms) { Ok(ms) } else { Err(failed()) }
}

fn bytes(value: &Value) -> Result<u64, OptionError> {
    let failed = || wrong("memory", "bytes, or a string such as \"256MB\"", value);
    let parsed = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => {
            let text = text.trim().to_ascii_uppercase();
            let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
            let unit = match text[digits.len()..].trim() {
                "" | "B" => 1,
                "K" | "KB" => 1_000,
                "KIB" => 1 << 10,
                "M" | "MB" => 1_000_000,
                "MIB" => 1 << 20,
                "G" | "GB" => 1_000_000_000,
                "GIB" => 1 << 30,
                _ => return Err(failed()),
            };
            digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit))
        }
        _ => None,
    };
    parsed.filter(|n| *n > 0).ok_or_else(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn grants(options: Value) -> Result<Grants, String> {
        let options = serde_json::from_value(options).unwrap();
        Grants::from_options(&options).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_stated_is_granted_and_nothing_else() {
        let grants = grants(json!({
            "network": ["API.example.com", "*.example.org:8443"], "model": true, "brain": "read", "storage": "write",
            "timeout": 1.5, "memory": "256MiB", "processes": 4
        }))
        .unwrap();
        assert_eq!(
            grants.lines(),
            [
                "network *.example.org:8443",
                "network api.example.com",
                "model",
                "brain read",
                "storage write",
                "timeout 1.5 s",
                "memory 268435456 bytes",
                "processes 4"
            ]
        );
        assert_eq!(Grants::default().lines(), Vec::<String>::new());
    }

    #[test]
    fn every_time_limit_reads_back_from_the_seconds_it_is_exported_as() {
        for milliseconds in 1..100_000_u64 {
            let seconds = milliseconds as f64 / 1000.0;
            let read = grants(json!({ "timeout": seconds })).unwrap().limits.timeout_ms;
            assert_eq!(read, Some(milliseconds));
        }
    }

    #[test]
    fn an_update_of_one_grant_keeps_the_others() {
        let kept = grants(json!({"network": ["a.com"], "model": true})).unwrap();
        let options = serde_json::from_value(json!({"timeout": 5})).unwrap();
        assert_eq!(kept.updated(&options).unwrap().lines(), ["network a.com", "model", "timeout 5 s"]);
    }

    #[test]
    fn a_url_is_not_a_host() {
        insta::assert_snapshot!(grants(json!({"network": ["https://example.com/x"]})).unwrap_err(), @"`https://example.com/x` is not a host; write `host`, `host:port` or `*.domain`, without scheme or path");
        assert!(grants(json!({"network": ["a:99999"]})).is_err());
        assert!(grants(json!({"network": [""]})).is_err());
    }

    #[test]
    fn wrong_values_are_named() {
        insta::assert_snapshot!(grants(json!({"memory": "lots"})).unwrap_err(), @r#"`memory` must be bytes, or a string such as "256MB", not `"lots"`"#);
        insta::assert_snapshot!(grants(json!({"timeout": -1})).unwrap_err(), @"`timeout` must be seconds between 0 and 86400, not `-1`");
        insta::assert_snapshot!(grants(json!({"brain": "write"})).unwrap_err(), @r#"`brain` must be "read" or "propose", not `"write"`"#);
        insta::assert_snapshot!(grants(json!({"storage": true})).unwrap_err(), @r#"`storage` must be "read" or "write", not `true`"#);
        insta::assert_snapshot!(grants(json!({"timout": 3})).unwrap_err(), @"`timout` is not an option of functions; did you mean `timeout`?");
        assert!(grants(json!({"root": true})).unwrap_err().contains("the options are `description`"));
    }

    #[test]
    fn grants_cover_what_they_hold_and_no_more() {
        let narrow = grants(json!({"network": ["a.com"]})).unwrap();
        let wide = json!({"network": ["a.com", "b.com"], "brain": "read", "storage": "write", "timeout": 5});
        let wide = grants(wide).unwrap();
        let reader = grants(json!({"storage": "read"})).unwrap();
        assert!(wide.cover(&reader) && !narrow.cover(&reader) && !reader.cover(&wide));
        assert_eq!(
            (wide.beyond(&reader).storage, reader.beyond(&wide).storage),
            (StorageGrant::Write, StorageGrant::None)
        );
        assert!(wide.cover(&narrow) && wide.cover(&wide) && narrow.cover(&Grants::default()));
        assert!(!narrow.cover(&wide) && !Grants::default().cover(&narrow));
    }

    #[test]
    fn widening_takes_the_union() {
        let mut narrow = grants(json!({"network": ["a.com"], "brain": "read"})).unwrap();
        narrow.widen(&grants(json!({"network": ["b.com"], "model": true, "storage": "read"})).unwrap());
        assert_eq!(narrow.lines(), ["network a.com", "network b.com", "model", "brain read", "storage read"]);
    }
}
