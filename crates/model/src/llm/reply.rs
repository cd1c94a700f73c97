//! What a model answered, in the neutral form.

use serde_json::{Map, Value, json};

use super::price::{Price, Usage};
use super::request::{Message, Opaque, Speaker, ToolCall};
use super::words::words;

words! {
    /// Why a model stopped.
    Ending, "ending":
    /// It has said what it had to say.
    Done = "done",
    /// It waits for results of tools.
    Tool = "tool",
    /// The limit of tokens was reached.
    Length = "length",
    /// It, or its server, declines.
    Refusal = "refusal",
    /// It wants to go on: send its message back without another.
    Pause = "pause",
    /// The conversation is longer than it can read.
    Overflow = "overflow",
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub ending: Ending,
    pub opaque: Option<Opaque>,
    pub usage: Usage,
    /// The text as JSON, if a schema was asked for.
    pub value: Option<Value>,
    /// What is wrong with the reply, in words for the model: it was to be JSON and is not.
    pub problem: Option<String>,
    /// What whoever asked should know: parameters that were not sent, and what is estimated.
    pub notes: Vec<String>,
}

impl ChatReply {
    /// A conversation that the server refuses because it is too long.
    pub fn overflow(said: &str) -> ChatReply {
        ChatReply {
            text: String::new(),
            tool_calls: Vec::new(),
            ending: Ending::Overflow,
            opaque: None,
            usage: Usage::default(),
            value: None,
            problem: None,
            notes: vec![format!(
                "the conversation is too long for the model; leave out older messages; its server says: {said}"
            )],
        }
    }

    /// What is appended to the messages for the next turn.
    pub fn message(&self) -> Message {
        Message {
            role: Speaker::Assistant,
            content: self.text.clone(),
            tool_calls: self.tool_calls.clone(),
            tool_call_id: None,
            opaque: self.opaque.clone(),
        }
    }

    /// As `model.chat` answers it.
    pub fn into_json(self, model: &str, price: &Price) -> Value {
        let mut fields = Map::new();
        let message = json!(self.message());
        fields.insert("text".to_owned(), self.text.into());
        fields.insert("tool_calls".to_owned(), json!(self.tool_calls));
        fields.insert("ending".to_owned(), json!(self.ending));
        fields.insert("message".to_owned(), message);
        if let Some(value) = self.value {
            fields.insert("value".to_owned(), value);
        }
        if let Some(problem) = self.problem {
            fields.insert("problem".to_owned(), problem.into());
        }
        fields.insert("usage".to_owned(), usage_json(&self.usage, price));
        fields.insert("model".to_owned(), model.into());
        fields.insert("notes".to_owned(), json!(self.notes));
        Value::Object(fields)
    }
}

/// Tokens, and what they cost in micro-dollars. What was written to a cache is part of the input.
pub fn usage_json(usage: &Usage, price: &Price) -> Value {
    let input = usage.input.saturating_add(usage.written);
    json!({ "input": input, "cached": usage.cached, "output": usage.output, "cost": price.cost(usage) })
}
