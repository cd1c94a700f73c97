//! Tokens: credentials for selfmade's own API, kept only as hashes.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::actor::Actor;
use crate::ids::TokenId;

/// What a Token may do, each role including those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenRole {
    Admin,
    Builder,
    Runner,
    Viewer,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no role; expected `admin`, `builder`, `runner` or `viewer`")]
pub struct RoleError(String);

impl TokenRole {
    pub const ALL: [TokenRole; 4] = [Self::Admin, Self::Builder, Self::Runner, Self::Viewer];

    pub fn as_str(self) -> &'static str {
        match self {
            TokenRole::Admin => "admin",
            TokenRole::Builder => "builder",
            TokenRole::Runner => "runner",
            TokenRole::Viewer => "viewer",
        }
    }
}

impl fmt::Display for TokenRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TokenRole {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        TokenRole::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| RoleError(text.to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Token {
    pub token_id: TokenId,
    pub name: String,
    pub role: TokenRole,
    /// Patterns of entry names it may touch, such as `web.*`; empty means all.
    pub patterns: Vec<String>,
    pub created_at: Timestamp,
    pub created_by: Actor,
    pub expires_at: Option<Timestamp>,
}
