//! A Node: a Block that is placed in a Graph, with constants for some of its pins.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::builtin::{Builtin, UnknownBuiltin};
use crate::version::VersionNumber;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Node {
    /// Any text that no other node of the graph has.
    pub id: String,
    /// The name of a Function or Graph, or `@` and the name of a built-in block.
    pub block: String,
    /// A pinned Version; otherwise the live one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionNumber>,
    /// Constants by pin. One on a pin that is linked is kept and ignored.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// Position, title and whatever else an editor notes.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Tries in all; what the Function states if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Seconds for one execution; what the Function states if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub timeout: Option<Number>,
    /// Fields that are only kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the `block` of a node says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockName<'a> {
    Builtin(Builtin),
    /// A Function or a Graph.
    Callable(&'a str),
}

impl Node {
    pub fn new(id: &str, block: &str) -> Node {
        Node { id: id.to_owned(), block: block.to_owned(), ..Node::default() }
    }

    pub fn with(mut self, pin: &str, constant: impl Into<Value>) -> Node {
        self.input.insert(pin.to_owned(), constant.into());
        self
    }

    /// No name of a Function or Graph begins with `@`, so neither hides the other, and a block added later takes no
    /// name away.
    pub fn block_name(&self) -> Result<BlockName<'_>, UnknownBuiltin> {
        match self.block.strip_prefix('@') {
            Some(name) => Builtin::from_name(name).map(BlockName::Builtin),
            None => Ok(BlockName::Callable(&self.block)),
        }
    }

    /// The Function or Graph that it calls, as far as that is written and not a value that comes later.
    pub fn calls(&self) -> Option<(&str, Option<VersionNumber>)> {
        match self.block_name() {
            Ok(BlockName::Callable(name)) => Some((name, self.version)),
            Ok(BlockName::Builtin(Builtin::Call)) => {
                let version = self.input.get("version").and_then(Value::as_u64);
                let version = version.and_then(|number| u32::try_from(number).ok()).map(VersionNumber);
                Some((self.input.get("graph")?.as_str()?, version))
            }
            _ => None,
        }
    }

    /// The built-in block that it places, if it is one.
    pub fn builtin(&self) -> Option<Builtin> {
        match self.block_name() {
            Ok(BlockName::Builtin(builtin)) => Some(builtin),
            _ => None,
        }
    }
}
