//! Contents: what a Version holds. Equal contents have equal hashes, so writing the same thing twice makes one Version.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::EntryKind;
use crate::function::FunctionContent;
use crate::function::dependency::{Reference, Role};
use crate::graph::{GraphContent, Node};
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
                let named = graph.nodes.iter().filter_map(Node::calls);
                named
                    .map(|(name, version)| Reference { version, ..function(Role::Calls, name) })
                    .collect::<Vec<_>>()
            }
            Content::Trigger(trigger) => {
                let source = trigger.watched_callable().into_iter();
                let source = source.map(|source| function(Role::Watches, source));
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
        let body = canonical(&content);
        let hash = ContentHash::of_bytes(body.as_bytes());
        Arc::new(Snapshot { content, body, hash })
    }
}

/// The text of a content. Keys are sorted, so that it does not depend on the order of fields in our types; but where an author
/// wrote an object whose keys are in another order (the input of a Schedule, the default of a parameter), all are kept as they
/// are, because a function that is handed it sees that order.
fn canonical(content: &Content) -> String {
    let written = as_written(content);
    let sorted = sorted(written.clone());
    let text = written.to_string();
    // Compared as text: objects are equal whatever the order of their keys.
    let again = Content::deserialize(&sorted).map(|again| as_written(&again).to_string());
    if again.is_ok_and(|again| again == text) { sorted.to_string() } else { text }
}

fn as_written(content: &Content) -> Value {
    // A content is made of strings, numbers, lists and string-keyed maps, so it always has a JSON form.
    let mut value = serde_json::to_value(content).unwrap_or(Value::Null);
    // It is derived from the source: no author chose the order of keys in its schemas.
    if let Some(signature) = value.get_mut("signature") {
        *signature = sorted(signature.take());
    }
    value
}

/// Sorts the keys of every object.
pub(crate) fn sorted(value: Value) -> Value {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn snapshot(input: &Value) -> Arc<Snapshot> {
        let schedule =
            json!({"kind": "schedule", "times": {"every_seconds": 60}, "target": "f", "input": input});
        Snapshot::of(serde_json::from_value(schedule).unwrap())
    }

    #[test]
    fn the_order_in_which_an_author_wrote_keys_is_content() {
        let (first, second) =
            (snapshot(&json!({"name": 1, "age": 2})), snapshot(&json!({"age": 2, "name": 1})));
        assert_ne!(first.hash, second.hash);
        assert!(first.body.contains(r#"{"name":1,"age":2}"#), "{}", first.body);
        let again: Content = serde_json::from_str(&first.body).unwrap();
        assert_eq!(Snapshot::of(again).body, first.body);
    }

    #[test]
    fn keys_that_are_sorted_give_a_sorted_text() {
        let body = &snapshot(&json!({"age": 2, "name": 1})).body;
        assert_eq!(*body, sorted(serde_json::from_str(body).unwrap()).to_string());
    }
}
