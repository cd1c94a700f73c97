//! One attempt of an exchange: what is sent, and what came back.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::{Request, StatusCode, header};
use model::llm::complaint::{Complaint, ComplaintKind};
use model::llm::wire::{Fold, ReplyError};
use model::llm::{Llm, Protocol};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::Value;

use super::error::ModelError;
use super::exchange::Heard;
use crate::http_client::{HttpClient, HttpError, Limits, LineError, ResponseBody, SseReader, retry_after};

/// A model may think for minutes before its first byte.
const FIRST_BYTE: Duration = Duration::from_secs(600);
/// Between two pieces of a stream.
const IDLE: Duration = Duration::from_secs(300);
/// An answer is text.
const ANSWER_BYTES: u64 = 16 << 20;
/// A stream says the same in many small events.
const STREAM_BYTES: u64 = 256 << 20;
/// The first pause before another attempt; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);
/// A server that wants to be left alone for longer is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const ATTEMPTS: u32 = 4;
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// What came back.
pub(super) struct Answered {
    pub(super) whole: Value,
    pub(super) is_streamed: bool,
}

pub(super) enum Failure {
    Http(HttpError),
    Refused { status: StatusCode, complaint: Complaint, wait: Option<Duration> },
    NotJson(serde_json::Error),
    Reply(ReplyError),
    Key,
    Url,
}

pub(super) struct Attempt<'a> {
    pub(super) client: &'a HttpClient,
    pub(super) model: &'a Llm,
    pub(super) key: Option<&'a SecretBox<Vec<u8>>>,
    pub(super) url: &'a str,
    pub(super) body: &'a str,
    pub(super) is_stream: bool,
    pub(super) heard: Heard<'a>,
}

impl Attempt<'_> {
    pub(super) async fn make(&self) -> Result<Answered, Failure> {
        let limits = match self.is_stream {
            true => Limits { first_byte: FIRST_BYTE, idle: IDLE, total: None, body_bytes: STREAM_BYTES },
            false => Limits::whole(FIRST_BYTE, ANSWER_BYTES),
        };
        let answer = self.client.send(self.request()?, limits).await.map_err(|error| match error {
            HttpError::InvalidUrl => Failure::Url,
            error => Failure::Http(error),
        })?;
        let (head, body) = answer.into_parts();
        if !head.status.is_success() {
            let body = body.collect().await.map_err(Failure::Http)?.to_bytes();
            let complaint = Complaint::of(head.status.as_u16(), &String::from_utf8_lossy(&body));
            return Err(Failure::Refused {
                status: head.status,
                complaint,
                wait: retry_after(&head.headers),
            });
        }
        let kind =
            head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if self.is_stream && kind.starts_with("text/event-stream") {
            let whole = self.read_stream(body).await?;
            return Ok(Answered { whole, is_streamed: true });
        }
        let body = body.collect().await.map_err(Failure::Http)?.to_bytes();
        let whole = serde_json::from_slice(&body).map_err(Failure::NotJson)?;
        Ok(Answered { whole, is_streamed: false })
    }

    fn request(&self) -> Result<Request<axum::body::Body>, Failure> {
        let mut request = Request::post(self.url).header(header::CONTENT_TYPE, "application/json");
        if self.model.protocol == Protocol::Messages {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        if let Some(key) = self.key {
            let key = key.expose_secret().trim_ascii();
            let (name, value) = match self.model.protocol {
                Protocol::Messages => ("x-api-key", key.to_vec()),
                _ => ("authorization", [b"Bearer ".as_slice(), key].concat()),
            };
            let mut value = header::HeaderValue::from_bytes(&value).map_err(|_| Failure::Key)?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request.body(self.body.to_owned().into()).map_err(|_| Failure::Url)
    }

    async fn read_stream(&self, body: ResponseBody) -> Result<Value, Failure> {
        let mut events = SseReader::new(body, ANSWER_BYTES as usize);
        let mut fold = Fold::new(self.model.protocol);
        loop {
            match events.next().await {
                Ok(Some(event)) => {
                    let text = fold.push(&event.data).map_err(Failure::Reply)?;
                    if !text.is_empty() {
                        (self.heard)(&text);
                    }
                }
                Ok(None) => return fold.finish().map_err(Failure::Reply),
                Err(LineError::Body(error)) => return Err(Failure::Http(error)),
                Err(LineError::TooLong { .. }) => {
                    return Err(Failure::Reply(ReplyError::Without("events of a usual length")));
                }
            }
        }
    }
}

impl Failure {
    /// How long to wait before the same is asked again; none if that would be no use. Whoever tests a model does not wait for a server
    /// that is not there.
    pub(super) fn pause(&self, attempts: u32, is_test: bool) -> Option<Duration> {
        let usual = PAUSE * 2_u32.pow(attempts.saturating_sub(1).min(10));
        let pause = match self {
            Failure::Refused { complaint, wait, .. } if complaint.is_passing() => wait.unwrap_or(usual),
            Failure::Reply(ReplyError::Cut) => usual,
            Failure::Reply(ReplyError::Complaint(complaint)) if complaint.is_passing() => usual,
            // One that says nothing for minutes will not do better at once.
            Failure::Http(HttpError::Connect { .. }) if is_test => return None,
            Failure::Http(
                HttpError::Connect { .. } | HttpError::Closed { .. } | HttpError::BrokenOff { .. },
            ) => usual,
            _ => return None,
        };
        (attempts < ATTEMPTS && pause <= LONGEST_PAUSE).then_some(pause)
    }

    /// Whether some of the answer may have been heard.
    pub(super) fn is_half_way(&self) -> bool {
        matches!(self, Failure::Reply(_) | Failure::Http(HttpError::BrokenOff { .. }))
    }

    pub(super) fn into_error(self, model: &Llm, url: &str) -> ModelError {
        let (name, url) = (model.name.clone(), url.to_owned());
        let protocol = model.protocol.as_str();
        match self {
            Failure::Http(source) => ModelError::Http { name, source },
            Failure::Refused { complaint, wait: Some(wait), .. }
                if complaint.kind == ComplaintKind::RateLimit && wait > LONGEST_PAUSE =>
            {
                ModelError::Later { name, seconds: wait.as_secs() }
            }
            Failure::Refused { status, complaint, .. } => {
                ModelError::Refused { name, url, status: status.as_u16(), complaint }
            }
            Failure::NotJson(problem) => ModelError::NotJson { name, url, problem: problem.to_string() },
            Failure::Reply(source) => ModelError::Reply { name, url, protocol, source },
            Failure::Key => ModelError::Key { name },
            Failure::Url => ModelError::Url { url },
        }
    }
}
