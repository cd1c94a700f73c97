//! OpenAI's chat completions.

use serde_json::{Map, Value, json};

use super::ReplyError;
use super::Target;
use super::decoded::{Decoded, RawArguments, RawCall, count, text_of};
use super::parameters::Parameters;
use super::turns::{Turn, Turns};
use crate::llm::price::Usage;
use crate::llm::reply::Ending;
use crate::llm::request::{ChatRequest, Tool, ToolCall, ToolChoice, canonical, is_strict};

/// Fields of a message that have a neutral form, or mean nothing when they are handed back.
const KNOWN: &[&str] = &["role", "content", "tool_calls", "refusal", "annotations", "audio", "function_call"];
const KNOWN_OF_CALL: &[&str] = &["id", "type", "function", "index"];

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
    if let Some(effort) = parameters.effort {
        body.insert("reasoning_effort".to_owned(), effort.as_str().into());
    }
    if let Some(schema) = &parameters.schema {
        let schema = json!({ "name": "reply", "schema": canonical(schema), "strict": is_strict(schema) });
        let format = json!({ "type": "json_schema", "json_schema": schema });
        body.insert("response_format".to_owned(), format);
    }
    if target.profile.streams {
        body.insert("stream".to_owned(), true.into());
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::Required => drop(body.insert("tool_choice".to_owned(), "required".into())),
            ToolChoice::None => drop(body.insert("tool_choice".to_owned(), "none".into())),
            ToolChoice::Named(name) => {
                let choice = json!({ "type": "function", "function": { "name": name } });
                body.insert("tool_choice".to_owned(), choice);
            }
        }
    }
    let mut messages: Vec<Value> = Vec::new();
    messages.extend(turns.system.as_ref().map(|text| json!({ "role": "system", "content": text })));
    turns.turns.iter().for_each(|turn| push(&mut messages, turn));
    body.insert("messages".to_owned(), messages.into());
    Value::Object(body)
}

fn tool(tool: &Tool) -> Value {
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": canonical(&tool.parameters) });
    json!({ "type": "function", "function": function })
}

fn push(messages: &mut Vec<Value>, turn: &Turn<'_>) {
    match turn {
        Turn::System(text) => messages.push(json!({ "role": "system", "content": text })),
        Turn::User(text) => messages.push(json!({ "role": "user", "content": text })),
        Turn::Assistant { text, calls, opaque } => messages.push(assistant(text, calls, opaque.as_ref())),
        Turn::Results(results) => messages.extend(
            results.iter().map(|(id, text)| json!({ "role": "tool", "tool_call_id": id, "content": text })),
        ),
    }
}

fn assistant(text: &str, calls: &[ToolCall], opaque: Option<&Value>) -> Value {
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    let mut message =
        Map::from_iter([("role".to_owned(), json!("assistant")), ("content".to_owned(), content)]);
    let fields = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    message.extend(fields(opaque.and_then(|opaque| opaque.get("message"))));
    if !calls.is_empty() {
        let call = |(at, call): (usize, &ToolCall)| {
            let arguments = call.arguments.as_ref().map_or("{}".to_owned(), Value::to_string);
            let mut made = Map::new();
            made.insert("id".to_owned(), call.id.as_str().into());
            made.insert("type".to_owned(), "function".into());
            made.insert("function".to_owned(), json!({ "name": call.name, "arguments": arguments }));
            made.extend(fields(opaque.and_then(|opaque| opaque.get("tool_calls")?.get(at))));
            Value::Object(made)
        };
        message.insert("tool_calls".to_owned(), calls.iter().enumerate().map(call).collect());
    }
    Value::Object(message)
}

pub(super) fn decoded(whole: &Value) -> Result<Decoded, ReplyError> {
    let choice = whole.pointer("/choices/0").ok_or(ReplyError::Without("`choices`"))?;
    let message = choice.get("message").ok_or(ReplyError::Without("`choices[0].message`"))?;
    let calls: Vec<RawCall> =
        message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().map(raw_call).collect();
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = match message.get("content") {
        // Some servers answer in parts.
        Some(Value::Array(parts)) => parts.iter().map(|part| text_of(part, "text")).collect(),
        content => content.and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    let (ending, note) = match finish {
        _ if refusal.is_some() => (Ending::Refusal, None),
        "content_filter" => (Ending::Refusal, None),
        "length" => (Ending::Length, None),
        _ if !calls.is_empty() => (Ending::Tool, None),
        "stop" | "" | "eos" | "tool_calls" | "function_call" => (Ending::Done, None),
        other => (Ending::Done, Some(format!("the server ended the reply with `{other}`"))),
    };
    Ok(Decoded {
        text: if text.is_empty() { refusal.unwrap_or_default().to_owned() } else { text },
        calls,
        ending,
        opaque: opaque(message),
        usage: whole.get("usage").and_then(usage),
        notes: note.into_iter().collect(),
    })
}

fn raw_call(call: &Value) -> RawCall {
    let arguments = match call.pointer("/function/arguments") {
        Some(Value::String(text)) => RawArguments::Text(text.clone()),
        Some(value) => RawArguments::Value(value.clone()),
        None => RawArguments::Text(String::new()),
    };
    RawCall { id: text_of(call, "id"), name: text_of(&call["function"], "name"), arguments }
}

/// Fields that only some servers have, such as the signatures of thoughts.
fn opaque(message: &Value) -> Option<Value> {
    let other = |value: &Value, known: &[&str]| -> Map<String, Value> {
        let fields = value.as_object().into_iter().flatten();
        let kept = fields.filter(|(key, value)| !known.contains(&key.as_str()) && !value.is_null());
        kept.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let calls: Vec<&Value> =
        message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().collect();
    let mut fields = other(message, KNOWN);
    if calls.is_empty() {
        // Servers that show thoughts want them back only while tools are called.
        fields.shift_remove("reasoning_content");
        fields.shift_remove("reasoning");
    }
    let calls: Vec<Value> = calls.into_iter().map(|call| Value::Object(other(call, KNOWN_OF_CALL))).collect();
    let is_empty = fields.is_empty() && calls.iter().all(|call| call.as_object().is_none_or(Map::is_empty));
    (!is_empty).then(|| json!({ "message": fields, "tool_calls": calls }))
}

pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let (prompt, output) = (count(usage, "/prompt_tokens")?, count(usage, "/completion_tokens").unwrap_or(0));
    let cached = count(usage, "/prompt_tokens_details/cached_tokens").unwrap_or(0).min(prompt);
    Some(Usage { input: prompt - cached, cached, output, ..Usage::default() })
}
