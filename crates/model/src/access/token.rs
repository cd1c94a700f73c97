//! Tokens: credentials for selfmade's own API, kept only as hashes.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::actor::Actor;
use super::grantable::Grantable;
use super::scope::Scope;
use crate::access::Authority;
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
#[error("`{0}` is not a role; expected `admin`, `builder`, `runner` or `viewer`")]
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
    /// Patterns of other names that its functions may call.
    #[serde(default)]
    pub uses: Vec<String>,
    /// What its functions may be granted: `all`, or `secret:NAME`, `host:HOST`, `model`, `brain:read`, `brain:propose`,
    /// `files`, `storage:read`, `storage:write`.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub grants: Grantable,
    pub created_at: Timestamp,
    pub created_by: Actor,
    pub expires_at: Option<Timestamp>,
}

impl Token {
    /// What whoever holds it may do.
    pub fn authority(self) -> Authority {
        let only = Scope::of_patterns(self.patterns);
        // Whoever may touch everything may call everything.
        let uses = if only.is_all() { Scope::All } else { Scope::Names(self.uses) };
        Authority { holder: Actor::Token(self.token_id), role: self.role, only, uses, grants: self.grants }
    }
}
