//! Secrets: values handed to Functions by name. What is known of one without its value.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::actor::Actor;
use crate::grants::is_host;
use crate::ids::SecretId;
use crate::python::words::{is_identifier, is_keyword};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Secret {
    pub secret_id: SecretId,
    pub name: String,
    /// Sealed for these: cells get a placeholder, and the value is put in on the way to one of them. Empty: cells get the value.
    #[serde(default)]
    pub hosts: BTreeSet<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub updated_by: Actor,
}

/// A provider's longest credentials are a few kilobytes; this also holds a certificate chain.
pub const MAX_SECRET_BYTES: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SecretError {
    #[error("`{name}` cannot name a secret; use a Python identifier such as `openai_api_key`")]
    Name { name: String },
    #[error("the value of secret `{name}` is empty; nothing was stored")]
    Empty { name: String },
    #[error(
        "the value of secret `{name}` has {bytes} bytes, more than the {MAX_SECRET_BYTES} a secret may have"
    )]
    TooLong { name: String, bytes: usize },
    #[error("`{host}` is no host; write `host`, `host:port` or `*.domain`, without scheme or path")]
    Host { host: String },
    #[error(
        "secret `{name}` cannot be sealed for hosts: its value is put into headers and addresses, and holds what cannot stand there"
    )]
    NotPlain { name: String },
}

pub fn check_secret(name: &str, value: &[u8]) -> Result<(), SecretError> {
    if !is_identifier(name) || is_keyword(name) || name.len() > crate::name::MAX_NAME_BYTES {
        return Err(SecretError::Name { name: name.chars().take(80).collect() });
    }
    if value.is_empty() {
        return Err(SecretError::Empty { name: name.to_owned() });
    }
    if value.len() > MAX_SECRET_BYTES {
        return Err(SecretError::TooLong { name: name.to_owned(), bytes: value.len() });
    }
    Ok(())
}

/// The hosts that a Secret is to be sealed for, as they are kept.
pub fn sealed_hosts(name: &str, value: &[u8], hosts: &[String]) -> Result<BTreeSet<String>, SecretError> {
    if let Some(host) = hosts.iter().find(|host| !is_host(host)) {
        return Err(SecretError::Host { host: host.clone() });
    }
    let is_plain = value.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    if !hosts.is_empty() && !is_plain {
        return Err(SecretError::NotPlain { name: name.to_owned() });
    }
    Ok(hosts.iter().map(|host| host.to_ascii_lowercase()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_kept_in_one_spelling() {
        let hosts =
            ["API.example.com".to_owned(), "*.example.org:8443".to_owned(), "api.example.com".to_owned()];
        let kept = sealed_hosts("k", b"sk-1 x", &hosts).unwrap();
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), ["*.example.org:8443", "api.example.com"]);
    }

    #[test]
    fn what_is_no_host_and_what_cannot_stand_in_a_header_is_refused() {
        let wrong = sealed_hosts("k", b"v", &["https://example.com/x".to_owned()]).unwrap_err();
        assert!(wrong.to_string().starts_with("`https://example.com/x` is no host"));
        for value in [b"a\nb".as_slice(), "ü".as_bytes(), b"\xff"] {
            let host = ["example.com".to_owned()];
            assert_eq!(sealed_hosts("k", value, &host), Err(SecretError::NotPlain { name: "k".to_owned() }));
            assert_eq!(sealed_hosts("k", value, &[]), Ok(BTreeSet::new()));
        }
    }
}
