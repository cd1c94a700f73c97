//! Secrets: values handed to Functions by name. What is known of one without its value.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::actor::Actor;
use super::grants::is_host;
use crate::ids::SecretId;
use crate::python::words::{is_identifier, is_keyword};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Secret {
    pub secret_id: SecretId,
    pub name: String,
    /// Sealed for these: cells get a placeholder, and the value is inserted on the way to one of them. Empty: cells get the value.
    #[serde(default)]
    pub hosts: BTreeSet<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub updated_by: Actor,
}

impl Secret {
    /// Whether one that is sealed may be sent to this `host` or `host:port`.
    pub fn is_sealed_for(&self, authority: &str) -> bool {
        let (host, port) = split_port(authority);
        self.hosts.iter().any(|sealed| {
            let (name, only) = split_port(sealed);
            let is_host = match name.strip_prefix("*.") {
                Some(domain) => {
                    host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
                }
                None => name == host,
            };
            is_host && (only.is_none() || only == port)
        })
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
        _ => (authority, None),
    }
}

/// A provider's longest credentials are a few kilobytes; this also holds a certificate chain.
pub const MAX_SECRET_BYTES: usize = 64 * 1024;

/// Shorter values stand in too many innocent texts to be redacted of what is recorded.
pub const SHORTEST_SECRET_BYTES: usize = 4;

/// A sealed value is redacted of what its hosts answer to anyone, so whoever can have a host show a guess learns whether it is right:
/// eight printable characters are too many to try. Nor does one of that length stand in a page by chance.
pub const SHORTEST_SEALED_BYTES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SecretError {
    #[error("`{name}` is not a valid name for a secret; use a Python identifier such as `openai_api_key`")]
    Name { name: String },
    #[error("the value of secret `{name}` is empty; nothing was stored")]
    Empty { name: String },
    #[error("the value of secret `{name}` has {bytes} bytes; the limit is {MAX_SECRET_BYTES}")]
    TooLong { name: String, bytes: usize },
    #[error(
        "the value of secret `{name}` has {bytes} bytes; a value of fewer than {SHORTEST_SECRET_BYTES} cannot be redacted from what functions print; choose a longer one"
    )]
    TooShort { name: String, bytes: usize },
    #[error(
        "secret `{name}` cannot be sealed for hosts: its value has {bytes} bytes, and a value of fewer than {SHORTEST_SEALED_BYTES} cannot be redacted from responses; get a longer one from its provider, or store it without hosts"
    )]
    TooShortToSeal { name: String, bytes: usize },
    #[error("`{host}` is not a host; write `host`, `host:port` or `*.domain`, without scheme or path")]
    Host { host: String },
    #[error(
        "secret `{name}` cannot be sealed for hosts: its value is inserted into headers and URLs, and contains characters that are not allowed there"
    )]
    NotPlain { name: String },
}

pub fn check_secret_name(name: &str) -> Result<(), SecretError> {
    if !is_identifier(name) || is_keyword(name) || name.len() > crate::name::MAX_NAME_BYTES {
        return Err(SecretError::Name { name: name.chars().take(80).collect() });
    }
    Ok(())
}

pub fn check_secret(name: &str, value: &[u8]) -> Result<(), SecretError> {
    check_secret_name(name)?;
    let (name, bytes) = (name.to_owned(), value.len());
    match bytes {
        0 => Err(SecretError::Empty { name }),
        1..SHORTEST_SECRET_BYTES => Err(SecretError::TooShort { name, bytes }),
        SHORTEST_SECRET_BYTES..=MAX_SECRET_BYTES => Ok(()),
        _ => Err(SecretError::TooLong { name, bytes }),
    }
}

/// The hosts that a Secret is to be sealed for, as they are kept.
pub fn sealed_hosts(name: &str, value: &[u8], hosts: &[String]) -> Result<BTreeSet<String>, SecretError> {
    if let Some(host) = hosts.iter().find(|host| !is_host(host)) {
        return Err(SecretError::Host { host: host.clone() });
    }
    if !hosts.is_empty() {
        check_sealable(name, value)?;
    }
    Ok(hosts.iter().map(|host| host.to_ascii_lowercase()).collect())
}

/// Whether a value can be put into requests, and found in answers.
pub fn check_sealable(name: &str, value: &[u8]) -> Result<(), SecretError> {
    if !value.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return Err(SecretError::NotPlain { name: name.to_owned() });
    }
    if value.len() < SHORTEST_SEALED_BYTES {
        return Err(SecretError::TooShortToSeal { name: name.to_owned(), bytes: value.len() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_kept_in_one_spelling() {
        let hosts =
            ["API.example.com".to_owned(), "*.example.org:8443".to_owned(), "api.example.com".to_owned()];
        let kept = sealed_hosts("k", b"sk-1 xyz", &hosts).unwrap();
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), ["*.example.org:8443", "api.example.com"]);
    }

    #[test]
    fn what_is_no_host_and_what_cannot_stand_in_a_header_is_refused() {
        let wrong = sealed_hosts("k", b"v", &["https://example.com/x".to_owned()]).unwrap_err();
        assert!(wrong.to_string().starts_with("`https://example.com/x` is not a host"));
        for value in [b"a\nb".as_slice(), "ü".as_bytes(), b"\xff"] {
            let host = ["example.com".to_owned()];
            assert_eq!(sealed_hosts("k", value, &host), Err(SecretError::NotPlain { name: "k".to_owned() }));
            assert_eq!(sealed_hosts("k", value, &[]), Ok(BTreeSet::new()));
        }
    }

    #[test]
    fn what_is_too_short_to_be_redacted_is_refused_and_told_what_to_do() {
        assert_eq!(check_secret("k", b"1234"), Ok(()));
        let error = check_secret("k", b"123").unwrap_err().to_string();
        assert!(
            error.contains("has 3 bytes; a value of fewer than 4") && error.contains("choose a longer one"),
            "{error}"
        );
        let host = ["example.com".to_owned()];
        assert!(sealed_hosts("k", b"12345678", &host).is_ok());
        assert_eq!(sealed_hosts("k", b"1234567", &[]), Ok(BTreeSet::new()));
        let error = sealed_hosts("k", b"1234567", &host).unwrap_err().to_string();
        assert!(
            error.contains("has 7 bytes, and a value of fewer than 8") && error.contains("without hosts"),
            "{error}"
        );
    }

    #[test]
    fn a_sealed_secret_is_for_its_hosts_alone() {
        let secret = Secret {
            secret_id: SecretId(uuid::Uuid::nil()),
            name: "k".to_owned(),
            hosts: ["api.example.com", "*.example.org:8443"].map(str::to_owned).into(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            updated_by: Actor::CommandLine,
        };
        for host in ["api.example.com", "api.example.com:444", "a.example.org:8443"] {
            assert!(secret.is_sealed_for(host), "{host}");
        }
        for host in
            ["example.com", "xapi.example.com", "a.example.org", "example.org:8443", "aexample.org:8443", ""]
        {
            assert!(!secret.is_sealed_for(host), "{host}");
        }
    }
}
