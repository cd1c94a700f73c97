//! Sessions: browsers that have signed in, each kept as a hash of what its cookie holds.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::actor::Actor;
use crate::access::Authority;
use crate::ids::SessionId;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Session {
    pub session_id: SessionId,
    /// By which it is ended, such as `browser-1a2b3c4d`.
    pub name: String,
    /// What the holder of the cookie may do.
    pub authority: Authority,
    pub created_at: Timestamp,
    /// Who printed the link.
    pub created_by: Actor,
    pub expires_at: Timestamp,
}
