//! Anthropic's messages.

use serde_json::{Map, Value, json};

use super::ReplyError;
use super::Target;
use super::decoded::{Decoded, RawArguments, RawCall, count, text_of};
use super::parameters::Parameters;
use super::turns::{Turn, Turns};
use crate::llm::price::Usage;
use crate::llm::profile::{CacheMode, Reasoning};
use crate::llm::reply::Ending;
use crate::llm::request::{ChatRequest, Tool, ToolCall, ToolChoice, canonical};

pub(super) fn body(
    target: &Target<'_>,
    request: &ChatRequest,
    turns: &Turns<'_>,
    parameters: &Parameters,
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), target.model_id.into());
    if let Some((field, limit)) = parameters.max_tokens {
        body.insert(field.to_owned(), limit.into());
    }
    if let Some(degree) = parameters.temperature {
        body.insert("temperature".to_owned(), degree.into());
    }
    let mut output = Map::new();
    if let Some(effort) = parameters.effort {
        if target.profile.reasoning == Reasoning::Adaptive {
            body.insert("thinking".to_owned(), json!({ "type": "adaptive" }));
        }
        output.insert("effort".to_owned(), effort.as_str().into());
    }
    if let Some(schema) = &parameters.schema {
        output.insert("format".to_owned(), json!({ "type": "json_schema", "schema": canonical(schema) }));
    }
    if !output.is_empty() {
        body.insert("output_config".to_owned(), Value::Object(output));
    }
    if target.profile.streams {
        body.insert("stream".to_owned(), true.into());
    }
    if target.profile.cache == CacheMode::Ephemeral {
        body.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::Required => drop(body.insert("tool_choice".to_owned(), json!({ "type": "any" }))),
            ToolChoice::None => drop(body.insert("tool_choice".to_owned(), json!({ "type": "none" }))),
            ToolChoice::Named(name) => {
                body.insert("tool_choice".to_owned(), json!({ "type": "tool", "name": name }));
            }
        }
    }
    if let Some(text) = &turns.system {
        body.insert("system".to_owned(), text.as_str().into());
    }
    body.insert("messages".to_owned(), turns.turns.iter().map(message).collect());
    Value::Object(body)
}

fn tool(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": canonical(&tool.parameters) })
}

fn message(turn: &Turn<'_>) -> Value {
    match turn {
        // Instructions have one place, at the beginning; moved there, they would change every byte behind it.
        Turn::System(text) => json!({ "role": "user", "content": format!("<system>\n{text}\n</system>") }),
        Turn::User(text) => json!({ "role": "user", "content": text }),
        Turn::Assistant { opaque: Some(blocks), .. } => json!({ "role": "assistant", "content": blocks }),
        Turn::Assistant { text, calls, .. } => {
            let mut blocks = Vec::new();
            if !text.is_empty() || calls.is_empty() {
                blocks.push(json!({ "type": "text", "text": text }));
            }
            blocks.extend(calls.iter().map(call));
            json!({ "role": "assistant", "content": blocks })
        }
        Turn::Results(results) => {
            let block = |(id, text): &(&str, &str)| json!({ "type": "tool_result", "tool_use_id": id, "content": text });
            json!({ "role": "user", "content": results.iter().map(block).collect::<Vec<_>>() })
        }
    }
}

fn call(call: &ToolCall) -> Value {
    let input = call.arguments.clone().unwrap_or_else(|| json!({}));
    json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input })
}

pub(super) fn decoded(whole: &Value) -> Result<Decoded, ReplyError> {
    let blocks = whole.get("content").and_then(Value::as_array).ok_or(ReplyError::Without("`content`"))?;
    let of_type = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let text: String = of_type("text").map(|block| text_of(block, "text")).collect();
    let calls: Vec<RawCall> = of_type("tool_use").map(raw_call).collect();
    let reason = whole.get("stop_reason").and_then(Value::as_str).unwrap_or_default();
    let (ending, note) = match reason {
        "max_tokens" => (Ending::Length, None),
        "refusal" => (Ending::Refusal, None),
        "pause_turn" => (Ending::Pause, None),
        "model_context_window_exceeded" => (Ending::Overflow, None),
        _ if !calls.is_empty() => (Ending::Tool, None),
        "end_turn" | "stop_sequence" | "tool_use" | "" => (Ending::Done, None),
        other => (Ending::Done, Some(format!("the server ended the reply with `{other}`"))),
    };
    let is_opaque = blocks.iter().any(|block| block["type"] != "text" && block["type"] != "tool_use");
    Ok(Decoded {
        text,
        calls,
        ending,
        opaque: is_opaque.then(|| blocks.iter().map(handed_back).collect()),
        usage: whole.get("usage").and_then(usage),
        notes: note.into_iter().collect(),
    })
}

fn raw_call(block: &Value) -> RawCall {
    let arguments = match block.get("input") {
        // A fold leaves what is not JSON as the text it is.
        Some(Value::String(text)) => RawArguments::Text(text.clone()),
        Some(value) => RawArguments::Value(value.clone()),
        None => RawArguments::Text(String::new()),
    };
    RawCall { id: text_of(block, "id"), name: text_of(block, "name"), arguments }
}

/// Input that is not JSON would be refused.
fn handed_back(block: &Value) -> Value {
    let mut block = block.clone();
    if block["type"] == "tool_use" && !block["input"].is_object() {
        block["input"] = json!({});
    }
    block
}

pub(super) fn usage(usage: &Value) -> Option<Usage> {
    Some(Usage {
        input: count(usage, "/input_tokens")?,
        cached: count(usage, "/cache_read_input_tokens").unwrap_or(0),
        written: count(usage, "/cache_creation_input_tokens").unwrap_or(0),
        output: count(usage, "/output_tokens").unwrap_or(0),
        ..Usage::default()
    })
}
