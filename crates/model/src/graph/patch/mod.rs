//! Patches: how a Graph is edited, one small change at a time. Each says what it changed and how to undo it exactly.

mod apply;
mod fields;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use thiserror::Error;

pub use self::apply::apply;
use super::content::{MAX_LINKS, MAX_NODES};
use super::{Link, Node};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Patch {
    /// A new node, at the end or at a place.
    Add {
        node: Node,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<usize>,
    },
    /// A node and the links at its pins.
    Remove {
        node: String,
    },
    /// A new link, at the end or at a place.
    Connect {
        link: Link,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<usize>,
    },
    Disconnect {
        link: LinkKey,
    },
    /// A constant for a pin.
    Set {
        node: String,
        pin: String,
        value: Value,
    },
    /// No constant for a pin.
    Unset {
        node: String,
        pin: String,
    },
    /// Any other field of a node (`block`, `version`, `metadata` …), or of the graph if no node is named.
    SetField {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        field: String,
        value: Value,
    },
    UnsetField {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        field: String,
    },
    /// Where an editor shows the node.
    Move {
        node: String,
        #[schema(value_type = f64)]
        x: Number,
        #[schema(value_type = f64)]
        y: Number,
    },
    /// Another id; links follow.
    Rename {
        node: String,
        to: String,
    },
}

/// A link by its id, or by what it joins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum LinkKey {
    Id { id: String },
    Ends { from: String, from_pin: String, to: String, to_pin: String },
}

/// What a patch did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Change {
    /// In a sentence.
    pub what: String,
    /// The nodes it touched, by the ids they have now.
    pub nodes: Vec<String>,
    /// Applied in this order, these bring back what was, to the last byte.
    pub undo: Vec<Patch>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchError {
    #[error("the graph has no node `{node}`{}", hint(.near))]
    NodeNotFound { node: String, near: Option<String> },
    #[error("the graph has a node `{node}` already; give the new one another id")]
    NodeExists { node: String },
    #[error("an id is empty; give the node one")]
    EmptyId,
    #[error("the graph has no link {0}")]
    LinkNotFound(String),
    #[error("the graph has the link {0} already")]
    LinkExists(String),
    #[error("node `{node}` has no constant for pin `{pin}`")]
    NotSet { node: String, pin: String },
    #[error("`{field}` cannot be set like this; {advice}")]
    Field { field: String, advice: String },
    #[error("there is no place {at} among {count}")]
    Place { at: usize, count: usize },
    #[error(
        "a graph has at most {MAX_NODES} nodes and {MAX_LINKS} links; put parts of it in graphs of their own"
    )]
    TooLarge,
}

fn hint(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

impl LinkKey {
    pub fn of(link: &Link) -> LinkKey {
        match &link.id {
            Some(id) => LinkKey::Id { id: id.clone() },
            None => {
                let [from, from_pin, to, to_pin] = link.ends().map(str::to_owned);
                LinkKey::Ends { from, from_pin, to, to_pin }
            }
        }
    }

    pub fn is_of(&self, link: &Link) -> bool {
        match self {
            LinkKey::Id { id } => link.id.as_ref() == Some(id),
            LinkKey::Ends { from, from_pin, to, to_pin } => link.ends() == [from, from_pin, to, to_pin],
        }
    }
}

impl std::fmt::Display for LinkKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkKey::Id { id } => write!(f, "`{id}`"),
            LinkKey::Ends { from, from_pin, to, to_pin } => Link::new(from, from_pin, to, to_pin).fmt(f),
        }
    }
}
