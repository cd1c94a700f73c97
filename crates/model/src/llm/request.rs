//! What a model is asked, in the neutral form that functions write: `model.chat(messages, …)`.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::words::words;

/// Larger conversations are no use to any model.
const MAX_MESSAGES: usize = 10_000;
const MAX_TOOLS: usize = 128;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    pub messages: Vec<Message>,
    pub tools: Vec<Tool>,
    pub tool_choice: ToolChoice,
    /// A JSON Schema that the text of the reply is to match.
    pub schema: Option<Value>,
    pub max_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub effort: Option<Effort>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    System,
    User,
    Assistant,
    Tool,
}

words! {
    /// How hard a model is to think.
    Effort, "effort":
    Low = "low",
    Medium = "medium",
    High = "high",
}

/// Whether a tool is to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    #[default]
    Auto,
    Required,
    None,
    Named(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub role: Speaker,
    #[serde(default, deserialize_with = "or_default")]
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub tool_calls: Vec<ToolCall>,
    /// Of a tool's result: the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// What a model said besides text and calls, such as signed thoughts. Only the model that wrote it can read it, and gets it back as it
/// was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opaque {
    /// The protocol and the id of the model.
    pub by: String,
    /// JSON, kept as text so that nothing on its way changes a byte of it.
    pub parts: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// An object; absent if the call has a problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Why the call cannot be executed, in words for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments.
    #[serde(default = "no_parameters")]
    pub parameters: Value,
}

fn no_parameters() -> Value {
    serde_json::json!({ "type": "object", "properties": {} })
}

/// `null` as if it were absent.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RequestError(pub String);

fn wrong<T>(text: impl Into<String>) -> Result<T, RequestError> {
    Err(RequestError(text.into()))
}

/// Reads a list of messages, as functions write it.
pub fn read_messages(given: Value) -> Result<Vec<Message>, RequestError> {
    let Value::Array(items) = given else { return wrong("`messages` must be a list") };
    let message = |(at, item)| {
        serde_json::from_value(item).map_err(|error| {
            RequestError(format!(
                "`messages[{at}]`: {error}; a message has `role` (`system`, `user`, `assistant` or `tool`) and `content`"
            ))
        })
    };
    items.into_iter().enumerate().map(message).collect()
}

/// Reads a list of tools: each as `{name, description, parameters}`, or as OpenAI's API has it.
pub fn read_tools(given: Value) -> Result<Vec<Tool>, RequestError> {
    let Value::Array(items) = given else { return wrong("`tools` must be a list") };
    let tool = |(at, mut item): (usize, Value)| {
        if let Some(function) = item.get_mut("function").map(Value::take) {
            item = function;
            if let Some(fields) = item.as_object_mut() {
                fields.shift_remove("strict");
            }
        }
        serde_json::from_value(item).map_err(|error| {
            RequestError(format!(
                "`tools[{at}]`: {error}; a tool has `name`, `description` and `parameters`, a JSON Schema"
            ))
        })
    };
    items.into_iter().enumerate().map(tool).collect()
}

impl ChatRequest {
    /// What every server would refuse is refused here, where it can be said which message is at fault.
    pub fn check(&self) -> Result<(), RequestError> {
        if self.messages.iter().all(|message| message.role == Speaker::System) {
            return wrong("`messages` has no message of a `user`; add what the model is to answer");
        }
        if self.messages.len() > MAX_MESSAGES || self.tools.len() > MAX_TOOLS {
            return wrong(format!("at most {MAX_MESSAGES} messages and {MAX_TOOLS} tools can be sent"));
        }
        if self.max_tokens == Some(0) {
            return wrong("`max_tokens` must be at least 1");
        }
        if self.temperature.is_some_and(|degree| !(0.0..=2.0).contains(&degree)) {
            return wrong("`temperature` must be from 0 to 2");
        }
        if self.schema.as_ref().is_some_and(|schema| !schema.is_object()) {
            return wrong("`schema` must be a JSON Schema, a dict");
        }
        self.check_tools()?;
        self.check_results()
    }

    fn check_tools(&self) -> Result<(), RequestError> {
        let mut names = BTreeSet::new();
        for Tool { name, parameters, .. } in &self.tools {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
                return wrong(format!(
                    "`{name}` cannot be the name of a tool; use up to 64 letters, digits, `_` and `-`"
                ));
            }
            if !parameters.is_object() {
                return wrong(format!("`parameters` of tool `{name}` must be a JSON Schema, a dict"));
            }
            if !names.insert(name) {
                return wrong(format!("there are two tools `{name}`"));
            }
        }
        match &self.tool_choice {
            ToolChoice::Named(name) if !names.contains(name) => {
                wrong(format!("there is no tool `{name}` to choose"))
            }
            ToolChoice::Required if names.is_empty() => wrong("a tool has to be called, and there are none"),
            _ => Ok(()),
        }
    }

    /// Every call has its result before anybody else speaks, and every result its call.
    fn check_results(&self) -> Result<(), RequestError> {
        let mut open: BTreeSet<&str> = BTreeSet::new();
        for (at, message) in self.messages.iter().enumerate() {
            if message.role == Speaker::Tool {
                let Some(id) = message.tool_call_id.as_deref() else {
                    return wrong(format!("`messages[{at}]` is a tool's result and has no `tool_call_id`"));
                };
                if !open.remove(id) {
                    return wrong(format!(
                        "`messages[{at}]` answers the call `{id}`, which the assistant's message before it did not make, or which was answered"
                    ));
                }
                continue;
            }
            unanswered(&open, at)?;
            if message.role == Speaker::Assistant {
                open.extend(message.tool_calls.iter().map(|call| call.id.as_str()));
            } else if !message.tool_calls.is_empty() {
                return wrong(format!("`messages[{at}]` has `tool_calls`, and is not of the `assistant`"));
            }
        }
        unanswered(&open, self.messages.len())
    }
}

fn unanswered(open: &BTreeSet<&str>, at: usize) -> Result<(), RequestError> {
    match open.first() {
        None => Ok(()),
        Some(id) => wrong(format!(
            "the call `{id}` has no result before `messages[{at}]`; add a message with `role` `tool` and its `tool_call_id`"
        )),
    }
}

/// The same value with the keys of all objects in order, so that equal tools are equal bytes.
pub(super) fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            Value::Object(
                sorted.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect::<Map<_, _>>(),
            )
        }
        other => other.clone(),
    }
}

/// Whether OpenAI's servers can keep a schema strictly: every object in it is closed, and requires all that it has.
pub(super) fn is_strict(schema: &Value) -> bool {
    schema["type"] == "object" && is_closed(schema)
}

fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().all(is_closed),
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            let required = fields.get("required").and_then(Value::as_array);
            let is_required =
                |name: &String| required.is_some_and(|required| required.iter().any(|one| one == name));
            let is_open_object = fields.get("type").is_some_and(|kind| kind == "object")
                && (fields.get("additionalProperties") != Some(&Value::Bool(false))
                    || !properties.into_iter().flatten().all(|(name, _)| is_required(name)));
            !is_open_object && fields.values().all(is_closed)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(messages: Value, tools: Value) -> String {
        let read = || {
            let request = ChatRequest {
                messages: read_messages(messages)?,
                tools: read_tools(tools)?,
                ..ChatRequest::default()
            };
            request.check()
        };
        read().map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_no_server_would_take_is_refused_with_its_place() {
        let user = json!({ "role": "user", "content": "Hi" });
        let asks = json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "name": "f", "arguments": {} }] });
        let result = json!({ "role": "tool", "tool_call_id": "c", "content": "1" });
        assert_eq!(problem(json!([user, asks, result, user]), json!([{ "name": "f" }])), "");
        for (messages, said) in [
            (json!([]), "no message of a `user`"),
            (json!("Hi"), "`messages` must be a list"),
            (json!([{ "role": "robot" }]), "`messages[0]`: unknown variant `robot`"),
            (json!([{ "role": "user", "name": "x" }]), "unknown field `name`"),
            (json!([user, asks]), "the call `c` has no result before `messages[2]`"),
            (json!([user, asks, user]), "the call `c` has no result before `messages[2]`"),
            (json!([user, result]), "`messages[1]` answers the call `c`"),
            (json!([user, asks, result, result]), "`messages[3]` answers the call `c`"),
            (json!([user, { "role": "tool", "content": "1" }]), "has no `tool_call_id`"),
        ] {
            let problem = problem(messages, json!([]));
            assert!(problem.contains(said), "{problem}");
        }
        for (tools, said) in [
            (json!([{ "name": "a b" }]), "cannot be the name of a tool"),
            (json!([{ "name": "f" }, { "name": "f" }]), "two tools `f`"),
            (json!([{ "name": "f", "parameters": 1 }]), "`parameters` of tool `f`"),
            (json!([{}]), "`tools[0]`: missing field `name`"),
        ] {
            let problem = problem(json!([user]), tools);
            assert!(problem.contains(said), "{problem}");
        }
    }

    #[test]
    fn a_schema_is_strict_if_all_of_its_objects_are_closed_and_complete() {
        let schema = |inner: Value| json!({ "type": "object", "properties": { "a": inner }, "required": ["a"], "additionalProperties": false });
        assert!(is_strict(&schema(json!({ "type": "string", "enum": ["x"] }))));
        assert!(is_strict(&schema(schema(json!({ "type": "array", "items": schema(json!({})) })))));
        assert!(!is_strict(&schema(json!({ "type": "object" }))));
        let mut optional = schema(json!({}));
        optional["required"] = json!([]);
        assert!(!is_strict(&optional));
        assert!(!is_strict(&json!({ "anyOf": [schema(json!({}))] })), "its root is no object");
    }

    #[test]
    fn tools_may_be_written_as_openai_has_them() {
        let tool = json!({ "type": "function", "function": { "name": "f", "description": "d", "parameters": {}, "strict": true } });
        assert_eq!(read_tools(json!([tool])).unwrap()[0].description, "d");
    }
}
