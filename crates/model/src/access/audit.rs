//! The audit trail: who changed what, and when.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::actor::Actor;
use crate::ids::AuditId;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    pub audit_id: AuditId,
    pub at: Timestamp,
    pub actor: Actor,
    /// `changeset.apply`, `secret.set`, `token.add` …
    pub verb: String,
    /// The name or id of what it was done to.
    pub subject: String,
    pub details: Value,
}
