//! OpenAI's Responses, used without state on the server: nothing is stored there, and encrypted reasoning is handed back.

use serde_json::{Map, Value, json};

use super::ReplyError;
use super::Target;
use super::decoded::{Decoded, RawArguments, RawCall, count, text_of};
use super::parameters::Parameters;
use super::turns::{Turn, Turns};
use crate::llm::price::Usage;
use crate::llm::profile::Reasoning;
use crate::llm::reply::Ending;
use crate::llm::request::{ChatRequest, Tool, ToolCall, ToolChoice, canonical, is_strict};

pub(super) fn body(
    target: &Target<'_>,
    request: &ChatRequest,
    turns: &Turns<'_>,
    parameters: &Parameters,
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), target.model_id.into());
    body.insert("store".to_owned(), false.into());
    if target.profile.reasoning != Reasoning::NotTaken {
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    if let Some((field, limit)) = parameters.max_tokens {
        body.insert(field.to_owned(), limit.into());
    }
    if let Some(degree) = parameters.temperature {
        body.insert("temperature".to_owned(), degree.into());
    }
    if let Some(effort) = parameters.effort {
        body.insert("reasoning".to_owned(), json!({ "effort": effort }));
    }
    if let Some(schema) = &parameters.schema {
        let strict = is_strict(schema);
        let format =
            json!({ "type": "json_schema", "name": "reply", "schema": canonical(schema), "strict": strict });
        body.insert("text".to_owned(), json!({ "format": format }));
    }
    if target.profile.streams {
        body.insert("stream".to_owned(), true.into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::Required => drop(body.insert("tool_choice".to_owned(), "required".into())),
            ToolChoice::None => drop(body.insert("tool_choice".to_owned(), "none".into())),
            ToolChoice::Named(name) => {
                body.insert("tool_choice".to_owned(), json!({ "type": "function", "name": name }));
            }
        }
    }
    if let Some(text) = &turns.system {
        body.insert("instructions".to_owned(), text.as_str().into());
    }
    let mut input = Vec::new();
    turns.turns.iter().for_each(|turn| push(&mut input, turn));
    body.insert("input".to_owned(), input.into());
    Value::Object(body)
}

fn tool(tool: &Tool) -> Value {
    let (name, description) = (&tool.name, &tool.description);
    let parameters = canonical(&tool.parameters);
    json!({ "type": "function", "name": name, "description": description, "parameters": parameters, "strict": false })
}

fn push(input: &mut Vec<Value>, turn: &Turn<'_>) {
    match turn {
        Turn::System(text) => input.push(json!({ "role": "developer", "content": text })),
        Turn::User(text) => input.push(json!({ "role": "user", "content": text })),
        Turn::Assistant { opaque: Some(Value::Array(items)), .. } => input.extend(items.iter().cloned()),
        Turn::Assistant { text, calls, .. } => {
            if !text.is_empty() || calls.is_empty() {
                input.push(json!({ "role": "assistant", "content": text }));
            }
            input.extend(calls.iter().map(call));
        }
        Turn::Results(results) => input.extend(
            results
                .iter()
                .map(|(id, text)| json!({ "type": "function_call_output", "call_id": id, "output": text })),
        ),
    }
}

fn call(call: &ToolCall) -> Value {
    let arguments = call.arguments.as_ref().map_or("{}".to_owned(), Value::to_string);
    json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments })
}

pub(super) fn decoded(whole: &Value) -> Result<Decoded, ReplyError> {
    let items = whole.get("output").and_then(Value::as_array).ok_or(ReplyError::Without("`output`"))?;
    let (mut text, mut refusal) = (String::new(), String::new());
    for part in items.iter().filter(|item| item["type"] == "message").flat_map(parts) {
        text += &text_of(part, "text");
        refusal += &text_of(part, "refusal");
    }
    let calls: Vec<RawCall> =
        items.iter().filter(|item| item["type"] == "function_call").map(raw_call).collect();
    let incomplete = whole.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let ending = match incomplete {
        Some("content_filter") => Ending::Refusal,
        Some(_) => Ending::Length,
        None if !refusal.is_empty() => Ending::Refusal,
        None if !calls.is_empty() => Ending::Tool,
        None => Ending::Done,
    };
    let is_opaque = items.iter().any(|item| item["type"] != "message" && item["type"] != "function_call");
    Ok(Decoded {
        text: if text.is_empty() { refusal } else { text },
        calls,
        ending,
        // What was cut off cannot be handed back.
        opaque: (is_opaque && incomplete.is_none()).then(|| Value::Array(items.clone())),
        usage: whole.get("usage").and_then(usage),
        notes: Vec::new(),
    })
}

fn parts(item: &Value) -> impl Iterator<Item = &Value> {
    item.get("content").and_then(Value::as_array).into_iter().flatten()
}

fn raw_call(call: &Value) -> RawCall {
    let arguments = RawArguments::Text(text_of(call, "arguments"));
    RawCall { id: text_of(call, "call_id"), name: text_of(call, "name"), arguments }
}

pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let (prompt, output) = (count(usage, "/input_tokens")?, count(usage, "/output_tokens").unwrap_or(0));
    let cached = count(usage, "/input_tokens_details/cached_tokens").unwrap_or(0).min(prompt);
    Some(Usage { input: prompt - cached, cached, output, ..Usage::default() })
}
