//! The three wire formats: a neutral request becomes a body, a reply or a stream of events becomes a neutral reply.
//!
//! A body states parameters first, then tools, then system, then messages, so that the body of the next turn begins with the bytes of
//! this one as far as the messages go: servers cache by such beginnings. Nothing in it depends on time or chance.

mod chat_completions;
mod decoded;
mod emulation;
mod fold;
mod messages;
mod parameters;
mod responses;
mod turns;

use serde_json::Value;
use thiserror::Error;

use super::complaint::Complaint;
use super::price::Usage;
use super::profile::{Profile, Protocol, ToolMode};
use super::reply::ChatReply;
use super::request::{ChatRequest, RequestError};

pub use self::fold::Fold;

/// Whom a request is for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub protocol: Protocol,
    pub model_id: &'a str,
    pub profile: &'a Profile,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    pub body: Value,
    /// What was asked for and is not in the body as it was.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    #[error("the reply has no {0}")]
    Without(&'static str),
    #[error("the reply was cut off before its end")]
    Cut,
    #[error("{}", .0.said)]
    Complaint(Complaint),
}

/// The body of a request.
pub fn encode(target: &Target<'_>, request: &ChatRequest) -> Result<Encoded, RequestError> {
    request.check()?;
    let mut notes = Vec::new();
    let shaped = emulation::shaped(target.profile, request);
    let turns = turns::of(target, &shaped, &mut notes);
    let parameters = parameters::fit(target, &shaped, &mut notes);
    let body = match target.protocol {
        Protocol::ChatCompletions => chat_completions::body(target, &shaped, &turns, &parameters),
        Protocol::Responses => responses::body(target, &shaped, &turns, &parameters),
        Protocol::Messages => messages::body(target, &shaped, &turns, &parameters),
    };
    Ok(Encoded { body, notes })
}

/// The reply to such a request, as a whole.
pub fn read(target: &Target<'_>, request: &ChatRequest, whole: &Value) -> Result<ChatReply, ReplyError> {
    if let Some(error) = whole.get("error").filter(|error| !error.is_null()) {
        return Err(ReplyError::Complaint(Complaint::in_stream(&serde_json::json!({ "error": error }))));
    }
    let decoded = match target.protocol {
        Protocol::ChatCompletions => chat_completions::decoded(whole),
        Protocol::Responses => responses::decoded(whole),
        Protocol::Messages => messages::decoded(whole),
    }?;
    Ok(decoded::reply(target, request, decoded))
}

/// The tokens that a reply says it took.
pub fn usage(protocol: Protocol, whole: &Value) -> Option<Usage> {
    let usage = whole.get("usage")?;
    match protocol {
        Protocol::ChatCompletions => chat_completions::usage(usage),
        Protocol::Responses => responses::usage(usage),
        Protocol::Messages => messages::usage(usage),
    }
}

/// Who wrote the opaque parts of a message.
fn author(target: &Target<'_>) -> String {
    format!("{}:{}", target.protocol, target.model_id)
}

/// How tools are really called: the server that constrains nothing cannot be told to constrain calls.
fn tool_mode(profile: &Profile) -> ToolMode {
    match (profile.tools, profile.schema) {
        (ToolMode::Schema, super::SchemaMode::Prompt) => ToolMode::Fenced,
        (mode, _) => mode,
    }
}

#[cfg(test)]
mod tests;
