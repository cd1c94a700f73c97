//! Network requests of a Run, as far as they are recorded: never headers, bodies, queries or secrets.

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
    /// Why it was allowed or refused: an entry of the grants, or a rule such as `not-listed`.
    pub rule: String,
    /// What the code was told about a refusal; absent if the request was allowed.
    pub refused: Option<String>,
    pub status: Option<u16>,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub duration_us: u64,
    /// Why an allowed request failed.
    pub failure: Option<String>,
}
