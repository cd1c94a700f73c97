//! Lanes: the flows of control of one Run that ask for Steps side by side.
//!
//! A Step is known by its lane and by its number in that lane. Within a lane one Step follows the other, so the numbers
//! are the same each time the Run is executed, however the lanes were interleaved.
//!
//! The main thread of a Function is the lane `main`, and the third thread or task that a lane starts is that lane with
//! `/3` behind it: `main/3`, `main/3/1`. A name that would be too long is replaced by `~` and a hash of it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::input::text_schema::text_schema;

/// As long as a path of some forty threads, each started by the one before.
pub const MAX_LANE_BYTES: usize = 100;

const MAIN: &str = "main";
/// Begins a name that is a hash, of which nobody knows what it was started by.
const HASHED: char = '~';

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Lane(Arc<str>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaneError {
    #[error("the name of a lane has {bytes} bytes; it has from 1 to {MAX_LANE_BYTES}")]
    Length { bytes: usize },
    #[error(
        "{character:?} is in the name of a lane; it has letters and digits of ASCII and `/`, `_`, `-`, `.`, `~`"
    )]
    Character { character: char },
}

text_schema!(Lane, "Lane", "A thread or task of a run that asks for steps.", "main/2");

impl Lane {
    pub fn new(text: &str) -> Result<Lane, LaneError> {
        if text.is_empty() || text.len() > MAX_LANE_BYTES {
            return Err(LaneError::Length { bytes: text.len() });
        }
        match text.chars().find(|character| !is_allowed(*character)) {
            Some(character) => Err(LaneError::Character { character }),
            None => Ok(Lane(text.into())),
        }
    }

    /// The main thread of a Function.
    pub fn main() -> Lane {
        Lane(MAIN.into())
    }

    pub fn is_main(&self) -> bool {
        &*self.0 == MAIN
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether one of them started the other, or what started it; or whether that cannot be known.
    pub fn is_kin(&self, other: &Lane) -> bool {
        let is_hashed = self.0.starts_with(HASHED) || other.0.starts_with(HASHED);
        is_hashed || self == other || self.is_above(other) || other.is_above(self)
    }

    fn is_above(&self, other: &Lane) -> bool {
        other.0.strip_prefix(&*self.0).is_some_and(|rest| rest.starts_with('/'))
    }
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/_-.~".contains(character)
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Lane {
    type Err = LaneError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Lane::new(text)
    }
}

impl TryFrom<String> for Lane {
    type Error = LaneError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Lane::new(&text)
    }
}

impl From<Lane> for String {
    fn from(lane: Lane) -> String {
        lane.0.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lane(text: &str) -> Lane {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_no_name_says_why() {
        assert_eq!(
            Lane::new("").unwrap_err().to_string(),
            "the name of a lane has 0 bytes; it has from 1 to 100"
        );
        assert_eq!(Lane::new(&"x".repeat(101)), Err(LaneError::Length { bytes: 101 }));
        let error = Lane::new("main\n1").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"'\n' is in the name of a lane; it has letters and digits of ASCII and `/`, `_`, `-`, `.`, `~`"
        );
    }

    #[test]
    fn kin_are_those_above_and_below() {
        for (one, other, is_kin) in [
            ("main", "main", true),
            ("main", "main/1", true),
            ("main/1/7", "main", true),
            ("main/1", "main/2", false),
            ("main/1", "main/10", false),
            ("main", "mainly", false),
            ("~0123", "main/2", true),
        ] {
            assert_eq!(lane(one).is_kin(&lane(other)), is_kin, "{one} {other}");
            assert_eq!(lane(other).is_kin(&lane(one)), is_kin, "{other} {one}");
        }
    }

    proptest! {
        #[test]
        fn a_name_reads_back_and_nothing_else_is_one(text in "\\PC{0,120}|[a-z0-9/~]{0,120}") {
            match Lane::new(&text) {
                Ok(lane) => {
                    prop_assert_eq!(lane.as_str(), &text);
                    let json = serde_json::to_string(&lane).unwrap();
                    prop_assert_eq!(serde_json::from_str::<Lane>(&json).unwrap(), lane);
                }
                Err(_) => prop_assert!(
                    text.is_empty() || text.len() > MAX_LANE_BYTES || !text.chars().all(is_allowed)
                ),
            }
        }

        #[test]
        fn a_lane_is_kin_of_what_it_starts_and_what_it_starts_is_not_kin_of_one_another(
            above in "[a-z]{1,5}(/[0-9]{1,2}){0,4}", one in 1_u32..500, other in 1_u32..500
        ) {
            let started = |number: u32| lane(&format!("{above}/{number}"));
            prop_assert!(lane(&above).is_kin(&started(one)));
            prop_assert_eq!(started(one).is_kin(&started(other)), one == other);
        }
    }
}
