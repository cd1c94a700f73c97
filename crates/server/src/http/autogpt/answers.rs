//! Errors of AutoGPT's routes: `{"detail": "…"}`, with our code and hint next to it.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::access::Denied;
use model::run::Run;
use serde_json::{Value, json};

use crate::error::Error;
use crate::http::problem::Problem;
use crate::http::request::authorization;

/// A status and a body.
pub(super) struct NotDone(StatusCode, Value);

pub(super) type Answer = Result<Json<Value>, NotDone>;

/// An authorized caller; others get an error in AutoGPT's shape.
pub(super) type Allowed<N> = authorization::Allowed<N, NotDone>;

impl NotDone {
    pub(super) fn bad_request(message: impl Into<String>) -> NotDone {
        Problem::bad_request(message).into()
    }

    /// A run that did not succeed.
    pub(super) fn failed(run: &Run) -> NotDone {
        let error = run.error.as_ref();
        let detail = error.map_or_else(
            || format!("the run is {}", run.state.as_str()),
            |error| format!("{}: {}", error.type_name, error.message),
        );
        let status =
            if run.state.is_final() { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::ACCEPTED };
        NotDone(status, json!({ "detail": detail, "run_id": run.run_id }))
    }

    /// As a message of a WebSocket has it.
    pub(super) fn detail(&self) -> &str {
        self.1["detail"].as_str().unwrap_or_default()
    }
}

impl From<Problem> for NotDone {
    fn from(problem: Problem) -> NotDone {
        let (status, code, message, hint) = problem.into_parts();
        NotDone(status, json!({ "detail": message, "code": code, "hint": hint }))
    }
}

impl From<Error> for NotDone {
    fn from(error: Error) -> NotDone {
        let found: Vec<String> = error.findings().iter().map(|finding| finding.message.clone()).collect();
        let mut not_done = NotDone::from(Problem::from(error));
        if !found.is_empty() {
            not_done.1["detail"] = json!(format!("{}: {}", not_done.detail(), found.join("; ")));
        }
        not_done
    }
}

impl From<Denied> for NotDone {
    fn from(denied: Denied) -> NotDone {
        Problem::from(denied).into()
    }
}

impl IntoResponse for NotDone {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}
