//! Contents: what a Version holds. Equal contents have equal hashes, so writing the same thing twice makes one Version.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dependency::{Reference, Role};
use crate::entry::EntryKind;
use crate::function::FunctionContent;
use crate::graph::GraphContent;
use crate::schedule::ScheduleContent;
use crate::trigger::TriggerContent;
use crate::version::ContentHash;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Function(Box<FunctionContent>),
    Graph(GraphContent),
    Trigger(TriggerContent),
    Schedule(ScheduleContent),
}

impl Content {
    pub fn kind(&self) -> EntryKind {
        match self {
            Content::Function(_) => EntryKind::Function,
            Content::Graph(_) => EntryKind::Graph,
            Content::Trigger(_) => EntryKind::Trigger,
            Content::Schedule(_) => EntryKind::Schedule,
        }
    }

    pub fn description(&self) -> &str {
        match self {
            Content::Function(function) => &function.description,
            Content::Graph(graph) => &graph.description,
            Content::Trigger(trigger) => &trigger.description,
            Content::Schedule(schedule) => &schedule.description,
        }
    }

    pub fn as_function(&self) -> Option<&FunctionContent> {
        match self {
            Content::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The entries this content names, without repetition.
    pub fn references(&self) -> Vec<Reference> {
        let function = |role, name: &str| Reference {
            role,
            kind: EntryKind::Function,
            name: name.to_owned(),
            version: None,
        };
        let mut references = match self {
            Content::Function(content) => content
                .dependencies
                .iter()
                .map(|dependency| Reference {
                    version: dependency.version,
                    ..function(Role::Calls, &dependency.function)
                })
                .collect(),
            Content::Graph(graph) => {
                graph.nodes.iter().map(|node| function(Role::Calls, &node.block)).collect::<Vec<_>>()
            }
            Content::Trigger(trigger) => {
                let source = trigger.watched().into_iter().map(|source| function(Role::Watches, source));
                source.chain([function(Role::Starts, trigger.target.as_str())]).collect()
            }
            Content::Schedule(schedule) => vec![function(Role::Starts, schedule.target.as_str())],
        };
        references.sort();
        references.dedup();
        references
    }
}

/// A content with the text it is stored as and that text's hash, worked out once.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub content: Content,
    pub body: String,
    pub hash: ContentHash,
}

impl Snapshot {
    pub fn of(content: Content) -> Arc<Snapshot> {
        // A content is made of strings, numbers, lists and string-keyed maps, so it always has a JSON form.
        let body = sorted(serde_json::to_value(&content).unwrap_or(Value::Null)).to_string();
        let hash = ContentHash::of_bytes(body.as_bytes());
        Arc::new(Snapshot { content, body, hash })
    }
}

/// Sorts the keys of every object. `serde_json` keeps them sorted by itself only as long as no crate in the build
/// asks for its `preserve_order` feature, and a hash must not depend on that.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.into_iter().collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(sorted).collect()),
        other => other,
    }
}
