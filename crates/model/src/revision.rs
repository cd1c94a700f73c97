//! The brain's counter: each applied Changeset is the next revision.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

impl Revision {
    /// A brain to which nothing has been applied yet.
    pub const EMPTY: Revision = Revision(0);

    pub fn next(self) -> Revision {
        Revision(self.0 + 1)
    }

    /// The revision before this one; the empty brain is its own past.
    pub fn previous(self) -> Revision {
        Revision(self.0.saturating_sub(1))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Revision {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim_start_matches('r').parse().map(Revision)
    }
}
