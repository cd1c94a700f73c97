//! A language model as it is stored: how it is reached, what it is for, and what it takes.

use std::collections::BTreeSet;
use std::net::IpAddr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::name::LlmName;
use super::price::Price;
use super::profile::{Profile, Protocol};
use super::words::words;
use crate::access::actor::Actor;
use crate::access::secret::check_secret_name;

words! {
    /// What a model is used for. Each role has at most one model.
    Role, "role":
    /// Writes and plans.
    Strong = "strong",
    /// Answers small questions often.
    Fast = "fast",
    /// Turns texts into vectors.
    Embed = "embed",
}

/// Where the key of a model's server comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    /// The Secret of this name.
    Secret(String),
    /// A variable in the environment of the server.
    Environment(String),
    /// The server needs none.
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Llm {
    pub name: LlmName,
    pub protocol: Protocol,
    /// Where the API begins, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// What its server calls it.
    pub model_id: String,
    pub key: KeySource,
    pub roles: BTreeSet<Role>,
    pub price: Price,
    pub profile: Profile,
    /// When the profile was found out; absent if it is only assumed.
    pub probed_at: Option<Timestamp>,
    pub updated_at: Timestamp,
    pub updated_by: Actor,
}

impl Llm {
    /// `host` or `host:port` of its server, in lower case.
    pub fn host(&self) -> String {
        authority(&self.base_url).to_ascii_lowercase()
    }

    /// Whether its server is on this machine.
    pub fn is_local(&self) -> bool {
        let host = self.host();
        let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let name = name.map_or(host.as_str(), |(name, _)| name).trim_matches(['[', ']']);
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

fn authority(base_url: &str) -> &str {
    base_url.split_once("://").and_then(|(_, rest)| rest.split('/').next()).unwrap_or_default()
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LlmError {
    #[error("`{0}` is not the URL of a model's server; write it as `http://127.0.0.1:11434/v1`")]
    Url(String),
    #[error(
        "the URL of a model's server has a user name or password in it; name the secret that has the key instead"
    )]
    Credentials,
    #[error(
        "the model's own id is empty, longer than 200 characters or has control characters; use the id that its server lists at `/models`"
    )]
    Id,
    #[error("`{0}` is not the name of a secret; use a Python identifier such as `openai_api_key`")]
    Secret(String),
    #[error(
        "`{0}` is not a variable that a key is read from; its name ends in `_API_KEY`, such as `OPENAI_API_KEY`; store any other key as a secret"
    )]
    Variable(String),
}

/// Whoever may add models must not be able to have any variable of the server sent anywhere.
pub const KEY_VARIABLES: &str = "_API_KEY";

/// What is wrong with the way to a model.
pub fn check(base_url: &str, model_id: &str, key: &KeySource) -> Result<(), LlmError> {
    let has_scheme = base_url.starts_with("http://") || base_url.starts_with("https://");
    let authority = if has_scheme { authority(base_url) } else { "" };
    if authority.contains('@') {
        return Err(LlmError::Credentials);
    }
    let is_url = !authority.is_empty()
        && base_url.len() <= 2_000
        && !base_url.contains(|c: char| c.is_whitespace() || c.is_control() || "?#\"<>".contains(c));
    if !is_url {
        return Err(LlmError::Url(crate::phrase::cut(base_url, 200)));
    }
    if model_id.trim().is_empty() || model_id.chars().count() > 200 || model_id.contains(char::is_control) {
        return Err(LlmError::Id);
    }
    check_key(key)
}

fn check_key(key: &KeySource) -> Result<(), LlmError> {
    match key {
        KeySource::None => Ok(()),
        KeySource::Secret(name) => check_secret_name(name).map_err(|_| LlmError::Secret(name.clone())),
        KeySource::Environment(name) => {
            let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
            let is_variable = name.len() <= 200
                && name.starts_with(is_letter)
                && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
                && name.ends_with(KEY_VARIABLES);
            if is_variable { Ok(()) } else { Err(LlmError::Variable(crate::phrase::cut(name, 80))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_reached_is_refused_and_says_why() {
        let ok = |url: &str| check(url, "m", &KeySource::None);
        assert_eq!(ok("http://127.0.0.1:1/v1"), Ok(()));
        assert_eq!(ok("https://h"), Ok(()));
        for wrong in ["", "h/v1", "ftp://h", "http://", "http:///v1", "http://h/v1?key=1", "http://h/ v1"] {
            assert!(matches!(ok(wrong), Err(LlmError::Url(_))), "{wrong}");
        }
        assert_eq!(ok("http://me:pass@h/v1"), Err(LlmError::Credentials));
        assert_eq!(check("http://h", " ", &KeySource::None), Err(LlmError::Id));
        let variable = |name: &str| check("http://h", "m", &KeySource::Environment(name.to_owned()));
        assert_eq!(variable("OPENAI_API_KEY"), Ok(()));
        for wrong in ["a-b", "", "SELFMADE_SECRETS_KEY", "DATABASE_URL", "1_API_KEY"] {
            assert_eq!(variable(wrong), Err(LlmError::Variable(wrong.to_owned())));
        }
        let secret = |name: &str| check("http://h", "m", &KeySource::Secret(name.to_owned()));
        assert_eq!((secret("k"), secret("not a name").is_err()), (Ok(()), true));
    }
}
