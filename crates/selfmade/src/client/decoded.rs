//! Answers, read: what was asked for, or why it is not to be had.

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use http_body_util::BodyExt;
use model::changeset::Conflict;
use model::changeset::check::{Check, Finding};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use server::error::codes::Code;
use server::http::Cause;
use server::http_client::HttpError;

use super::Brain;
use crate::error::{Error, Refusal};

pub(super) async fn answer<T: DeserializeOwned>(brain: &Brain, response: Response<Body>) -> Result<T, Error> {
    let bytes = bytes(brain, success(brain, response).await?).await?;
    // An answer without a body says that it is done.
    let text = if bytes.is_empty() { b"null" } else { bytes.as_slice() };
    serde_json::from_slice(text).map_err(|source| not_understood(brain, source))
}

pub(super) async fn text(brain: &Brain, response: Response<Body>) -> Result<String, Error> {
    let bytes = bytes(brain, success(brain, response).await?).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The answer, if it is one to what was asked.
pub(super) async fn success(brain: &Brain, response: Response<Body>) -> Result<Response<Body>, Error> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    if status.is_redirection()
        && let Some(to) = response.headers().get(header::LOCATION)
    {
        return Err(Error::Redirected {
            server: name(brain),
            to: String::from_utf8_lossy(to.as_bytes()).into(),
        });
    }
    // From within comes the error itself, with all that caused it.
    if let Some(Cause(error)) = response.extensions().get() {
        return Err(Error::App(error.clone()));
    }
    let bytes = bytes(brain, response).await?;
    Err(refusal(brain, status, &bytes))
}

async fn bytes(brain: &Brain, response: Response<Body>) -> Result<Vec<u8>, Error> {
    match response.into_body().collect().await {
        Ok(collected) => Ok(collected.to_bytes().to_vec()),
        Err(source) => Err(broken_off(brain, source)),
    }
}

pub(super) fn broken_off(brain: &Brain, source: axum::Error) -> Error {
    let source = source.into_inner();
    match (brain, source.downcast::<HttpError>()) {
        (Brain::Remote(remote), Ok(error)) => remote.failed(*error),
        (Brain::Local(_), Ok(error)) => unreadable(brain, *error),
        (_, Err(source)) => Error::BrokenOff { server: name(brain), source },
    }
}

pub(super) fn unreadable(brain: &Brain, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::BrokenOff { server: name(brain), source: Box::new(error) }
}

impl Brain {
    /// An answer that should have gone on.
    pub(crate) fn broke_off(&self) -> Error {
        Error::BrokenOff { server: name(self), source: "it ended before the work was done".into() }
    }
}

/// What every refusal looks like.
#[derive(Deserialize)]
struct Problem {
    error: Detail,
}

#[derive(Deserialize)]
struct Detail {
    code: String,
    message: String,
    hint: Option<String>,
    #[serde(default)]
    details: Details,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    findings: Vec<Finding>,
    conflicts: Vec<Conflict>,
    /// What was proposed instead of applied.
    #[serde(default)]
    changeset: Option<u64>,
    #[serde(default)]
    checks: Vec<Check>,
}

fn is_about_access(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS)
}

fn is_general(code: &str, hint: &str) -> bool {
    Code::of(code).is_some_and(|code| code.advice == hint)
}

/// Also of the last event of a stream, which has no status of its own.
pub(super) fn refusal(brain: &Brain, status: StatusCode, body: &[u8]) -> Error {
    match serde_json::from_slice::<Problem>(body) {
        Ok(Problem { error }) => Error::Refused(Box::new(Refusal {
            status,
            message: error.message,
            // What is true of every such refusal stands in the documentation; here it would be noise, unless it is about the
            // way to the server, of which a command on its own brain knows nothing.
            hint: error.hint.filter(|hint| is_about_access(status) || !is_general(&error.code, hint)),
            code: error.code,
            findings: error.details.findings,
            conflicts: error.details.conflicts,
            proposed: error.details.changeset.map(|number| (number, error.details.checks)),
        })),
        Err(_) => Error::NotSelfmade { server: name(brain), status },
    }
}

pub(super) fn not_understood(brain: &Brain, source: serde_json::Error) -> Error {
    Error::NotUnderstood { server: name(brain), source }
}

fn name(brain: &Brain) -> String {
    match brain {
        Brain::Local(_) => "this process".to_owned(),
        Brain::Remote(remote) => remote.url.clone(),
    }
}
