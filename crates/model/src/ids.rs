//! Identifiers: one type a noun, so that a Run's id is never taken for a Version's.
//!
//! All are UUIDv7, handed out by the server's id source; none is ever used again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id!(/// One brain: what a search index or an export was made from.
    BrainId);
id!(/// A Function, Graph, Trigger or Schedule, for as long as the brain exists.
    EntryId);
id!(/// One Version of an entry.
    VersionId);
id!(/// One Changeset.
    ChangesetId);
id!(/// One loaded Pack.
    PackId);
id!(/// One Run.
    RunId);
id!(/// One server process that executes Runs.
    NodeId);
id!(/// One Secret.
    SecretId);
id!(/// One Token.
    TokenId);
id!(/// One Session.
    SessionId);
id!(/// One line of the audit trail.
    AuditId);
