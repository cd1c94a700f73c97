//! What a scripted model answers, written in each of the three wire formats, as a whole and as a stream: the other side of `wire`.

use serde_json::{Value, json};

use super::price::Usage;
use super::profile::Protocol;
use super::reply::Ending;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedReply {
    pub text: String,
    pub calls: Vec<ScriptedCall>,
    /// Told by the text and the calls if absent.
    pub ending: Option<Ending>,
    pub usage: Usage,
    /// Hidden thought, with a signature that has to come back.
    pub thought: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedCall {
    pub id: String,
    pub name: String,
    /// JSON, or what a model that is confused writes instead.
    pub arguments: String,
}

impl ScriptedReply {
    pub fn text(text: &str) -> ScriptedReply {
        let usage = Usage { input: 10, output: 1 + text.len() as u64 / 4, ..Usage::default() };
        ScriptedReply { text: text.to_owned(), usage, ..ScriptedReply::default() }
    }

    pub fn call(id: &str, name: &str, arguments: &str) -> ScriptedReply {
        let call = ScriptedCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        ScriptedReply { calls: vec![call], ..ScriptedReply::text("") }
    }

    fn ending(&self) -> Ending {
        self.ending.unwrap_or(if self.calls.is_empty() { Ending::Done } else { Ending::Tool })
    }
}

/// The signature of a thought: no text that anything would take for JSON or change.
pub fn signature(thought: &str) -> String {
    let sum = thought.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    format!("sig+/{sum:016x}==")
}

/// The reply as a whole.
pub fn whole(protocol: Protocol, reply: &ScriptedReply, model_id: &str) -> Value {
    match protocol {
        Protocol::ChatCompletions => chat_completion(reply, model_id),
        Protocol::Responses => response(reply, model_id),
        Protocol::Messages => message(reply, model_id),
    }
}

fn chat_completion(reply: &ScriptedReply, model_id: &str) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if let Some(thought) = &reply.thought {
        let signature = signature(thought);
        message["reasoning_details"] =
            json!([{ "type": "reasoning.text", "text": thought, "signature": signature }]);
    }
    if !reply.calls.is_empty() {
        let call = |call: &ScriptedCall| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        };
        message["tool_calls"] = reply.calls.iter().map(call).collect();
    }
    let finish = match reply.ending() {
        Ending::Done | Ending::Pause => "stop",
        Ending::Tool => "tool_calls",
        Ending::Length | Ending::Overflow => "length",
        Ending::Refusal => "content_filter",
    };
    let Usage { input, cached, written, output, .. } = reply.usage;
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": model_id,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": {
            "prompt_tokens": input + cached + written, "completion_tokens": output,
            "prompt_tokens_details": { "cached_tokens": cached },
        },
    })
}

fn response(reply: &ScriptedReply, model_id: &str) -> Value {
    let mut items = Vec::new();
    if let Some(thought) = &reply.thought {
        items.push(json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": signature(thought) }));
    }
    if !reply.text.is_empty() || reply.calls.is_empty() {
        let part = match reply.ending() {
            Ending::Refusal => json!({ "type": "refusal", "refusal": reply.text }),
            _ => json!({ "type": "output_text", "text": reply.text, "annotations": [] }),
        };
        items.push(json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": [part] }));
    }
    items.extend(reply.calls.iter().map(|call| {
        json!({ "type": "function_call", "id": "fc_1", "call_id": call.id, "name": call.name, "arguments": call.arguments })
    }));
    let is_cut = matches!(reply.ending(), Ending::Length | Ending::Overflow);
    let Usage { input, cached, written, output, .. } = reply.usage;
    json!({
        "id": "resp_1", "object": "response", "model": model_id,
        "status": if is_cut { "incomplete" } else { "completed" },
        "incomplete_details": if is_cut { json!({ "reason": "max_output_tokens" }) } else { Value::Null },
        "output": items,
        "usage": {
            "input_tokens": input + cached + written, "output_tokens": output,
            "input_tokens_details": { "cached_tokens": cached },
        },
    })
}

fn message(reply: &ScriptedReply, model_id: &str) -> Value {
    let mut blocks = Vec::new();
    if let Some(thought) = &reply.thought {
        blocks.push(json!({ "type": "thinking", "thinking": thought, "signature": signature(thought) }));
    }
    if !reply.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": reply.text }));
    }
    blocks.extend(reply.calls.iter().map(|call| {
        let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| call.arguments.as_str().into());
        json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": Value::clone(&input) })
    }));
    let reason = match reply.ending() {
        Ending::Done => "end_turn",
        Ending::Tool => "tool_use",
        Ending::Length => "max_tokens",
        Ending::Refusal => "refusal",
        Ending::Pause => "pause_turn",
        Ending::Overflow => "model_context_window_exceeded",
    };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model_id, "content": blocks, "stop_reason": reason,
        "usage": {
            "input_tokens": reply.usage.input, "cache_read_input_tokens": reply.usage.cached,
            "cache_creation_input_tokens": reply.usage.written, "output_tokens": reply.usage.output,
        },
    })
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedEvent {
    /// Its type, where the format names one.
    pub event: Option<String>,
    pub data: String,
}

/// The same reply as a stream whose texts come in pieces of so many characters.
pub fn events(protocol: Protocol, whole: &Value, piece: usize) -> Vec<StreamedEvent> {
    match protocol {
        Protocol::ChatCompletions => chunks(whole, piece),
        Protocol::Responses => response_events(whole, piece),
        Protocol::Messages => message_events(whole, piece),
    }
}

fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn chunks(whole: &Value, piece: usize) -> Vec<StreamedEvent> {
    let chunk = |delta: Value, finish: &Value| json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let message = &whole["choices"][0]["message"];
    let mut chunks = vec![chunk(json!({ "role": "assistant", "content": "" }), &Value::Null)];
    let mut add = |delta: Value| chunks.push(chunk(delta, &Value::Null));
    if let Some(details) = message.get("reasoning_details") {
        add(json!({ "reasoning_details": details }));
    }
    pieces(text(&message["content"]), piece).into_iter().for_each(|text| add(json!({ "content": text })));
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let function = json!({ "name": call["function"]["name"], "arguments": "" });
        add(
            json!({ "tool_calls": [{ "index": index, "id": call["id"], "type": "function", "function": function }] }),
        );
        for text in pieces(text(&call["function"]["arguments"]), piece) {
            add(json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] }));
        }
    }
    chunks.push(chunk(json!({}), &whole["choices"][0]["finish_reason"]));
    chunks.push(json!({ "object": "chat.completion.chunk", "choices": [], "usage": whole["usage"] }));
    let event = |data: String| StreamedEvent { event: None, data };
    let mut events: Vec<StreamedEvent> = chunks.iter().map(|chunk| event(chunk.to_string())).collect();
    events.push(event("[DONE]".to_owned()));
    events
}

fn named(data: &Value) -> StreamedEvent {
    StreamedEvent { event: data["type"].as_str().map(str::to_owned), data: data.to_string() }
}

fn response_events(whole: &Value, piece: usize) -> Vec<StreamedEvent> {
    let mut events =
        vec![named(&json!({ "type": "response.created", "response": { "id": "resp_1", "output": [] } }))];
    for (index, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
        if item["type"] == "message" {
            for text in pieces(text(&item["content"][0]["text"]), piece) {
                events.push(named(
                    &json!({ "type": "response.output_text.delta", "output_index": index, "delta": text }),
                ));
            }
        }
        events.push(named(
            &json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
        ));
    }
    let last = if whole["status"] == "incomplete" { "response.incomplete" } else { "response.completed" };
    events.push(named(&json!({ "type": last, "response": whole })));
    events
}

fn message_events(whole: &Value, piece: usize) -> Vec<StreamedEvent> {
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = 1.into();
    let mut events =
        vec![named(&json!({ "type": "message_start", "message": start })), named(&json!({ "type": "ping" }))];
    for (index, block) in whole["content"].as_array().into_iter().flatten().enumerate() {
        let delta =
            |delta: Value| named(&json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        let (empty, deltas): (Value, Vec<Value>) = match text(&block["type"]) {
            "text" => {
                let texts = pieces(text(&block["text"]), piece);
                let deltas = texts.iter().map(|text| json!({ "type": "text_delta", "text": text }));
                (json!({ "type": "text", "text": "" }), deltas.collect())
            }
            "tool_use" => {
                let input = block["input"].as_str().map_or_else(|| block["input"].to_string(), str::to_owned);
                let texts = pieces(&input, piece);
                let deltas =
                    texts.iter().map(|text| json!({ "type": "input_json_delta", "partial_json": text }));
                (
                    json!({ "type": "tool_use", "id": block["id"], "name": block["name"], "input": {} }),
                    deltas.collect(),
                )
            }
            _ => {
                let mut deltas: Vec<Value> = pieces(text(&block["thinking"]), piece)
                    .iter()
                    .map(|text| json!({ "type": "thinking_delta", "thinking": text }))
                    .collect();
                deltas.push(json!({ "type": "signature_delta", "signature": block["signature"] }));
                (json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas)
            }
        };
        events.push(named(&json!({ "type": "content_block_start", "index": index, "content_block": empty })));
        events.extend(deltas.into_iter().map(delta));
        events.push(named(&json!({ "type": "content_block_stop", "index": index })));
    }
    let usage = json!({ "output_tokens": whole["usage"]["output_tokens"] });
    let delta = json!({ "stop_reason": whole["stop_reason"] });
    events.push(named(&json!({ "type": "message_delta", "delta": delta, "usage": usage })));
    events.push(named(&json!({ "type": "message_stop" })));
    events
}
