//! Who may send to the webhook that a Trigger waits for.

use serde::{Deserialize, Serialize};

/// Unless a Trigger says so, whoever has a Token that may run its target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Senders {
    /// Anyone who signs with the Secret of this name.
    Secret(String),
    /// Anyone who knows the URL.
    Anybody,
}
