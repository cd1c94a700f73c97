//! A Link: what leaves one pin arrives at another.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Link {
    /// For editors that name their links; no two are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub from: String,
    /// An output pin, perhaps with a path that selects a part of the value.
    pub from_pin: String,
    pub to: String,
    /// An input pin, perhaps with a path to the part of the value that arrives here.
    pub to_pin: String,
    /// Whether its last value is used again when there is no newer one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", rename = "static")]
    pub is_static: bool,
    /// Fields that are only kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Link {
    pub fn new(from: &str, from_pin: &str, to: &str, to_pin: &str) -> Link {
        Link {
            from: from.to_owned(),
            from_pin: from_pin.to_owned(),
            to: to.to_owned(),
            to_pin: to_pin.to_owned(),
            ..Link::default()
        }
    }

    #[must_use]
    pub fn kept(self) -> Link {
        Link { is_static: true, ..self }
    }

    /// The pins that it joins, as they are written.
    pub fn ends(&self) -> [&str; 4] {
        [&self.from, &self.from_pin, &self.to, &self.to_pin]
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`.`{}` → `{}`.`{}`", self.from, self.from_pin, self.to, self.to_pin)
    }
}
