//! Streams: events are folded into the reply that the server would have sent as a whole, so a streamed reply is read as any other.

use serde_json::{Map, Value, json};

use super::ReplyError;
use crate::llm::complaint::Complaint;
use crate::llm::profile::Protocol;

/// What has come so far.
#[derive(Clone, Debug)]
pub struct Fold {
    protocol: Protocol,
    /// The reply as a whole, as far as it is known.
    whole: Map<String, Value>,
    message: Map<String, Value>,
    /// Calls of chat completions, blocks of messages, items of responses.
    parts: Vec<Value>,
    is_complete: bool,
}

impl Fold {
    pub fn new(protocol: Protocol) -> Fold {
        Fold { protocol, whole: Map::new(), message: Map::new(), parts: Vec::new(), is_complete: false }
    }

    /// Takes the data of the next event; returns the text that it adds.
    pub fn push(&mut self, data: &str) -> Result<String, ReplyError> {
        if data.trim() == "[DONE]" {
            self.is_complete |= self.protocol == Protocol::ChatCompletions;
            return Ok(String::new());
        }
        let Ok(event) = serde_json::from_str::<Value>(data) else {
            return Err(ReplyError::Without("JSON in one of its events"));
        };
        match self.protocol {
            Protocol::ChatCompletions => self.chunk(event),
            Protocol::Responses => self.response_event(event),
            Protocol::Messages => self.message_event(event),
        }
    }

    /// The reply as a whole.
    pub fn finish(mut self) -> Result<Value, ReplyError> {
        if !self.is_complete {
            return Err(ReplyError::Cut);
        }
        match self.protocol {
            Protocol::ChatCompletions => {
                if !self.parts.is_empty() {
                    self.message.insert("tool_calls".to_owned(), Value::Array(self.parts));
                }
                let finish = self.whole.shift_remove("finish_reason").unwrap_or_default();
                self.whole.insert(
                    "choices".to_owned(),
                    json!([{ "message": self.message, "finish_reason": finish }]),
                );
            }
            Protocol::Responses => {
                let is_empty = self.whole.get("output").and_then(Value::as_array).is_none_or(Vec::is_empty);
                if is_empty {
                    self.whole.insert("output".to_owned(), Value::Array(self.parts));
                }
            }
            Protocol::Messages => {
                self.parts.iter_mut().for_each(close);
                self.whole.insert("content".to_owned(), Value::Array(self.parts));
            }
        }
        Ok(Value::Object(self.whole))
    }

    fn chunk(&mut self, mut event: Value) -> Result<String, ReplyError> {
        refuse_error(&event)?;
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            self.whole.insert("usage".to_owned(), usage.clone());
        }
        // Only one reply is asked for.
        let Some(choice) = event.pointer_mut("/choices/0") else { return Ok(String::new()) };
        if let Some(reason) = choice.get("finish_reason").filter(|reason| reason.is_string()) {
            self.whole.insert("finish_reason".to_owned(), reason.clone());
            self.is_complete = true;
        }
        let Some(Value::Object(delta)) = choice.get_mut("delta").map(Value::take) else {
            return Ok(String::new());
        };
        let text = delta.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (key, value) in delta {
            match (key.as_str(), value) {
                (_, Value::Null) => {}
                ("tool_calls", Value::Array(calls)) => calls.into_iter().for_each(|call| self.call(call)),
                ("role", role) => drop(self.message.insert("role".to_owned(), role)),
                (_, value) => add(self.message.entry(key).or_insert(Value::Null), value),
            }
        }
        Ok(text)
    }

    /// Servers that send whole calls give several of them one index, or none.
    fn call(&mut self, mut call: Value) {
        let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        let index = call.get("index").and_then(Value::as_u64);
        let fits = |part: &Value| match (&id, part.get("id").and_then(Value::as_str)) {
            (Some(new), Some(old)) => new == old,
            _ => true,
        };
        let place = match index {
            Some(index) => self.parts.iter().rposition(|part| part["index"] == index && fits(part)),
            None if id.is_none() => self.parts.len().checked_sub(1),
            None => self.parts.iter().rposition(|part| part.get("id").is_some() && fits(part)),
        };
        let Some(place) = place else {
            self.parts.push(call);
            return;
        };
        let part = &mut self.parts[place];
        if let Some(more) = call.pointer("/function/arguments").and_then(Value::as_str) {
            add(&mut part["function"]["arguments"], more.into());
        }
        if let Some(name) = call.pointer("/function/name").and_then(Value::as_str)
            && part["function"]["name"].as_str().unwrap_or_default().is_empty()
        {
            part["function"]["name"] = name.into();
        }
        for (key, value) in call.as_object_mut().into_iter().flatten() {
            let is_known = matches!(key.as_str(), "function" | "index" | "type");
            if !is_known && !value.is_null() && part.get(key).is_none_or(Value::is_null) {
                part[key.as_str()] = value.take();
            }
        }
    }

    fn response_event(&mut self, mut event: Value) -> Result<String, ReplyError> {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        match kind.as_str() {
            "response.output_text.delta" => return Ok(super::decoded::text_of(&event, "delta")),
            "response.output_item.done" => self.parts.extend(event.get_mut("item").map(Value::take)),
            "response.completed" | "response.incomplete" => {
                if let Some(Value::Object(whole)) = event.get_mut("response").map(Value::take) {
                    self.whole = whole;
                }
                self.is_complete = true;
            }
            "response.failed" => {
                return Err(ReplyError::Complaint(Complaint::in_stream(&event["response"])));
            }
            "error" => return Err(ReplyError::Complaint(Complaint::in_stream(&event))),
            _ => {}
        }
        Ok(String::new())
    }

    fn message_event(&mut self, mut event: Value) -> Result<String, ReplyError> {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let index = event.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        match kind.as_str() {
            "message_start" => {
                if let Some(Value::Object(message)) = event.get_mut("message").map(Value::take) {
                    self.whole = message;
                }
            }
            "content_block_start" => self.parts.extend(event.get_mut("content_block").map(Value::take)),
            "content_block_delta" => {
                let Some(block) = index.and_then(|index| self.parts.get_mut(index)) else {
                    return Err(ReplyError::Without("beginning of one of its blocks"));
                };
                return Ok(block_delta(block, &event["delta"]));
            }
            "message_delta" => {
                for (key, value) in
                    event.get_mut("delta").and_then(Value::as_object_mut).into_iter().flatten()
                {
                    self.whole.insert(key.clone(), value.take());
                }
                let usage = self.whole.entry("usage").or_insert_with(|| json!({}));
                for (key, value) in
                    event.get_mut("usage").and_then(Value::as_object_mut).into_iter().flatten()
                {
                    if !value.is_null() {
                        usage[key.as_str()] = value.take();
                    }
                }
            }
            "message_stop" => self.is_complete = true,
            "error" => refuse_error(&event)?,
            _ => {}
        }
        Ok(String::new())
    }
}

fn refuse_error(event: &Value) -> Result<(), ReplyError> {
    match event.get("error") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(ReplyError::Complaint(Complaint::in_stream(event))),
    }
}

/// Texts and lists grow; anything else is replaced.
fn add(known: &mut Value, more: Value) {
    match (known, more) {
        (Value::String(text), Value::String(more)) => text.push_str(&more),
        (Value::Array(items), Value::Array(more)) => items.extend(more),
        (known, more) => *known = more,
    }
}

/// Where the pieces of an input are until the block ends.
const PIECES: &str = "input_json";

/// Returns the text that is added.
fn block_delta(block: &mut Value, delta: &Value) -> String {
    let text = |key: &str| super::decoded::text_of(delta, key);
    match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text_delta" => {
            add(&mut block["text"], text("text").into());
            return text("text");
        }
        "input_json_delta" => add(&mut block[PIECES], text("partial_json").into()),
        "thinking_delta" => add(&mut block["thinking"], text("thinking").into()),
        "signature_delta" => add(&mut block["signature"], text("signature").into()),
        "citations_delta" => add(&mut block["citations"], json!([delta["citation"]])),
        _ => {}
    }
    String::new()
}

/// The pieces of an input as what they mean, or as the text they are.
fn close(block: &mut Value) {
    let Some(pieces) = block.as_object_mut().and_then(|block| block.shift_remove(PIECES)) else { return };
    let text = pieces.as_str().unwrap_or_default();
    if !text.trim().is_empty() {
        block["input"] = serde_json::from_str(text).unwrap_or_else(|_| text.into());
    }
}
