//! Which brain the index shows, and as of which revision; and how a commit carries that.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The number of the present way of indexing. It goes up whenever fields, what is indexed or the cutting of words change, so that
/// an index written the old way is thrown away instead of being searched in the new way.
const FORMAT: u32 = 2;

/// Which brain, and as of which revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub brain: Uuid,
    pub revision: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "revision {} of brain {}", self.revision, self.brain)
    }
}

/// What is written beside the content in every commit.
#[derive(Serialize, Deserialize)]
struct Payload {
    format: u32,
    brain: Uuid,
    revision: u64,
}

/// The payload of a commit that reaches this position.
pub(super) fn to_payload(position: Position) -> String {
    serde_json::json!(Payload { format: FORMAT, brain: position.brain, revision: position.revision })
        .to_string()
}

/// The position a commit reached; nothing when the payload is not one of this format.
pub(super) fn from_payload(payload: &str) -> Option<Position> {
    let payload: Payload = serde_json::from_str(payload).ok()?;
    (payload.format == FORMAT).then_some(Position { brain: payload.brain, revision: payload.revision })
}
