//! Language models: how each is reached and what it takes, and the translation between one neutral form of requests and replies and
//! the three wire formats in use. All of it is functions of JSON; what sends and streams is `server/llm`.
//!
//! The module is named `llm` because `model` is this crate; users say "model".

pub mod choice;
pub mod complaint;
pub mod name;
pub mod openai;
pub mod price;
pub mod probe;
pub mod profile;
pub mod reply;
pub mod request;
pub mod stored;

mod words;

pub mod wire;

#[cfg(any(test, feature = "testing"))]
pub mod scripted;

pub use self::name::LlmName;
pub use self::price::{Price, Usage};
pub use self::profile::{CacheMode, Profile, Protocol, Reasoning, SchemaMode, TokenLimit, ToolMode};
pub use self::reply::{ChatReply, Ending};
pub use self::request::{
    ChatRequest, Effort, Message, Opaque, RequestError, Speaker, Tool, ToolCall, ToolChoice,
};
pub use self::stored::{KeySource, Llm, Role};
