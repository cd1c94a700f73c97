//! What a request carries, read strictly: what cannot be read is a problem with a code, a message and a hint.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::door::Door;
use super::problem::Problem;

pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Door> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let limit = door.config().body_timeout;
        let read = axum::Json::<T>::from_request(request, door);
        match tokio::time::timeout(limit, read).await {
            Ok(Ok(axum::Json(value))) => Ok(Json(value)),
            Ok(Err(rejection)) => Err(body_problem(&rejection)),
            Err(_) => {
                Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body did not arrive in time"))
            }
        }
    }
}

fn body_problem(rejection: &JsonRejection) -> Problem {
    let status = rejection.status();
    match rejection {
        JsonRejection::MissingJsonContentType(_) => {
            Problem::new(status, "not_json", "the body is not said to be JSON")
                .hint("send the header `Content-Type: application/json`")
        }
        JsonRejection::JsonDataError(error) => Problem::new(status, "bad_body", error.body_text()),
        _ if status == StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(status, "too_large", "the body is larger than this server takes")
        }
        rejection => Problem::new(StatusCode::BAD_REQUEST, "bad_json", rejection.body_text()),
    }
}

pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Door> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        let wrong = |rejection: QueryRejection| {
            Problem::new(StatusCode::BAD_REQUEST, "bad_query", rejection.body_text())
        };
        let axum::extract::Query(value) =
            axum::extract::Query::from_request_parts(parts, door).await.map_err(wrong)?;
        Ok(Query(value))
    }
}

pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Door> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        let wrong = |rejection: PathRejection| {
            Problem::new(StatusCode::BAD_REQUEST, "bad_address", rejection.body_text())
        };
        let axum::extract::Path(value) =
            axum::extract::Path::from_request_parts(parts, door).await.map_err(wrong)?;
        Ok(Path(value))
    }
}
