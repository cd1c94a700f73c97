//! Tokens.

use jiff::Timestamp;
use model::access::grantable::Grantable;
use model::access::token::{Token, TokenRole};
use serde::Serialize;
use server::http::Made;

use super::Brain;
use crate::error::Error;

#[derive(Debug, Serialize)]
pub(crate) struct NewToken {
    pub(crate) name: String,
    pub(crate) role: TokenRole,
    pub(crate) patterns: Vec<String>,
    pub(crate) uses: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grants: Option<Grantable>,
    pub(crate) expires_at: Option<Timestamp>,
}

impl Brain {
    pub(crate) async fn tokens(&self) -> Result<Vec<Token>, Error> {
        self.at(&["tokens"]).get().await
    }

    /// With its text, which cannot be had again.
    pub(crate) async fn add_token(&self, new: &NewToken) -> Result<Made, Error> {
        self.at(&["tokens"]).json(new).post().await
    }

    pub(crate) async fn remove_token(&self, name: &str) -> Result<(), Error> {
        self.at(&["tokens", name]).delete().await
    }
}
