//! Triggers: when an Event matches, start a Run. What is stored; matching belongs to the server's trigger loop.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::EventKind;
use crate::name::{EntryName, NameError};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriggerContent {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The kind of Event.
    pub on: EventKind,
    /// The name of the entry the Event must come from; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// An expression over the Event that must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The Function or Graph that is started.
    pub target: EntryName,
    /// How the Event becomes input; absent means the upstream output as the first parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Map<String, Value>>,
    #[serde(default = "enabled", skip_serializing_if = "Clone::clone")]
    pub enabled: bool,
}

fn enabled() -> bool {
    true
}

impl TriggerContent {
    /// BabyAGI's only kind: `target` runs after each successful run of `upstream`.
    pub fn after(upstream: &str, target: EntryName) -> TriggerContent {
        TriggerContent {
            description: String::new(),
            on: EventKind::RunFinished,
            source: Some(upstream.to_owned()),
            condition: None,
            target,
            input: None,
            enabled: true,
        }
    }

    /// The name under which such a trigger is stored, the same each time its pack is loaded.
    pub fn name_after(upstream: &str, target: &EntryName) -> Result<EntryName, NameError> {
        let upstream = upstream.replace('.', "_");
        EntryName::new(&format!("{}{}_after_{upstream}", target.prefix(), target.last()))
    }
}
