//! Requests that a Run made of the network, as far as they are kept: never headers, bodies, queries or secrets.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EgressRequest {
    pub at: Timestamp,
    pub method: String,
    /// `http`, `https`, or `tunnel`, of which only host and port are known.
    pub scheme: String,
    pub host: String,
    pub port: u16,
    pub path: String,
    /// Why it was let through or refused: an entry of the grants, or a rule such as `not-listed`.
    pub rule: String,
    /// What the code was told of a refusal; absent means that it was let through.
    pub refused: Option<String>,
    pub status: Option<u16>,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub duration_us: u64,
    /// Why a request that was let through went wrong.
    pub failure: Option<String>,
}
