//! Secrets: values handed to Functions by name. What is known of one without its value.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::actor::Actor;
use crate::ids::SecretId;
use crate::python::words::{is_identifier, is_keyword};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Secret {
    pub secret_id: SecretId,
    pub name: String,
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
