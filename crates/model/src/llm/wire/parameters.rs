//! The parameters of a request as a model takes them. What it does not take is said.

use serde_json::Value;

use super::Target;
use crate::llm::profile::{Protocol, Reasoning, SchemaMode, TokenLimit};
use crate::llm::request::{ChatRequest, Effort};

/// What Anthropic's messages need where nothing is said.
const USUAL_MAX_TOKENS: u32 = 8_192;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Parameters {
    pub(super) max_tokens: Option<(&'static str, u32)>,
    pub(super) temperature: Option<f64>,
    pub(super) effort: Option<Effort>,
    /// What the server constrains the reply to.
    pub(super) schema: Option<Value>,
}

pub(super) fn fit(target: &Target<'_>, request: &ChatRequest, notes: &mut Vec<String>) -> Parameters {
    let profile = target.profile;
    let mut unsent =
        |parameter: &str| notes.push(format!("`{parameter}` was not sent: the model does not take it"));
    let limit = match (request.max_tokens, profile.token_limit) {
        (Some(_), TokenLimit::NotTaken) => {
            unsent("max_tokens");
            None
        }
        (limit, _) => limit,
    };
    let limit = limit.or((target.protocol == Protocol::Messages).then_some(USUAL_MAX_TOKENS));
    let temperature = request.temperature.filter(|_| {
        if !profile.sampling {
            unsent("temperature");
        }
        profile.sampling
    });
    let effort = request.effort.filter(|_| {
        if profile.reasoning == Reasoning::NotTaken {
            unsent("effort");
        }
        profile.reasoning != Reasoning::NotTaken
    });
    let schema = request.schema.clone().filter(|_| profile.schema == SchemaMode::Native);
    Parameters { max_tokens: limit.map(|limit| (field(target), limit)), temperature, effort, schema }
}

/// Two of the formats have one name for it.
fn field(target: &Target<'_>) -> &'static str {
    match (target.protocol, target.profile.token_limit) {
        (Protocol::Responses, _) => TokenLimit::MaxOutputTokens.as_str(),
        (Protocol::ChatCompletions, TokenLimit::MaxCompletionTokens) => {
            TokenLimit::MaxCompletionTokens.as_str()
        }
        _ => TokenLimit::MaxTokens.as_str(),
    }
}
