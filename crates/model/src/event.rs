//! Events: immutable facts, appended once, with a sequence number that has no gap.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::actor::Actor;
use crate::entry::EntryKind;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum EventKind {
    Added(EntryKind),
    Updated(EntryKind),
    Deleted(EntryKind),
    ChangesetApplied,
    SecretChanged,
    RunFinished,
    RunFailed,
    RunCancelled,
    WebhookReceived,
    /// Emitted by a Function: `custom.NAME`.
    Custom(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no kind of event; expected `run.finished`, `run.failed`, `run.cancelled`, `function.added`, `function.updated`, `function.deleted`, `changeset.applied`, `secret.changed`, `webhook.received` or `custom.NAME`"
)]
pub struct EventKindError(String);

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventKind::Added(kind) => write!(f, "{kind}.added"),
            EventKind::Updated(kind) => write!(f, "{kind}.updated"),
            EventKind::Deleted(kind) => write!(f, "{kind}.deleted"),
            EventKind::ChangesetApplied => f.write_str("changeset.applied"),
            EventKind::SecretChanged => f.write_str("secret.changed"),
            EventKind::RunFinished => f.write_str("run.finished"),
            EventKind::RunFailed => f.write_str("run.failed"),
            EventKind::RunCancelled => f.write_str("run.cancelled"),
            EventKind::WebhookReceived => f.write_str("webhook.received"),
            EventKind::Custom(name) => write!(f, "custom.{name}"),
        }
    }
}

impl FromStr for EventKind {
    type Err = EventKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || EventKindError(text.to_owned());
        let (noun, verb) = text.split_once('.').ok_or_else(unknown)?;
        if noun == "custom" && !verb.is_empty() {
            return Ok(EventKind::Custom(verb.to_owned()));
        }
        if let Ok(kind) = noun.parse::<EntryKind>() {
            return match verb {
                "added" => Ok(EventKind::Added(kind)),
                "updated" => Ok(EventKind::Updated(kind)),
                "deleted" => Ok(EventKind::Deleted(kind)),
                _ => Err(unknown()),
            };
        }
        match text {
            "changeset.applied" => Ok(EventKind::ChangesetApplied),
            "secret.changed" => Ok(EventKind::SecretChanged),
            "run.finished" => Ok(EventKind::RunFinished),
            "run.failed" => Ok(EventKind::RunFailed),
            "run.cancelled" => Ok(EventKind::RunCancelled),
            "webhook.received" => Ok(EventKind::WebhookReceived),
            _ => Err(unknown()),
        }
    }
}

impl TryFrom<String> for EventKind {
    type Error = EventKindError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<EventKind> for String {
    fn from(kind: EventKind) -> String {
        kind.to_string()
    }
}

/// A fact that is about to be appended; its sequence number is given by the store, in the same transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewEvent {
    pub kind: EventKind,
    /// The name of what it is about.
    pub source: String,
    pub data: Value,
    pub actor: Actor,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub seq: u64,
    #[serde(flatten)]
    pub fact: NewEvent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_reads_back_as_it_was_written() {
        for kind in [
            EventKind::Added(EntryKind::Graph),
            EventKind::Updated(EntryKind::Function),
            EventKind::Deleted(EntryKind::Schedule),
            EventKind::ChangesetApplied,
            EventKind::SecretChanged,
            EventKind::RunFinished,
            EventKind::RunFailed,
            EventKind::RunCancelled,
            EventKind::WebhookReceived,
            EventKind::Custom("mail.arrived".to_owned()),
        ] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
    }

    #[test]
    fn a_kind_that_is_none_is_refused() {
        for text in ["", "run", "run.began", "function.", "custom."] {
            assert!(text.parse::<EventKind>().is_err(), "{text}");
        }
    }
}
