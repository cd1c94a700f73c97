//! What our graphs cannot say of a file they were read from. It is kept with the graph, under the key `autogpt` of what it
//! belongs to, together with what was made of it here: if that was edited, the edit counts.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Format;
use crate::graph::{GraphContent, Link, Node};

const KEY: &str = "autogpt";

/// Of a graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct GraphOrigin {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<Format>,
    /// Its fields in the file, such as `id` and `version`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) fields: Map<String, Value>,
    /// Of a main graph the names of the others, in the order of the file; absent if the file says nothing of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sub_graphs: Option<Vec<String>>,
}

/// Of a node.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct NodeOrigin {
    /// Of a node that the file does not have: what it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<Role>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) block_id: Option<String>,
    /// For readers: what AutoGPT calls the block, and why a placeholder stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<String>,
    /// The defaults in the file that are not constants here as they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) input: BTreeMap<String, Entry>,
    /// The constants that the file does not have.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) added: Map<String, Value>,
    #[serde(flatten)]
    pub(super) rest: Difference,
}

/// What a node is for that only stands here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// Holds the links to and from pins that the block of a node does not have.
    StandsFor(String),
    /// Stands for a node with this id, which only links of the file name.
    Absent(String),
    /// Changes what passes on its way to the pin that its own link leads to.
    OnTheWay,
    /// Gives a first value, so that the graph or a loop in it has something to start with.
    Starts,
}

/// A default of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    #[serde(default)]
    pub(super) was: Value,
    /// The constant it became, if it became one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pin: Option<String>,
    /// The value of that, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) is: Option<Value>,
}

/// Of a link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LinkOrigin {
    /// The file does not have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) added: bool,
    /// The ends it was given here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ends: Option<[String; 4]>,
    #[serde(flatten)]
    pub(super) rest: Difference,
}

/// How an object of the file differs from what would be written of ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Difference {
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) set: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unset: Vec<String>,
}

impl Difference {
    pub(super) fn between(written: &Map<String, Value>, original: &Map<String, Value>) -> Difference {
        let differs = |(key, value): &(&String, &Value)| written.get(*key) != Some(value);
        let set = original.iter().filter(differs).map(|(key, value)| (key.clone(), value.clone()));
        let unset = written.keys().filter(|key| !original.contains_key(*key)).cloned();
        Difference { set: set.collect(), unset: unset.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.unset.is_empty()
    }

    /// Makes the original of what is written, but for these keys.
    pub(super) fn apply(&self, written: &mut Map<String, Value>, except: &[&str]) {
        for key in self.unset.iter().filter(|key| !except.contains(&key.as_str())) {
            written.shift_remove(key);
        }
        for (key, value) in self.set.iter().filter(|(key, _)| !except.contains(&key.as_str())) {
            written.insert(key.clone(), value.clone());
        }
    }
}

/// Nothing, if it is not from a file or was made unreadable.
fn get<T: DeserializeOwned>(other: &Map<String, Value>) -> Option<T> {
    serde_json::from_value(other.get(KEY)?.clone()).ok()
}

fn set(other: &mut Map<String, Value>, origin: &impl Serialize) {
    if let Ok(value) = serde_json::to_value(origin) {
        other.insert(KEY.to_owned(), value);
    }
}

impl GraphOrigin {
    pub(super) fn get(content: &GraphContent) -> Option<GraphOrigin> {
        get(&content.other)
    }

    pub(super) fn set(&self, content: &mut GraphContent) {
        set(&mut content.other, self);
    }
}

impl NodeOrigin {
    pub(super) fn get(node: &Node) -> Option<NodeOrigin> {
        get(&node.other)
    }

    pub(super) fn set(&self, node: &mut Node) {
        set(&mut node.other, self);
    }

    pub(super) fn role(role: Role) -> NodeOrigin {
        NodeOrigin { role: Some(role), ..NodeOrigin::default() }
    }
}

impl LinkOrigin {
    pub(super) fn get(link: &Link) -> Option<LinkOrigin> {
        get(&link.other)
    }

    pub(super) fn set(&self, link: &mut Link) {
        set(&mut link.other, self);
    }

    /// Of a link that the file does not have.
    pub(super) fn added() -> LinkOrigin {
        LinkOrigin { added: true, ..LinkOrigin::default() }
    }
}

/// A graph that the main graph names has another name now.
pub(super) fn rename(content: &mut GraphContent, from: &str, to: &str) {
    let Some(mut origin) = GraphOrigin::get(content) else { return };
    for name in origin.sub_graphs.iter_mut().flatten().filter(|name| *name == from) {
        to.clone_into(name);
    }
    origin.set(content);
}
