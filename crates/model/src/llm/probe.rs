//! How the profile of a model is found out: a few small questions, and what each answer shows. A parameter that a server accepts with
//! a value that cannot be right is not taken but ignored.

use serde_json::{Value, json};

use super::profile::{Profile, Protocol, Reasoning, SchemaMode, TokenLimit, ToolMode};
use super::reply::{ChatReply, Ending};
use super::request::{ChatRequest, Effort, Message, Speaker, Tool, ToolChoice};

/// Enough for a model that thinks before it calls a tool; the others need little of it.
const ENOUGH: u32 = 2_000;
/// Below what counting takes, and not below what servers accept.
const LIMIT: u32 = 16;
/// What a limit may be missed by.
const SLACK: u64 = 8;

fn asks(text: &str) -> ChatRequest {
    let content = text.to_owned();
    let message =
        Message { role: Speaker::User, content, tool_calls: Vec::new(), tool_call_id: None, opaque: None };
    ChatRequest { messages: vec![message], ..ChatRequest::default() }
}

/// A round trip. What comes back is shown to whoever tests a model.
pub fn greeting() -> ChatRequest {
    ChatRequest { max_tokens: Some(ENOUGH), ..asks("Reply with one short sentence that says you are ready.") }
}

/// An answer that is longer than its limit.
pub fn limited() -> ChatRequest {
    ChatRequest { max_tokens: Some(LIMIT), ..asks("Count from 1 to 60. Write nothing but the numbers.") }
}

/// Whether the limit was kept.
pub fn is_limited(reply: &ChatReply) -> bool {
    reply.ending == Ending::Length || reply.usage.output <= u64::from(LIMIT) + SLACK
}

/// The names of the limit that a protocol has, the usual one first.
pub fn token_limits(protocol: Protocol) -> &'static [TokenLimit] {
    match protocol {
        Protocol::ChatCompletions => &[TokenLimit::MaxCompletionTokens, TokenLimit::MaxTokens],
        Protocol::Responses => &[TokenLimit::MaxOutputTokens],
        Protocol::Messages => &[TokenLimit::MaxTokens],
    }
}

pub fn sampled() -> ChatRequest {
    ChatRequest { temperature: Some(0.2), max_tokens: Some(LIMIT), ..asks("Say yes.") }
}

pub fn reasoned() -> ChatRequest {
    ChatRequest { effort: Some(Effort::Low), max_tokens: Some(ENOUGH), ..asks("Say yes.") }
}

/// The way of reasoning that a protocol has.
pub fn reasoning(protocol: Protocol) -> Reasoning {
    if protocol == Protocol::Messages { Reasoning::Adaptive } else { Reasoning::Effort }
}

/// The same body with an effort that there is not: a server that takes it ignores the field.
pub fn with_wrong_effort(protocol: Protocol, mut body: Value) -> Value {
    let wrong = json!("no_such_effort");
    match protocol {
        Protocol::ChatCompletions => body["reasoning_effort"] = wrong,
        Protocol::Responses => body["reasoning"] = json!({ "effort": wrong }),
        Protocol::Messages => body["output_config"] = json!({ "effort": wrong }),
    }
    body
}

/// Text that nobody writes without being made to.
pub fn constrained() -> ChatRequest {
    let schema = json!({
        "type": "object",
        "properties": { "side": { "type": "string", "enum": ["left", "right"] } },
        "required": ["side"],
        "additionalProperties": false,
    });
    ChatRequest { schema: Some(schema), max_tokens: Some(ENOUGH), ..asks("Say hello to Ada.") }
}

pub fn is_constrained(reply: &ChatReply) -> bool {
    let side = reply.value.as_ref().and_then(|value| value.get("side")).and_then(Value::as_str);
    matches!(side, Some("left" | "right"))
}

pub fn calling() -> ChatRequest {
    let parameters = json!({
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"],
        "additionalProperties": false,
    });
    let tool =
        Tool { name: "weather".to_owned(), description: "The weather in a city now.".to_owned(), parameters };
    ChatRequest {
        tools: vec![tool],
        tool_choice: ToolChoice::Auto,
        max_tokens: Some(ENOUGH),
        ..asks("What is the weather in Paris now? Use the tool.")
    }
}

pub fn is_called(reply: &ChatReply) -> bool {
    let city = |arguments: &Value| arguments.get("city").is_some_and(Value::is_string);
    reply.tool_calls.iter().any(|call| call.name == "weather" && call.arguments.as_ref().is_some_and(city))
}

/// The tool modes to try, the best one first. The last needs nothing of the server.
pub fn tool_modes(profile: &Profile) -> &'static [ToolMode] {
    match profile.schema {
        SchemaMode::Native => &[ToolMode::Native, ToolMode::Schema],
        SchemaMode::Prompt => &[ToolMode::Native],
    }
}
