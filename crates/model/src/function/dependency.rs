//! Dependencies: the other Functions a Function calls, and other references between entries.

use serde::{Deserialize, Serialize};

use crate::entry::EntryKey;
use crate::version::VersionNumber;

/// One Function that a source calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Dependency {
    /// The expression that stands for it in the source: `create_record`, or `airtable.create_record`.
    pub alias: String,
    /// The name of the stored Function. A plain string: BabyAGI's packs state names that are no names of ours.
    pub function: String,
    /// A pinned Version; otherwise the live one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionNumber>,
}

/// Why one entry names another.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It calls it: cannot work without.
    Calls,
    /// It starts it: a Trigger or Schedule, which dies with its target.
    Starts,
    /// It listens to it: a Trigger's source, which need not exist.
    Watches,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Calls => "calls",
            Role::Starts => "starts",
            Role::Watches => "watches",
        }
    }
}

/// One entry named by the content of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Reference {
    pub role: Role,
    pub kind: crate::entry::EntryKind,
    pub name: String,
    pub version: Option<VersionNumber>,
}

impl Reference {
    pub fn is_to(&self, key: &EntryKey) -> bool {
        self.kind == key.kind && self.name == key.name.as_str()
    }
}
