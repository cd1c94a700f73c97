//! What the three formats have in common when a reply is read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Target, author, emulation, messages, responses, tool_mode};
use crate::llm::price::Usage;
use crate::llm::profile::{Protocol, ToolMode};
use crate::llm::reply::{ChatReply, Ending};
use crate::llm::request::{ChatRequest, Message, Opaque, ToolCall};

pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) calls: Vec<RawCall>,
    pub(super) ending: Ending,
    pub(super) opaque: Option<Value>,
    pub(super) usage: Option<Usage>,
    pub(super) notes: Vec<String>,
}

pub(super) struct RawCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: RawArguments,
}

pub(super) enum RawArguments {
    Text(String),
    Value(Value),
}

pub(super) fn text_of(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn count(usage: &Value, pointer: &str) -> Option<u64> {
    usage.pointer(pointer)?.as_u64()
}

/// The neutral reply: calls that can be executed or say why not, and the text as JSON where that was asked for.
pub(super) fn reply(target: &Target<'_>, request: &ChatRequest, mut decoded: Decoded) -> ChatReply {
    if tool_mode(target.profile) != ToolMode::Native && !request.tools.is_empty() {
        emulation::unshape(target.profile, &mut decoded);
    }
    let tool_calls = calls(request, decoded.calls);
    let (value, problem) = value(request, &decoded.text, decoded.ending);
    let opaque = decoded.opaque.map(|parts| Opaque { by: author(target), parts: parts.to_string() });
    let is_estimated = decoded.usage.is_none();
    let mut notes = decoded.notes;
    if is_estimated {
        notes.push("the server did not say how many tokens it used; they are estimated".to_owned());
    }
    let sent = || request.messages.iter().map(|message| message.content.len()).sum();
    ChatReply {
        usage: decoded.usage.unwrap_or_else(|| Usage::estimated(sent(), decoded.text.len())),
        text: decoded.text,
        tool_calls,
        ending: decoded.ending,
        opaque,
        value,
        problem,
        notes,
    }
}

/// An id is made for a call that has none of its own: results are tied to calls by it.
fn calls(request: &ChatRequest, raw: Vec<RawCall>) -> Vec<ToolCall> {
    let before: usize = request.messages.iter().map(|message| message.tool_calls.len()).sum();
    let mut ids = BTreeSet::new();
    let call = |(at, raw): (usize, RawCall)| {
        let mut id = raw.id;
        if id.is_empty() || !ids.insert(id.clone()) {
            id = format!("call_{}", before + at + 1);
            ids.insert(id.clone());
        }
        let (arguments, problem) = match arguments(request, &raw.name, raw.arguments) {
            Ok(arguments) => (Some(arguments), None),
            Err(problem) => (None, Some(problem)),
        };
        ToolCall { id, name: raw.name, arguments, problem }
    };
    raw.into_iter().enumerate().map(call).collect()
}

fn arguments(request: &ChatRequest, name: &str, raw: RawArguments) -> Result<Value, String> {
    if request.tools.iter().all(|tool| tool.name != name) {
        let known: Vec<String> = request.tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
        return Err(format!("there is no tool `{name}`; call one of {}", known.join(", ")));
    }
    let value = match raw {
        RawArguments::Value(value) => value,
        RawArguments::Text(text) if text.trim().is_empty() => json!({}),
        RawArguments::Text(text) => serde_json::from_str(&text)
            .map_err(|error| format!("the arguments of `{name}` are not JSON: {error}; call it again"))?,
    };
    if value.is_object() {
        Ok(value)
    } else {
        Err(format!("the arguments of `{name}` must be a JSON object; call it again"))
    }
}

/// The text as JSON, if it was to be JSON and the model did not do something else first.
fn value(request: &ChatRequest, text: &str, ending: Ending) -> (Option<Value>, Option<String>) {
    if request.schema.is_none() || !matches!(ending, Ending::Done | Ending::Length) {
        return (None, None);
    }
    match serde_json::from_str(emulation::unfenced(text)) {
        Ok(value) => (Some(value), None),
        Err(_) if ending == Ending::Length => {
            (None, Some("the answer was cut off before its JSON was complete; ask for less, or with a larger `max_tokens`".to_owned()))
        }
        Err(error) => (None, Some(format!("the answer is not JSON: {error}"))),
    }
}

/// Whether opaque parts say what the message says.
pub(super) fn is_unchanged(protocol: Protocol, parts: &Value, message: &Message) -> bool {
    let decoded = match protocol {
        // Its opaque parts stand beside the text and the calls.
        Protocol::ChatCompletions => {
            let calls = parts.get("tool_calls").and_then(Value::as_array).map_or(0, Vec::len);
            return calls == message.tool_calls.len();
        }
        Protocol::Responses => responses::decoded(&json!({ "output": parts })),
        Protocol::Messages => messages::decoded(&json!({ "content": parts })),
    };
    let Ok(decoded) = decoded else { return false };
    let is_same = |(raw, call): (&RawCall, &ToolCall)| {
        let arguments = raw.arguments.value();
        raw.id == call.id
            && raw.name == call.name
            && (call.arguments.is_none() || call.arguments == arguments)
    };
    decoded.text == message.content
        && decoded.calls.len() == message.tool_calls.len()
        && decoded.calls.iter().zip(&message.tool_calls).all(is_same)
}

impl RawArguments {
    fn value(&self) -> Option<Value> {
        match self {
            RawArguments::Value(value) => Some(value.clone()),
            RawArguments::Text(text) if text.trim().is_empty() => Some(json!({})),
            RawArguments::Text(text) => serde_json::from_str(text).ok(),
        }
    }
}
