//! Error responses: a status, and `{error: {code, message, hint, docs, details}}`.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use model::access::Denied;
use serde::Serialize;
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use utoipa::ToSchema;

use crate::error::Error;
use crate::error::codes::Code;

/// The body of every error response.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProblemBody {
    error: ProblemDetail,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDetail {
    /// Stays the same from release to release.
    #[schema(example = "not_found")]
    code: &'static str,
    #[schema(example = "there is no function `ad`")]
    message: String,
    /// What to do now.
    #[schema(example = "did you mean `add`?")]
    hint: String,
    /// The page of the documentation about the code.
    #[schema(example = "errors/not_found")]
    docs: String,
    /// Details that depend on the code: findings of checks, conflicts, paths in the input.
    details: Value,
}

#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    body: Box<ProblemDetail>,
    /// Seconds after which it is worth trying again.
    retry_after: Option<u64>,
    cause: Option<Cause>,
}

/// The error itself, next to the response, for callers in this process.
#[derive(Clone, Debug)]
pub struct Cause(pub Arc<Error>);

/// How a bug is reported.
const INTERNAL: &str = "internal";

impl Problem {
    /// With a code of the table, which has its status.
    pub(crate) fn of(code: &'static str, message: impl Into<String>) -> Problem {
        let known = Code::of(code).or_else(|| Code::of(INTERNAL));
        let status = known.and_then(|code| StatusCode::from_u16(code.status).ok());
        let body = Box::new(ProblemDetail {
            code,
            message: message.into(),
            hint: known.map(|code| code.advice.to_owned()).unwrap_or_default(),
            docs: known.map(Code::docs).unwrap_or_default(),
            details: json!({}),
        });
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Problem { status, body, retry_after: None, cause: None }
    }

    pub(crate) fn internal() -> Problem {
        Problem::of(INTERNAL, "an internal error occurred")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.body.hint = hint.into();
        self
    }

    pub(crate) fn details(mut self, details: Value) -> Problem {
        self.body.details = details;
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Problem {
        self.retry_after = Some(seconds);
        self
    }

    pub(crate) fn into_body(self) -> ProblemBody {
        ProblemBody { error: *self.body }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Problem {
        Problem::of("bad_request", message)
    }

    pub(crate) fn too_many_sockets() -> Problem {
        let message = "too many WebSockets are open";
        Problem::of("too_many_sockets", message).hint("close some, or use server-sent events").retry_after(10)
    }

    /// Status, code, message and hint, for those who tell them in another shape.
    pub(crate) fn into_parts(self) -> (StatusCode, &'static str, String, String) {
        (self.status, self.body.code, self.body.message, self.body.hint)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ProblemBody { error: *self.body })).into_response();
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(cause);
        }
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"selfmade\""));
        }
        response
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let mut problem = Problem::of(error.code(), public_message(&error));
        if let Some(hint) = error.hint() {
            problem.body.hint = hint;
        }
        problem.body.details = details(&error);
        if matches!(error, Error::Contended | Error::Crowded { .. }) {
            problem.retry_after = Some(1);
        } else if error.is_passing() {
            problem.retry_after = Some(5);
        }
        problem.cause = Some(Cause(Arc::new(error)));
        problem
    }
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Problem {
        Problem::of("forbidden", denied.to_string())
            .hint("use a token that is allowed to; whoever administers the server can create one")
    }
}

/// What is wrong inside the server is logged, and not told to callers, who can do nothing with paths and queries.
fn public_message(error: &Error) -> String {
    match error {
        // The store tells of an outage, once.
        Error::Store(source) if source.is_passing() => {
            format!("the database is unavailable: {}", source.reason())
        }
        Error::OfRun { run, source } if source.is_passing() => {
            format!("the database is unavailable: {}; run {run} is recorded", source.reason())
        }
        Error::Store(source) | Error::OfRun { source, .. } => {
            tracing::error!("{error}: {source:?}");
            "the database is unavailable".to_owned()
        }
        Error::Unreadable { source, .. } => {
            tracing::error!("{error}: {source:?}");
            error.to_string()
        }
        Error::Write { .. } | Error::Read { .. } | Error::Config(_) | Error::Search(_) | Error::Seal(_) => {
            tracing::error!("{error:?}");
            error.to_string()
        }
        error => error.to_string(),
    }
}

fn details(error: &Error) -> Value {
    let findings = error.findings();
    let conflicts = error.conflicts();
    match error {
        Error::NeedsApproval { number, checks } => json!({ "changeset": number, "checks": checks }),
        _ if !findings.is_empty() => json!({ "findings": findings }),
        _ if !conflicts.is_empty() => json!({ "conflicts": conflicts }),
        Error::RunInput { source, .. } => json!({ "input": source.to_string() }),
        Error::RunAmbiguous { fitting, .. } => json!({ "runs": fitting }),
        _ => json!({}),
    }
}

pub(crate) async fn no_such_place(request: Request) -> Problem {
    let path = request.uri().path();
    Problem::of("no_such_place", format!("there is nothing at `{path}`"))
        .hint("`/api/v1/openapi.json` lists all routes")
}

pub(crate) async fn no_such_method(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("`{path}` does not support `{method}`");
    Problem::of("no_such_method", message).hint("the header `Allow` lists the methods it supports")
}

/// A bug in a handler ends its request, not the server, and tells the caller nothing of itself.
pub(crate) async fn catch_panics(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => Problem::internal().into_response(),
    }
}

/// What every route may answer instead of what was asked for.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "read by the macro that documents it")]
pub(crate) enum Refused {
    /// The request is not valid.
    #[response(status = 400)]
    BadRequest(ProblemBody),
    /// There is no valid token.
    #[response(status = 401)]
    Unauthorized(ProblemBody),
    /// The token, the host or the origin is not allowed to do it.
    #[response(status = 403)]
    Forbidden(ProblemBody),
    /// There is no such thing.
    #[response(status = 404)]
    NotFound(ProblemBody),
    /// The route has no such method.
    #[response(status = 405)]
    NoSuchMethod(ProblemBody),
    /// The client took too long to send the request.
    #[response(status = 408)]
    TooSlow(ProblemBody),
    /// The state of the brain does not allow it.
    #[response(status = 409)]
    Conflict(ProblemBody),
    /// The current version is not the one that `If-Match` names.
    #[response(status = 412)]
    PreconditionFailed(ProblemBody),
    /// The body is too large.
    #[response(status = 413)]
    TooLarge(ProblemBody),
    /// The body is not JSON.
    #[response(status = 415)]
    NotJson(ProblemBody),
    /// The request is well-formed, but not valid.
    #[response(status = 422)]
    Unprocessable(ProblemBody),
    /// Too many requests, or too many wrong tokens.
    #[response(status = 429)]
    TooMany(ProblemBody),
    /// An internal error occurred.
    #[response(status = 500)]
    Internal(ProblemBody),
    /// The database or the sandbox is unavailable.
    #[response(status = 503)]
    Unavailable(ProblemBody),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::error::codes::ALL;

    /// Whatever stands in quotes behind `before` in the sources of this door.
    fn quoted(before: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut paths = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http")];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path()));
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let packed: String = text.split_whitespace().collect();
            let codes = packed.split(before).skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(codes.map(str::to_owned));
        }
        found
    }

    #[test]
    fn the_codes_of_this_door_and_of_the_verbs_are_those_of_the_table() {
        let mut used = quoted(concat!("Problem::", "of(\""));
        assert!(used.len() > 15, "{used:?}");
        used.insert(super::INTERNAL.to_owned());
        let verbs = include_str!("../error/mod.rs");
        for code in ALL {
            let is_used = used.remove(code.code) || verbs.contains(&format!("\"{}\"", code.code));
            assert!(is_used, "`{}` is in the table, and nothing answers it", code.code);
        }
        assert_eq!(used, BTreeSet::new(), "these are not in the table");
    }
}
