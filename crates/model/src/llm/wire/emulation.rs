//! Tools and schemas for models whose servers have none: the prompt describes them, and calls are read from the text.

use serde_json::{Value, json};

use super::decoded::{Decoded, RawArguments, RawCall};
use super::tool_mode;
use crate::llm::profile::{Profile, SchemaMode, ToolMode};
use crate::llm::reply::Ending;
use crate::llm::request::{ChatRequest, Message, Speaker, Tool, ToolCall, ToolChoice, canonical};

/// What a model names instead of a tool when it answers.
const ANSWER: &str = "answer";
const FENCE: &str = "```";

/// The request as it is written for this model. What is added stands at the beginning and is the same in every turn.
pub(super) fn shaped(profile: &Profile, request: &ChatRequest) -> ChatRequest {
    let mode = tool_mode(profile);
    let has_tools = !request.tools.is_empty() && request.tool_choice != ToolChoice::None;
    let mut shaped = request.clone();
    let mut instructions = Vec::new();
    if mode != ToolMode::Native {
        shaped.messages = written_out(&request.messages);
        shaped.tools = Vec::new();
        shaped.tool_choice = ToolChoice::Auto;
        if has_tools {
            instructions.push(tool_instructions(mode, request));
        }
        if has_tools && mode == ToolMode::Schema {
            shaped.schema = Some(call_schema(request));
        }
    }
    if let (Some(schema), SchemaMode::Prompt) = (&request.schema, profile.schema) {
        instructions.push(format!(
            "Answer with one JSON value and nothing else. It matches this JSON Schema:\n{}",
            canonical(schema)
        ));
    }
    if !instructions.is_empty() {
        let first = shaped.messages.iter().take_while(|message| message.role == Speaker::System).count();
        shaped.messages.insert(first, said(Speaker::System, instructions.join("\n\n")));
    }
    shaped
}

fn said(role: Speaker, content: String) -> Message {
    Message { role, content, tool_calls: Vec::new(), tool_call_id: None, opaque: None }
}

fn tool_instructions(mode: ToolMode, request: &ChatRequest) -> String {
    let offered: Vec<&Tool> = match &request.tool_choice {
        ToolChoice::Named(name) => request.tools.iter().filter(|tool| tool.name == *name).collect(),
        _ => request.tools.iter().collect(),
    };
    let mut text = "You can call these tools:\n".to_owned();
    for Tool { name, description, parameters } in offered {
        text += &format!("- {name}: {description}\n  arguments: {}\n", canonical(parameters));
    }
    let call = r#"{"tool": NAME, "arguments": {…}}"#;
    text += &match mode {
        ToolMode::Schema => format!("To call one, answer with {call} and nothing else."),
        _ => format!(
            "To call one, write {call} in a block that begins with {FENCE}json and ends with {FENCE}, and stop there."
        ),
    };
    if matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_)) {
        text += " Call one now.";
    } else if mode == ToolMode::Schema {
        text += &format!(r#" To answer, write {{"tool": "{ANSWER}", "content": …}}."#);
    } else {
        text += " To answer, write text without such a block.";
    }
    text
}

/// Either a call of a tool or the answer.
fn call_schema(request: &ChatRequest) -> Value {
    let one = |name: &str, field: &str, schema: Value| {
        json!({
            "type": "object",
            "properties": { "tool": { "const": name }, field: schema },
            "required": ["tool", field],
            "additionalProperties": false,
        })
    };
    let offered = request.tools.iter().filter(|tool| match &request.tool_choice {
        ToolChoice::Named(name) => tool.name == *name,
        _ => true,
    });
    let mut choices: Vec<Value> =
        offered.map(|tool| one(&tool.name, "arguments", canonical(&tool.parameters))).collect();
    if !matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_)) {
        let content = request.schema.as_ref().map_or_else(|| json!({ "type": "string" }), canonical);
        choices.push(one(ANSWER, "content", content));
    }
    json!({ "anyOf": choices })
}

/// Whether a message is written otherwise for such a model.
pub(super) fn is_used(message: &Message) -> bool {
    !message.tool_calls.is_empty()
}

/// Calls and their results as text.
fn written_out(messages: &[Message]) -> Vec<Message> {
    let mut written: Vec<Message> = Vec::new();
    let mut was_result = false;
    let mut calls: Vec<&ToolCall> = Vec::new();
    for message in messages {
        let is_result = message.role == Speaker::Tool;
        if is_result {
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            let name =
                calls.iter().rev().find(|call| call.id == id).map_or("the tool", |call| call.name.as_str());
            let text = format!("Result of {name}:\n{}", message.content);
            match written.last_mut() {
                Some(last) if was_result => last.content += &format!("\n\n{text}"),
                _ => written.push(said(Speaker::User, text)),
            }
        } else {
            calls.extend(&message.tool_calls);
            let mut parts: Vec<String> =
                Vec::from_iter((!message.content.is_empty()).then(|| message.content.clone()));
            parts.extend(message.tool_calls.iter().map(|call| {
                let arguments = call.arguments.clone().unwrap_or_else(|| json!({}));
                format!("{FENCE}json\n{}\n{FENCE}", json!({ "tool": call.name, "arguments": arguments }))
            }));
            written.push(Message {
                tool_calls: Vec::new(),
                opaque: None,
                content: parts.join("\n"),
                ..message.clone()
            });
        }
        was_result = is_result;
    }
    written
}

/// Takes the calls out of the text.
pub(super) fn unshape(profile: &Profile, decoded: &mut Decoded) {
    // It belongs to a message that was written otherwise.
    decoded.opaque = None;
    let found = match tool_mode(profile) {
        ToolMode::Schema => whole(&decoded.text),
        _ => None,
    };
    let (calls, text) = match found {
        Some(Found::Answer(text)) => (Vec::new(), text),
        Some(Found::Call(call)) => (vec![call], String::new()),
        None => blocks(&decoded.text),
    };
    decoded.text = text;
    if !calls.is_empty() && decoded.ending == Ending::Done {
        decoded.ending = Ending::Tool;
    }
    decoded.calls.extend(calls);
}

enum Found {
    Answer(String),
    Call(RawCall),
}

fn whole(text: &str) -> Option<Found> {
    found(&serde_json::from_str(unfenced(text)).ok()?)
}

/// Models also write what other formats call these fields.
fn found(value: &Value) -> Option<Found> {
    let field = |names: &[&str]| names.iter().find_map(|name| value.get(*name)).cloned();
    let name = field(&["tool", "name"])?.as_str()?.to_owned();
    if name == ANSWER
        && let Some(content) = field(&["content", "text"])
    {
        return Some(Found::Answer(content.as_str().map_or_else(|| content.to_string(), str::to_owned)));
    }
    let arguments = RawArguments::Value(field(&["arguments", "parameters", "input"])?);
    Some(Found::Call(RawCall { id: String::new(), name, arguments }))
}

/// The calls in fenced blocks, and the text around them. A text that is one object may do without a fence.
fn blocks(text: &str) -> (Vec<RawCall>, String) {
    match whole(text) {
        Some(Found::Call(call)) => return (vec![call], String::new()),
        Some(Found::Answer(answer)) => return (Vec::new(), answer),
        None => {}
    }
    let (mut calls, mut around, mut rest) = (Vec::new(), String::new(), text);
    while let Some((before, behind)) = rest.split_once(FENCE) {
        let (inside, after) = behind.split_once(FENCE).unwrap_or((behind, ""));
        let code = inside.strip_prefix("json").or_else(|| inside.strip_prefix("tool_call")).unwrap_or(inside);
        let call = serde_json::from_str(code.trim()).ok().as_ref().and_then(found);
        around += before;
        match call {
            Some(Found::Call(call)) => calls.push(call),
            _ => around += &format!("{FENCE}{inside}{}", if behind.contains(FENCE) { FENCE } else { "" }),
        }
        rest = after;
    }
    around += rest;
    if calls.is_empty() { (calls, text.to_owned()) } else { (calls, around.trim().to_owned()) }
}

/// A text without the fence around all of it.
pub(super) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix(FENCE).and_then(|text| text.strip_suffix(FENCE)) else {
        return text;
    };
    if inside.contains(FENCE) { text } else { inside.strip_prefix("json").unwrap_or(inside).trim() }
}
