//! Why a language model gave no answer, and what to do about it.

use model::llm::LlmName;
use model::llm::choice::ChoiceError;
use model::llm::complaint::{Complaint, ComplaintKind};
use model::llm::request::RequestError;
use model::llm::wire::ReplyError;
use thiserror::Error;

use crate::http_client::HttpError;

#[derive(Debug, Error)]
pub enum ModelError {
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error("{0}")]
    Request(#[from] RequestError),
    #[error(
        "the key of model `{name}` is the secret `{secret}`, which is not set; `selfmade secret set {secret}` sets it"
    )]
    NoSecret { name: LlmName, secret: String },
    #[error(
        "the key of model `{name}` is the variable `{variable}`, which the server does not have; set it and start the server again"
    )]
    NoVariable { name: LlmName, variable: String },
    #[error(
        "the secret `{secret}` is sealed for other hosts than that of model `{name}`; seal it for `{host}` too"
    )]
    SealedForOthers { name: LlmName, secret: String, host: String },
    #[error("the key of model `{name}` cannot be sent in a header; store it again, on one line")]
    Key { name: LlmName },
    #[error(
        "model `{name}` speaks `{protocol}`, which has no embeddings; give the role `embed` to another model"
    )]
    NoEmbeddings { name: LlmName, protocol: &'static str },
    #[error("`{url}` is not the URL of a server; write it as `http://127.0.0.1:11434/v1`")]
    Url { url: String },
    #[error("model `{name}` did not answer: {}; is its server running?", .source.in_full())]
    Http { name: LlmName, source: HttpError },
    #[error("model `{name}` did not answer: `{url}` refused with {status}: {}; {}", .complaint.said, .complaint.advice(.name.as_str()))]
    Refused { name: LlmName, url: String, status: u16, complaint: Complaint },
    #[error(
        "model `{name}` is asked too often, and wants to be left alone for {seconds} s; ask later, or use another model"
    )]
    Later { name: LlmName, seconds: u64 },
    #[error(
        "model `{name}` did not answer: the response of `{url}` is not JSON ({problem}); check that its URL is that of an API"
    )]
    NotJson { name: LlmName, url: String, problem: String },
    #[error("model `{name}` did not answer: {source}; check that `{url}` speaks `{protocol}`")]
    Reply { name: LlmName, url: String, protocol: &'static str, source: ReplyError },
}

impl ModelError {
    /// What the server said of the request, if it said anything.
    pub(crate) fn complaint(&self) -> Option<&Complaint> {
        match self {
            ModelError::Refused { complaint, .. }
            | ModelError::Reply { source: ReplyError::Complaint(complaint), .. } => Some(complaint),
            _ => None,
        }
    }

    /// Whether it is about a field of the request, so that a request without it may be answered.
    pub(crate) fn is_about_parameter(&self) -> bool {
        self.complaint().is_some_and(|complaint| complaint.kind == ComplaintKind::Parameter)
    }

    pub(crate) fn is_overflow(&self) -> bool {
        self.complaint().is_some_and(|complaint| complaint.kind == ComplaintKind::Overflow)
    }

    /// Whether the request is at fault, or what is stored of the model.
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            ModelError::Http { .. }
                | ModelError::Refused { .. }
                | ModelError::Later { .. }
                | ModelError::NotJson { .. }
                | ModelError::Reply { .. }
        )
    }
}
