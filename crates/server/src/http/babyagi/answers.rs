//! Errors of BabyAGI's routes: `{"error": "…"}`, with our code and hint next to it.

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

/// An authorized caller; others get an error in BabyAGI's shape.
pub(super) type Allowed<N> = authorization::Allowed<N, NotDone>;

impl NotDone {
    pub(super) fn bad_request(message: impl Into<String>) -> NotDone {
        Problem::bad_request(message).into()
    }

    /// A run that did not succeed. BabyAGI tells the text of the exception.
    pub(super) fn failed(run: &Run) -> NotDone {
        let error = run.error.as_ref();
        let body = json!({
            "error": error.map_or_else(|| format!("the run is {}", run.state.as_str()), |error| error.message.clone()),
            "type": error.map(|error| &error.type_name),
            "run_id": run.run_id,
        });
        let status =
            if run.state.is_final() { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::ACCEPTED };
        NotDone(status, body)
    }
}

impl From<Problem> for NotDone {
    fn from(problem: Problem) -> NotDone {
        let (status, code, message, hint) = problem.into_parts();
        NotDone(status, json!({ "error": message, "code": code, "hint": hint }))
    }
}

impl From<Error> for NotDone {
    fn from(error: Error) -> NotDone {
        Problem::from(error).into()
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
