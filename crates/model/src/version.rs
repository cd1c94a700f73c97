//! Versions: immutable, numbered from 1, addressed by what they contain.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::access::actor::Actor;
use crate::content::Content;
use crate::entry::EntryKey;
use crate::ids::{ChangesetId, EntryId, VersionId};
use crate::input::text_schema::text_schema;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(transparent)]
pub struct VersionNumber(pub u32);

impl VersionNumber {
    pub const FIRST: VersionNumber = VersionNumber(1);
}

impl VersionNumber {
    /// The Version that was live before this one became live, the last time it did. `history` has what was live, in order.
    pub fn live_before(self, history: &[VersionNumber]) -> Option<VersionNumber> {
        let last = history.iter().rposition(|number| *number == self)?;
        history[..last].iter().rev().find(|number| **number != self).copied()
    }
}

impl fmt::Display for VersionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for VersionNumber {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(VersionNumber)
    }
}

/// SHA-256 over the canonical JSON of a content: same content, same hash, on any machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash(pub [u8; 32]);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a content hash; expected 64 hexadecimal digits")]
pub struct HashError(String);

text_schema!(
    ContentHash,
    "ContentHash",
    "The SHA-256 of what a version contains, in hexadecimal.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
);

impl ContentHash {
    pub(crate) fn of_bytes(bytes: &[u8]) -> ContentHash {
        ContentHash(Sha256::digest(bytes).into())
    }

    /// Enough digits to tell versions apart on a screen.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({})", self.short())
    }
}

impl TryFrom<String> for ContentHash {
    type Error = HashError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(&text, &mut bytes).map_err(|_| HashError(text))?;
        Ok(ContentHash(bytes))
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> String {
        hash.to_string()
    }
}

/// What identifies a Version, without its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct VersionHead {
    #[serde(flatten)]
    pub key: EntryKey,
    pub entry_id: EntryId,
    pub version_id: VersionId,
    pub number: VersionNumber,
    pub content_hash: ContentHash,
    pub changeset_id: ChangesetId,
    pub written_by: Actor,
    pub written_at: Timestamp,
}

/// A Version as callers get it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Version {
    #[serde(flatten)]
    pub head: VersionHead,
    pub content: Content,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_live_before_is_not_the_version_with_the_number_before() {
        let before = |history: &[u32], number: u32| {
            let history: Vec<VersionNumber> = history.iter().copied().map(VersionNumber).collect();
            VersionNumber(number).live_before(&history).map(|version| version.0)
        };
        assert_eq!(before(&[1, 2, 3], 3), Some(2));
        assert_eq!(before(&[1, 2, 3, 1, 4], 4), Some(1), "version 1 was made live again");
        assert_eq!(before(&[1, 2, 1, 1], 1), Some(2), "it was deleted and restored");
        assert_eq!(before(&[1, 2], 1), None);
        assert_eq!(before(&[1, 3], 2), None, "it never was live");
    }
}
