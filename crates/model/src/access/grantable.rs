//! Grantable: which grants someone may give to the functions they write. A narrow token may give none unless it says so.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::glob;
use super::grants::{BrainGrant, Grants, StorageGrant};

/// What may be given, as it is written: `all`, `secret:NAME`, `host:HOST`, `model`, `brain:read`, `brain:propose`, `files`,
/// `storage:read`, `storage:write`. Names and hosts may be patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Grant {
    All,
    Secret(String),
    Host(String),
    Model,
    Brain(BrainGrant),
    Files,
    Storage(StorageGrant),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a grant; write `secret:NAME`, `host:HOST`, `model`, `brain:read`, `brain:propose`, `files`, `storage:read`, `storage:write` or `all`"
)]
pub struct GrantError(String);

impl FromStr for Grant {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Grant, GrantError> {
        let unknown = || GrantError(text.chars().take(80).collect());
        Ok(match text.split_once(':') {
            None if text == "all" => Grant::All,
            None if text == "model" => Grant::Model,
            None if text == "files" => Grant::Files,
            Some(("brain", "read")) => Grant::Brain(BrainGrant::Read),
            Some(("brain", "propose")) => Grant::Brain(BrainGrant::Propose),
            Some(("storage", "read")) => Grant::Storage(StorageGrant::Read),
            Some(("storage", "write")) => Grant::Storage(StorageGrant::Write),
            Some(("secret", name)) if !name.is_empty() => Grant::Secret(name.to_owned()),
            Some(("host", host)) if !host.is_empty() => Grant::Host(host.to_ascii_lowercase()),
            _ => return Err(unknown()),
        })
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::All => f.write_str("all"),
            Grant::Secret(name) => write!(f, "secret:{name}"),
            Grant::Host(host) => write!(f, "host:{host}"),
            Grant::Model => f.write_str("model"),
            Grant::Brain(BrainGrant::Propose) => f.write_str("brain:propose"),
            Grant::Brain(_) => f.write_str("brain:read"),
            Grant::Files => f.write_str("files"),
            Grant::Storage(StorageGrant::Write) => f.write_str("storage:write"),
            Grant::Storage(_) => f.write_str("storage:read"),
        }
    }
}

impl TryFrom<String> for Grant {
    type Error = GrantError;

    fn try_from(text: String) -> Result<Grant, GrantError> {
        text.parse()
    }
}

impl From<Grant> for String {
    fn from(grant: Grant) -> String {
        grant.to_string()
    }
}

/// All that someone may give.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grantable(pub Vec<Grant>);

impl Grantable {
    pub fn all() -> Grantable {
        Grantable(vec![Grant::All])
    }

    pub fn none() -> Grantable {
        Grantable(Vec::new())
    }

    pub fn is_all(&self) -> bool {
        self.0.contains(&Grant::All)
    }

    /// Whether all that the other may give may be given.
    pub fn includes(&self, other: &Grantable) -> bool {
        other.0.iter().all(|grant| match grant {
            Grant::Secret(name) => {
                self.any(|one| matches!(one, Grant::Secret(pattern) if glob::includes(pattern, name)))
            }
            Grant::Host(host) => {
                self.any(|one| matches!(one, Grant::Host(pattern) if glob::includes(pattern, host)))
            }
            Grant::Brain(brain) => self.brain(*brain),
            Grant::Storage(storage) => self.storage(*storage),
            Grant::All | Grant::Model | Grant::Files => self.any(|one| one == grant),
        })
    }

    pub fn secret(&self, name: &str) -> bool {
        self.any(|grant| matches!(grant, Grant::Secret(pattern) if glob::matches(pattern, name)))
    }

    fn host(&self, host: &str) -> bool {
        self.any(|grant| matches!(grant, Grant::Host(pattern) if glob::matches(pattern, host)))
    }

    fn brain(&self, brain: BrainGrant) -> bool {
        brain == BrainGrant::None || self.any(|grant| matches!(grant, Grant::Brain(most) if *most >= brain))
    }

    fn storage(&self, storage: StorageGrant) -> bool {
        storage == StorageGrant::None
            || self.any(|grant| matches!(grant, Grant::Storage(most) if *most >= storage))
    }

    fn any(&self, fits: impl Fn(&Grant) -> bool) -> bool {
        self.0.iter().any(|grant| *grant == Grant::All || fits(grant))
    }

    /// What of these grants may not be given. Limits are about a function's own work and are not asked for.
    pub fn beyond(&self, grants: &Grants) -> Grants {
        Grants {
            network: grants.network.iter().filter(|host| !self.host(host)).cloned().collect(),
            secrets: grants.secrets.iter().filter(|name| !self.secret(name)).cloned().collect(),
            model: grants.model && !self.any(|grant| *grant == Grant::Model),
            brain: if self.brain(grants.brain) { BrainGrant::None } else { grants.brain },
            files: grants.files && !self.any(|grant| *grant == Grant::Files),
            storage: if self.storage(grants.storage) { StorageGrant::None } else { grants.storage },
            ..Grants::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grantable(texts: &[&str]) -> Grantable {
        Grantable(texts.iter().map(|text| text.parse().unwrap()).collect())
    }

    fn wanted() -> Grants {
        Grants {
            network: ["api.example.com", "*.example.org"].map(str::to_owned).into(),
            secrets: ["openai_key", "mail_key"].map(str::to_owned).into(),
            model: true,
            brain: BrainGrant::Propose,
            files: true,
            storage: StorageGrant::Write,
            ..Grants::default()
        }
    }

    #[test]
    fn all_goes_beyond_nothing_and_none_beyond_everything() {
        assert_eq!(Grantable::all().beyond(&wanted()), Grants::default());
        assert_eq!(Grantable::none().beyond(&wanted()), wanted());
    }

    #[test]
    fn what_is_named_may_be_given_and_the_rest_is_reported() {
        let some = grantable(&[
            "secret:openai_*",
            "host:*.example.com",
            "host:*.example.org",
            "brain:read",
            "storage:read",
        ]);
        insta::assert_snapshot!(some.beyond(&wanted()).lines().join("\n"), @"
        secret mail_key
        model
        brain propose
        files
        storage write
        ");
    }

    #[test]
    fn what_may_be_given_includes_less() {
        let some = grantable(&["secret:openai_*", "host:*.example.com", "brain:propose", "model"]);
        for less in [&["secret:openai_key"][..], &["host:a.example.com", "brain:read", "model"], &[]] {
            assert!(
                some.includes(&grantable(less)) && Grantable::all().includes(&grantable(less)),
                "{less:?}"
            );
        }
        for more in ["secret:*", "host:*", "files", "all"] {
            assert!(!some.includes(&grantable(&[more])), "{more}");
        }
    }

    #[test]
    fn a_grant_reads_back_as_it_was_written_and_others_are_refused() {
        let grants = ["all", "secret:a*", "host:*.b.c:80", "model", "brain:read", "brain:propose", "files"];
        for text in grants.into_iter().chain(["storage:read", "storage:write"]) {
            assert_eq!(text.parse::<Grant>().unwrap().to_string(), text);
        }
        for text in ["", "brain", "secret:", "brain:write", "storage", "network:x"] {
            assert!(text.parse::<Grant>().is_err(), "{text}");
        }
    }
}
