//! How one Run of a Graph differs from others: where it stops, what it executes and what not, and which Run it goes on from.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::GraphContent;
use super::builtin::Output;
use super::patch::LinkKey;
use super::scheduler::{Breakpoints, LinkIndex, NodeIndex};
use crate::changeset::check::nearest;
use crate::ids::RunId;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = GraphRunOptions)]
pub struct GraphOptions {
    #[serde(skip_serializing_if = "BreakAt::is_nowhere")]
    pub breakpoints: BreakAt,
    /// Values by node and output pin. A node that is here is not executed: each execution gives these.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pinned: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
    /// Only these nodes are executed.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub only: BTreeSet<String>,
    /// Only these nodes and those downstream of them are executed.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub from: BTreeSet<String>,
    /// With `only` or `from`: values by node and input pin, instead of what links and constants give.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub input: BTreeMap<String, BTreeMap<String, Value>>,
    /// With `only` or `from`: the earlier run of the graph whose recorded outputs stand for nodes that are not executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_of: Option<RunId>,
    /// What was read from that run when this one was started.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
    /// The failed run whose journal it goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
}

/// Where a run stops until somebody lets it go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = Breakpoints)]
pub struct BreakAt {
    /// At every node: to go step by step.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub everywhere: bool,
    /// Before these nodes are executed.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub nodes: BTreeSet<String>,
    /// Where these links deliver a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    #[error("the graph has no node `{node}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoNode { node: String, near: Option<String> },
    #[error("the graph has no link {0}")]
    NoLink(String),
}

impl GraphOptions {
    pub fn is_usual(&self) -> bool {
        *self == GraphOptions::default()
    }

    /// Whether nodes may get other values than the graph as it was checked gives them: some are given, or come from elsewhere, or what
    /// would have stopped them is left out.
    pub fn changes_values(&self) -> bool {
        !(self.pinned.is_empty() && self.input.is_empty() && self.recorded.is_empty()) || self.is_partial()
    }

    /// Whether everything that is named is there.
    pub fn check(&self, content: &GraphContent) -> Result<(), OptionsError> {
        self.breakpoints.of(content)?;
        self.pinned.keys().try_for_each(|node| position(content, node).map(drop))
    }

    /// What a node gives without being executed.
    pub fn outputs_of(&self, node: &str) -> Option<Vec<Output>> {
        let pins = self.pinned.get(node)?;
        let values = |(pin, values): (&String, &Vec<Value>)| {
            values.iter().map(|value| (pin.clone(), value.clone().into())).collect::<Vec<Output>>()
        };
        Some(pins.iter().flat_map(values).collect())
    }
}

impl BreakAt {
    pub fn is_nowhere(&self) -> bool {
        *self == BreakAt::default()
    }

    /// The same by index, for the scheduler.
    pub fn of(&self, content: &GraphContent) -> Result<Breakpoints, OptionsError> {
        let node = |node: &String| position(content, node).map(NodeIndex);
        let link = |key: &LinkKey| {
            let at = content.links.iter().position(|link| key.is_of(link));
            at.map(|at| LinkIndex(at as u32)).ok_or_else(|| OptionsError::NoLink(key.to_string()))
        };
        Ok(Breakpoints {
            everywhere: self.everywhere,
            nodes: self.nodes.iter().map(node).collect::<Result<_, _>>()?,
            links: self.links.iter().map(link).collect::<Result<_, _>>()?,
        })
    }
}

fn position(content: &GraphContent, node: &str) -> Result<u32, OptionsError> {
    let at = content.nodes.iter().position(|known| known.id == node);
    at.map(|at| at as u32).ok_or_else(|| {
        let known: Vec<String> = content.nodes.iter().take(2_000).map(|node| node.id.clone()).collect();
        OptionsError::NoNode { node: node.to_owned(), near: nearest(node, &known).map(str::to_owned) }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graph::Node;

    fn content() -> GraphContent {
        let nodes = ["fetch", "parse"].map(|id| Node::new(id, "@store")).to_vec();
        GraphContent { nodes, ..GraphContent::default() }
    }

    #[test]
    fn what_is_named_must_be_there() {
        let check = |options: Value| {
            let options: GraphOptions = serde_json::from_value(options).unwrap();
            options.check(&content()).map_err(|error| error.to_string())
        };
        assert_eq!(
            check(json!({ "breakpoints": { "nodes": ["parse"] }, "pinned": { "fetch": {} } })),
            Ok(())
        );
        insta::assert_snapshot!(check(json!({ "breakpoints": { "nodes": ["prase"] } })).unwrap_err(), @"the graph has no node `prase`; did you mean `parse`?");
        insta::assert_snapshot!(check(json!({ "pinned": { "nobody": {} } })).unwrap_err(), @"the graph has no node `nobody`");
        let link = json!({ "from": "fetch", "from_pin": "output", "to": "parse", "to_pin": "input" });
        insta::assert_snapshot!(check(json!({ "breakpoints": { "links": [link] } })).unwrap_err(), @"the graph has no link `fetch`.`output` → `parse`.`input`");
    }

    #[test]
    fn a_pinned_node_gives_its_values_pin_by_pin() {
        let options: GraphOptions =
            serde_json::from_value(json!({ "pinned": { "fetch": { "page": [1, null], "error": [] } } }))
                .unwrap();
        let outputs = options.outputs_of("fetch").unwrap();
        assert_eq!(outputs, [("page".to_owned(), json!(1).into()), ("page".to_owned(), Value::Null.into())]);
        assert_eq!(options.outputs_of("parse"), None);
    }
}
