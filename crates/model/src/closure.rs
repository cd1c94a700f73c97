//! Closures: a Function and all it calls, each at an exact Version. Runs that loaded the same have the same hash, so what a
//! Run loaded is recorded by one hash.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::VersionId;
use crate::version::{ContentHash, HashError};

/// SHA-256 over the ids of the Versions, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClosureHash(pub [u8; 32]);

impl ClosureHash {
    /// Of Versions in any order.
    pub fn of(versions: &[VersionId]) -> ClosureHash {
        let mut sorted = versions.to_vec();
        sorted.sort_unstable();
        let bytes: Vec<u8> = sorted.iter().flat_map(|version| *version.0.as_bytes()).collect();
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
    fn the_order_of_versions_does_not_matter_and_each_of_them_does() {
        let version = |n| VersionId(Uuid::from_u128(n));
        let hash = ClosureHash::of(&[version(1), version(2)]);
        assert_eq!(hash, ClosureHash::of(&[version(2), version(1)]));
        assert_ne!(hash, ClosureHash::of(&[version(1), version(3)]));
    }
}
