//! What a request carries, read strictly: what cannot be read is a problem with a code, a message and a hint.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::door::Door;
use super::needs::is_judged;
use super::problem::Problem;

pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Door> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let place = door.body_places().take(is_judged(&request)?, &request);
        let _place = tokio::time::timeout(door.config().body_timeout, place).await.map_err(|_| too_many())?;
        match in_time(door, axum::Json::<T>::from_request(request, door)).await? {
            Ok(axum::Json(value)) => Ok(Json(value)),
            Err(rejection) => Err(body_problem(&rejection)),
        }
    }
}

fn too_many() -> Problem {
    Problem::of(
        "too_many_uploads",
        "as many large bodies of this caller are under way as this server takes at once",
    )
    .retry_after(10)
}

/// What arrives in the time that clients have for a body.
pub(super) async fn in_time<T>(door: &Door, reading: impl Future<Output = T>) -> Result<T, Problem> {
    let read = tokio::time::timeout(door.config().body_timeout, reading).await;
    read.map_err(|_| Problem::of("too_slow", "the body did not arrive in time"))
}

fn body_problem(rejection: &JsonRejection) -> Problem {
    match rejection {
        JsonRejection::MissingJsonContentType(_) => {
            Problem::of("not_json", "the body is not said to be JSON")
                .hint("send the header `Content-Type: application/json`")
        }
        JsonRejection::JsonDataError(error) => Problem::of("bad_body", error.body_text()),
        _ if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::of("too_large", "the body is larger than this server takes")
        }
        rejection => Problem::of("bad_json", rejection.body_text()),
    }
}

pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Door> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        let wrong = |rejection: QueryRejection| Problem::of("bad_query", rejection.body_text());
        let axum::extract::Query(value) =
            axum::extract::Query::from_request_parts(parts, door).await.map_err(wrong)?;
        Ok(Query(value))
    }
}

pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Door> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        refuse_giants(parts).await?;
        let wrong = |rejection: PathRejection| Problem::of("bad_address", rejection.body_text());
        let axum::extract::Path(value) =
            axum::extract::Path::from_request_parts(parts, door).await.map_err(wrong)?;
        Ok(Path(value))
    }
}

/// Nothing is numbered higher than the databases count.
async fn refuse_giants(parts: &mut Parts) -> Result<(), Problem> {
    let Ok(stated) = RawPathParams::from_request_parts(parts, &()).await else { return Ok(()) };
    let is_giant = |value: &str| value.parse::<u64>().is_ok_and(|number| i64::try_from(number).is_err());
    match stated.iter().find(|(_, value)| is_giant(value)) {
        Some((name, value)) => {
            Err(Problem::of("bad_address", format!("the {name} `{value}` is larger than any there can be")))
        }
        None => Ok(()),
    }
}
