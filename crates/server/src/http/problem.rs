//! What a request is answered when it is not done: a status, and `{error: {code, message, hint, details}}`.

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
use utoipa::ToSchema;

use crate::app::error::{Class, Error};

/// The body of every answer that is not a success.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ProblemBody {
    error: ProblemDetail,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ProblemDetail {
    /// Stays the same from release to release.
    #[schema(example = "not_found")]
    code: &'static str,
    #[schema(example = "there is no function `ad`")]
    message: String,
    /// What to do now.
    #[schema(example = "did you mean `add`?")]
    hint: Option<String>,
    /// What depends on the code: findings of checks, conflicts, places in the input.
    details: Value,
}

#[derive(Clone, Debug)]
pub(super) struct Problem {
    status: StatusCode,
    body: ProblemDetail,
    /// Seconds after which it is worth trying again.
    retry_after: Option<u64>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Problem {
        let body = ProblemDetail { code, message: message.into(), hint: None, details: json!({}) };
        Problem { status, body, retry_after: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.body.hint = Some(hint.into());
        self
    }

    pub(super) fn retry_after(mut self, seconds: u64) -> Problem {
        self.retry_after = Some(seconds);
        self
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ProblemBody { error: self.body })).into_response();
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
        let mut problem = Problem::new(status(&error), error.code(), told(&error));
        problem.body.hint = error.hint();
        problem.body.details = details(&error);
        if matches!(error, Error::Contended) {
            problem.retry_after = Some(1);
        }
        problem
    }
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", denied.to_string())
            .hint("use a token that may; `selfmade token add` makes one")
    }
}

fn status(error: &Error) -> StatusCode {
    match (error, error.class()) {
        (Error::ChecksFailed { .. } | Error::RunInput { .. }, _) => StatusCode::UNPROCESSABLE_ENTITY,
        (Error::Stale { .. }, _) => StatusCode::PRECONDITION_FAILED,
        (_, Class::Input) => StatusCode::BAD_REQUEST,
        (_, Class::NotFound) => StatusCode::NOT_FOUND,
        (_, Class::Refused) => StatusCode::CONFLICT,
        (_, Class::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// What is wrong inside the server is logged, and not told to callers, who can do nothing with paths and queries.
fn told(error: &Error) -> String {
    match error {
        Error::Store(source) => {
            tracing::error!("{error}: {source:?}");
            "the database cannot be used now".to_owned()
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
        _ if !findings.is_empty() => json!({ "findings": findings }),
        _ if !conflicts.is_empty() => json!({ "conflicts": conflicts }),
        Error::RunInput { source, .. } => json!({ "input": source.to_string() }),
        Error::RunAmbiguous { fitting, .. } => json!({ "runs": fitting }),
        _ => json!({}),
    }
}

pub(super) async fn no_such_place(request: Request) -> Problem {
    let path = request.uri().path();
    Problem::new(StatusCode::NOT_FOUND, "no_such_place", format!("there is nothing at `{path}`"))
        .hint("`/api/v1/openapi.json` lists what there is")
}

pub(super) async fn no_such_method(request: Request) -> Problem {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("`{method}` cannot be done to `{path}`");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "no_such_method", message)
        .hint("the header `Allow` lists what can")
}

/// A bug in a handler ends its request, not the server, and tells the caller nothing of itself.
pub(super) async fn catch_panics(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the server made a mistake")
            .hint("its log says more; please report it")
            .into_response(),
    }
}

/// What every route may answer instead of what was asked for.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "read by the macro that documents it")]
pub(super) enum Refused {
    /// The request cannot be understood.
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
    /// The client took too long to send it.
    #[response(status = 408)]
    TooSlow(ProblemBody),
    /// The brain says no.
    #[response(status = 409)]
    Conflict(ProblemBody),
    /// What is there is not what `If-Match` names.
    #[response(status = 412)]
    PreconditionFailed(ProblemBody),
    /// The body is too large.
    #[response(status = 413)]
    TooLarge(ProblemBody),
    /// The body is not JSON.
    #[response(status = 415)]
    NotJson(ProblemBody),
    /// It is understood, and wrong.
    #[response(status = 422)]
    Unprocessable(ProblemBody),
    /// Too many wrong tokens.
    #[response(status = 429)]
    TooMany(ProblemBody),
    /// The server made a mistake.
    #[response(status = 500)]
    Internal(ProblemBody),
    /// The database or the sandbox cannot be used now.
    #[response(status = 503)]
    Unavailable(ProblemBody),
}
