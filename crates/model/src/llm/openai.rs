//! Requests and replies in the form of OpenAI's chat completions, as functions write them for `model.complete`, whatever the model's own
//! protocol is.

use serde_json::{Map, Value, json};

use super::price::Usage;
use super::profile::{Profile, TokenLimit};
use super::reply::{ChatReply, Ending};
use super::request::{ChatRequest, Effort, Message, RequestError, Speaker, ToolCall, ToolChoice, read_tools};

/// Fields that change nothing here, if they have this value.
const MEANINGLESS: &[(&str, Value)] = &[("stream", Value::Bool(false)), ("store", Value::Bool(false))];

/// A request for a model that speaks chat completions itself: as it is, but for what its profile says. Returns the notes.
pub fn adapt(request: &mut Map<String, Value>, profile: &Profile) -> Vec<String> {
    let mut notes = Vec::new();
    let limits = [TokenLimit::MaxTokens, TokenLimit::MaxCompletionTokens];
    for other in limits.into_iter().filter(|limit| *limit != profile.token_limit) {
        let Some(limit) = request.shift_remove(other.as_str()) else { continue };
        if profile.token_limit == TokenLimit::NotTaken {
            notes.push(format!("`{other}` was not sent: the model does not take it"));
        } else {
            request.entry(profile.token_limit.as_str()).or_insert(limit);
        }
    }
    let sampling = ["temperature", "top_p", "top_k"];
    for field in sampling.into_iter().filter(|_| !profile.sampling) {
        if request.shift_remove(field).is_some() {
            notes.push(format!("`{field}` was not sent: the model does not take it"));
        }
    }
    request.shift_remove("stream");
    request.shift_remove("stream_options");
    // A model of another protocol wrote them.
    for message in request.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        if message.as_object_mut().and_then(|fields| fields.shift_remove("opaque")).is_some() {
            notes.push("hidden parts of a message were not sent: another model wrote them".to_owned());
        }
    }
    notes
}

/// A request for any other model. A field without a neutral form is refused.
pub fn read(request: Map<String, Value>) -> Result<ChatRequest, RequestError> {
    let mut chat = ChatRequest::default();
    for (field, value) in request {
        if value.is_null() || MEANINGLESS.contains(&(field.as_str(), value.clone())) {
            continue;
        }
        let wrong = || RequestError(format!("`{field}` cannot be {value}"));
        match field.as_str() {
            "model" | "user" => {}
            "n" if value == 1 => {}
            "messages" => chat.messages = messages(value)?,
            "tools" => chat.tools = read_tools(value)?,
            "tool_choice" => chat.tool_choice = tool_choice(&value).ok_or_else(wrong)?,
            "max_tokens" | "max_completion_tokens" => {
                let limit = value.as_u64().and_then(|limit| u32::try_from(limit).ok());
                chat.max_tokens = Some(limit.ok_or_else(wrong)?);
            }
            "temperature" => chat.temperature = Some(value.as_f64().ok_or_else(wrong)?),
            "reasoning_effort" => {
                let effort = value.as_str().and_then(|effort| effort.parse::<Effort>().ok());
                chat.effort = Some(effort.ok_or_else(wrong)?);
            }
            "response_format" => chat.schema = schema(&value).ok_or_else(wrong)?,
            _ => {
                return Err(RequestError(format!(
                    "`{field}` has no counterpart in the protocol of this model; leave it out, or use a model that speaks `chat_completions`"
                )));
            }
        }
    }
    Ok(chat)
}

fn messages(value: Value) -> Result<Vec<Message>, RequestError> {
    let Value::Array(items) = value else { return Err(RequestError("`messages` must be a list".to_owned())) };
    items.iter().enumerate().map(|(at, item)| message(at, item)).collect()
}

fn message(at: usize, item: &Value) -> Result<Message, RequestError> {
    let wrong = |what: &str| RequestError(format!("`messages[{at}]`: {what}"));
    let role = match item.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Speaker::System,
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        Some("tool") => Speaker::Tool,
        _ => return Err(wrong("its `role` must be `system`, `user`, `assistant` or `tool`")),
    };
    let content = match item.get("content") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let text = |part: &Value| Some(part.get("text")?.as_str()?.to_owned());
            let texts: Option<Vec<String>> = parts.iter().map(text).collect();
            texts.ok_or_else(|| wrong("only text can be sent to this model"))?.concat()
        }
        Some(_) => return Err(wrong("its `content` must be a text")),
    };
    let calls = item.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    Ok(Message {
        role,
        content,
        tool_calls: calls.map(call).collect(),
        tool_call_id: item.get("tool_call_id").and_then(Value::as_str).map(str::to_owned),
        opaque: item.get("opaque").and_then(|opaque| serde_json::from_value(opaque.clone()).ok()),
    })
}

fn call(call: &Value) -> ToolCall {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = serde_json::from_str(&text("/function/arguments")).ok();
    ToolCall { id: text("/id"), name: text("/function/name"), arguments, problem: None }
}

fn tool_choice(value: &Value) -> Option<ToolChoice> {
    match value.as_str() {
        Some("auto") => Some(ToolChoice::Auto),
        Some("required") => Some(ToolChoice::Required),
        Some("none") => Some(ToolChoice::None),
        Some(_) => None,
        None => Some(ToolChoice::Named(value.pointer("/function/name")?.as_str()?.to_owned())),
    }
}

fn schema(format: &Value) -> Option<Option<Value>> {
    match format.get("type").and_then(Value::as_str)? {
        "text" => Some(None),
        "json_object" => Some(Some(json!({ "type": "object" }))),
        "json_schema" => Some(Some(format.pointer("/json_schema/schema")?.clone())),
        _ => None,
    }
}

/// The reply as OpenAI's API has it.
pub fn write(reply: &ChatReply, model_id: &str) -> Value {
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments = call.arguments.as_ref().map_or("{}".to_owned(), Value::to_string);
        json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
    });
    let calls: Vec<Value> = calls.collect();
    let mut message = Map::from_iter([("role".to_owned(), json!("assistant"))]);
    let content =
        if reply.text.is_empty() && !calls.is_empty() { Value::Null } else { reply.text.as_str().into() };
    message.insert("content".to_owned(), content);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    if let Some(opaque) = &reply.opaque {
        message.insert("opaque".to_owned(), json!(opaque));
    }
    let finish = match reply.ending {
        Ending::Done | Ending::Pause => "stop",
        Ending::Tool => "tool_calls",
        Ending::Length | Ending::Overflow => "length",
        Ending::Refusal => "content_filter",
    };
    json!({
        "object": "chat.completion",
        "model": model_id,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": usage(&reply.usage),
    })
}

fn usage(usage: &Usage) -> Value {
    let prompt = usage.total().saturating_sub(usage.output);
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
        "prompt_tokens_details": { "cached_tokens": usage.cached },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Protocol;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_request_is_sent_as_it_is_but_for_what_the_model_does_not_take() {
        let profile = Profile {
            token_limit: TokenLimit::MaxCompletionTokens,
            sampling: false,
            ..Profile::usual(Protocol::ChatCompletions)
        };
        let given = json!({ "messages": [{ "content": "Hi", "opaque": {} }], "max_tokens": 5, "temperature": 0, "seed": 1 });
        let mut request = object(&given);
        let notes = adapt(&mut request, &profile);
        let sent = json!({ "messages": [{ "content": "Hi" }], "seed": 1, "max_completion_tokens": 5 });
        assert_eq!(Value::Object(request), sent);
        let hidden = "hidden parts of a message were not sent: another model wrote them";
        assert_eq!(notes, ["`temperature` was not sent: the model does not take it", hidden]);
    }

    #[test]
    fn for_other_protocols_what_has_no_counterpart_is_refused() {
        let request = json!({
            "model": "m", "messages": [
                { "role": "developer", "content": "Be brief." },
                { "role": "user", "content": [{ "type": "text", "text": "Hi" }] },
                { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "function": { "name": "f", "arguments": "{\"a\":1}" } }] },
                { "role": "tool", "tool_call_id": "c", "content": "1" },
            ],
            "tools": [{ "type": "function", "function": { "name": "f" } }], "tool_choice": "auto", "n": 1, "stream": false,
            "response_format": { "type": "json_object" }, "max_tokens": 9, "temperature": 1, "reasoning_effort": "low",
        });
        let chat = read(object(&request)).unwrap();
        assert_eq!(chat.check(), Ok(()));
        assert_eq!(
            (chat.max_tokens, chat.effort, chat.schema),
            (Some(9), Some(Effort::Low), Some(json!({ "type": "object" })))
        );
        assert_eq!(chat.messages[2].tool_calls[0].arguments, Some(json!({ "a": 1 })));
        for (wrong, said) in [
            (json!({ "logprobs": true }), "`logprobs` has no counterpart"),
            (json!({ "n": 2 }), "`n` has no counterpart"),
            (json!({ "max_tokens": -1 }), "`max_tokens` cannot be -1"),
            (json!({ "messages": [{ "role": "user", "content": [{ "type": "image_url" }] }] }), "only text"),
        ] {
            let error = read(object(&wrong)).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
