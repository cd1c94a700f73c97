//! Entries: what a brain holds. Each is a Function, Graph, Trigger or Schedule, under one name of its kind, with
//! numbered Versions of which at most one is live. Changesets treat all four alike.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::name::EntryName;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    Function,
    Graph,
    Trigger,
    Schedule,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not an entry kind; expected `function`, `graph`, `trigger` or `schedule`")]
pub struct KindError(String);

impl EntryKind {
    pub const ALL: [EntryKind; 4] = [Self::Function, Self::Graph, Self::Trigger, Self::Schedule];

    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Function => "function",
            EntryKind::Graph => "graph",
            EntryKind::Trigger => "trigger",
            EntryKind::Schedule => "schedule",
        }
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EntryKind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        EntryKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| KindError(text.to_owned()))
    }
}

/// How an entry is named from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EntryKey {
    pub kind: EntryKind,
    pub name: EntryName,
}

impl EntryKey {
    pub fn new(kind: EntryKind, name: EntryName) -> EntryKey {
        EntryKey { kind, name }
    }

    pub fn function(name: EntryName) -> EntryKey {
        EntryKey::new(EntryKind::Function, name)
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)
    }
}
