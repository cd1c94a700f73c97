//! A conversation as servers take it: what was said before anybody else spoke is apart, and opaque parts are there only for the model that
//! wrote them.

use serde_json::Value;

use super::{Target, author, decoded, emulation};
use crate::llm::profile::ToolMode;
use crate::llm::request::{ChatRequest, Message, Speaker, ToolCall};

pub(super) struct Turns<'a> {
    /// The instructions at the beginning, if there are any.
    pub(super) system: Option<String>,
    pub(super) turns: Vec<Turn<'a>>,
}

pub(super) enum Turn<'a> {
    /// Instructions in the middle of a conversation.
    System(&'a str),
    User(&'a str),
    Assistant {
        text: &'a str,
        calls: &'a [ToolCall],
        /// As the model wrote them, if it is the same model and nobody changed its message since.
        opaque: Option<Value>,
    },
    /// Results of the calls before, together.
    Results(Vec<(&'a str, &'a str)>),
}

pub(super) fn of<'a>(target: &Target<'_>, request: &'a ChatRequest, notes: &mut Vec<String>) -> Turns<'a> {
    let first = request.messages.iter().position(|message| message.role != Speaker::System);
    let (system, rest) = request.messages.split_at(first.unwrap_or(request.messages.len()));
    let system: Vec<&str> = system.iter().map(|message| message.content.as_str()).collect();
    let mut turns = Vec::new();
    for (at, message) in rest.iter().enumerate() {
        let at = at + system.len();
        match message.role {
            Speaker::System => turns.push(Turn::System(&message.content)),
            Speaker::User => turns.push(Turn::User(&message.content)),
            Speaker::Assistant => turns.push(Turn::Assistant {
                text: &message.content,
                calls: &message.tool_calls,
                opaque: opaque(target, message, at, notes),
            }),
            Speaker::Tool => {
                let result = (message.tool_call_id.as_deref().unwrap_or_default(), message.content.as_str());
                match turns.last_mut() {
                    Some(Turn::Results(results)) => results.push(result),
                    _ => turns.push(Turn::Results(vec![result])),
                }
            }
        }
    }
    let system = (!system.is_empty()).then(|| system.join("\n\n"));
    Turns { system, turns }
}

/// What only its author can read goes to nobody else, and not with other words than it was written with.
fn opaque(target: &Target<'_>, message: &Message, at: usize, notes: &mut Vec<String>) -> Option<Value> {
    let opaque = message.opaque.as_ref()?;
    if opaque.by != author(target) {
        notes.push(format!("the hidden parts of `messages[{at}]` were not sent: `{}` wrote them", opaque.by));
        return None;
    }
    let parts: Option<Value> = serde_json::from_str(&opaque.parts).ok();
    let same = parts.filter(|parts| decoded::is_unchanged(target.protocol, parts, message));
    if same.is_none() {
        notes.push(format!(
            "the hidden parts of `messages[{at}]` were not sent: its text or its calls were changed since the model wrote it"
        ));
    }
    same.filter(|_| super::tool_mode(target.profile) == ToolMode::Native || !emulation::is_used(message))
}
