//! What a model's server takes: probed once and stored, because servers of one wire format differ, and some drop silently what they
//! do not know.

use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// The wire format that a model's server speaks.
    Protocol, "protocol":
    /// OpenAI's chat completions, which most servers speak.
    ChatCompletions = "chat_completions",
    /// OpenAI's Responses, used without state on the server.
    Responses = "responses",
    /// Anthropic's messages.
    Messages = "messages",
}

words! {
    /// The field that limits the tokens of a reply.
    TokenLimit, "token limit":
    MaxTokens = "max_tokens",
    MaxCompletionTokens = "max_completion_tokens",
    MaxOutputTokens = "max_output_tokens",
    NotTaken = "none",
}

words! {
    /// How a model is told how hard to think.
    Reasoning, "way of reasoning":
    NotTaken = "none",
    /// One word: `reasoning_effort`, or `reasoning.effort` in Responses.
    Effort = "effort",
    /// Anthropic's `thinking: {type: adaptive}` with `output_config.effort`.
    Adaptive = "adaptive",
}

words! {
    /// How a model calls tools.
    ToolMode, "tool mode":
    /// The wire format's own tools.
    Native = "native",
    /// A JSON object that the server constrains to a schema.
    Schema = "schema",
    /// A fenced block of JSON in the text.
    Fenced = "fenced",
}

words! {
    /// How a reply is made to match a JSON Schema.
    SchemaMode, "schema mode":
    /// The server constrains it.
    Native = "native",
    /// The prompt asks for it.
    Prompt = "prompt",
}

words! {
    /// How a server is told to cache the beginning of a prompt.
    CacheMode, "cache mode":
    /// It does so by itself, or not at all.
    Automatic = "automatic",
    /// `cache_control: {type: ephemeral}`.
    Ephemeral = "ephemeral",
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub token_limit: TokenLimit,
    /// Whether `temperature` is taken.
    pub sampling: bool,
    pub reasoning: Reasoning,
    pub tools: ToolMode,
    pub schema: SchemaMode,
    pub cache: CacheMode,
    /// Whether replies can be streamed.
    pub streams: bool,
}

impl Profile {
    /// What is assumed of a model that was not probed.
    pub fn usual(protocol: Protocol) -> Profile {
        let common = Profile {
            token_limit: TokenLimit::MaxTokens,
            sampling: true,
            reasoning: Reasoning::NotTaken,
            tools: ToolMode::Native,
            schema: SchemaMode::Native,
            cache: CacheMode::Automatic,
            streams: true,
        };
        match protocol {
            Protocol::ChatCompletions => common,
            Protocol::Responses => Profile { token_limit: TokenLimit::MaxOutputTokens, ..common },
            Protocol::Messages => Profile { cache: CacheMode::Ephemeral, ..common },
        }
    }
}

impl Protocol {
    /// Where replies are asked for, below the base URL.
    pub fn chat_path(self) -> &'static str {
        match self {
            Protocol::ChatCompletions => "chat/completions",
            Protocol::Responses => "responses",
            Protocol::Messages => "messages",
        }
    }

    /// Where embeddings are asked for, if there are any.
    pub fn embeddings_path(self) -> Option<&'static str> {
        (self != Protocol::Messages).then_some("embeddings")
    }

    /// What the server at a base URL most likely speaks.
    pub fn likely(base_url: &str) -> Protocol {
        let host =
            base_url.split("://").nth(1).unwrap_or(base_url).split(['/', ':']).next().unwrap_or_default();
        match host {
            "api.anthropic.com" => Protocol::Messages,
            "api.openai.com" => Protocol::Responses,
            _ => Protocol::ChatCompletions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written_and_others_are_told_which_there_are() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.as_str().parse(), Ok(*protocol));
            assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.as_str());
        }
        assert_eq!(
            "openai".parse::<Protocol>().unwrap_err(),
            "unknown protocol `openai`; use one of `chat_completions`, `responses`, `messages`"
        );
    }

    #[test]
    fn the_protocol_of_a_known_host_is_guessed() {
        assert_eq!(Protocol::likely("https://api.anthropic.com/v1"), Protocol::Messages);
        assert_eq!(Protocol::likely("https://api.openai.com/v1"), Protocol::Responses);
        assert_eq!(Protocol::likely("http://127.0.0.1:11434/v1"), Protocol::ChatCompletions);
    }
}
