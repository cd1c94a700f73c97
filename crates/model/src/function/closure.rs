//! Closures: a Function and all it calls, each at an exact Version. Runs that loaded the same have the same hash, so what a
//! Run loaded is recorded by one hash.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::VersionId;
use crate::input::text_schema::text_schema;
use crate::version::{ContentHash, HashError};

/// One Version that was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Member {
    pub version_id: VersionId,
    /// Whether it was the live one, which those call who pin no other.
    pub live: bool,
}

/// SHA-256 over the members, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClosureHash(pub [u8; 32]);

text_schema!(
    ClosureHash,
    "ClosureHash",
    "The SHA-256 of all the versions that a run loaded, in hexadecimal.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
);

impl ClosureHash {
    /// Of members in any order.
    pub fn of(members: &[Member]) -> ClosureHash {
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let bytes: Vec<u8> = sorted
            .iter()
            .flat_map(|member| member.version_id.0.as_bytes().iter().copied().chain([u8::from(member.live)]))
            .collect();
        ClosureHash(ContentHash::of_bytes(&bytes).0)
    }
}

impl fmt::Display for ClosureHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ContentHash(self.0).fmt(f)
    }
}

impl TryFrom<String> for ClosureHash {
    type Error = HashError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        ContentHash::try_from(text).map(|hash| ClosureHash(hash.0))
    }
}

impl From<ClosureHash> for String {
    fn from(hash: ClosureHash) -> String {
        hash.to_string()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter_and_each_of_them_does() {
        let member = |n, live| Member { version_id: VersionId(Uuid::from_u128(n)), live };
        let hash = ClosureHash::of(&[member(1, true), member(2, true)]);
        assert_eq!(hash, ClosureHash::of(&[member(2, true), member(1, true)]));
        assert_ne!(hash, ClosureHash::of(&[member(1, true), member(3, true)]));
        assert_ne!(hash, ClosureHash::of(&[member(1, true), member(2, false)]));
    }
}
