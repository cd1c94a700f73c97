//! Strict extractors: what cannot be read is a problem with a code, a message and a hint.

use axum::body::Bytes;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use serde::de::DeserializeOwned;

use super::authorization::is_judged;
use super::field_error::plain;
use super::json;
pub(crate) use super::query::Query;
use crate::http::problem::Problem;
use crate::http::state::Door;

pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Door> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let place = door.body_places().take(is_judged(&request)?, &request);
        let _place = tokio::time::timeout(door.config().body_timeout, place).await.map_err(|_| too_many())?;
        if !is_json(request.headers()) {
            return Err(Problem::of("not_json", "the `Content-Type` is not JSON")
                .hint("send the header `Content-Type: application/json`"));
        }
        let bytes =
            in_time(door, Bytes::from_request(request, door)).await?.map_err(|rejection| match rejection
                .into_response()
                .status()
            {
                StatusCode::PAYLOAD_TOO_LARGE => Problem::of("too_large", "the body is too large"),
                _ => Problem::bad_request("the body was cut off; send it again"),
            })?;
        json::parse(&bytes).map(Json)
    }
}

/// A body that may be left out.
pub(crate) struct OptionalJson<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<Door> for OptionalJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        if !request.headers().contains_key(header::CONTENT_TYPE) {
            is_judged(&request)?;
            return Ok(OptionalJson(T::default()));
        }
        Json::from_request(request, door).await.map(|Json(body)| OptionalJson(body))
    }
}

/// `application/json`, or another type that is written in it.
fn is_json(headers: &HeaderMap) -> bool {
    let stated = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

fn too_many() -> Problem {
    Problem::of("too_many_uploads", "this caller has too many large bodies in progress").retry_after(10)
}

/// What arrives in the time that clients have for a body.
pub(crate) async fn in_time<T>(door: &Door, reading: impl Future<Output = T>) -> Result<T, Problem> {
    let read = tokio::time::timeout(door.config().body_timeout, reading).await;
    read.map_err(|_| Problem::of("too_slow", "the body did not arrive in time"))
}

pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Door> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        refuse_giants(parts).await?;
        match axum::extract::Path::from_request_parts(parts, door).await {
            Ok(axum::extract::Path(value)) => Ok(Path(value)),
            Err(rejection) => Err(path_problem(parts, &rejection).await),
        }
    }
}

/// Says which part of the path cannot be read.
async fn path_problem(parts: &mut Parts, rejection: &PathRejection) -> Problem {
    let names: Vec<String> = match RawPathParams::from_request_parts(parts, &()).await {
        Ok(stated) => stated.iter().map(|(name, _)| name.to_owned()).collect(),
        Err(_) => Vec::new(),
    };
    let only = names.first().cloned().unwrap_or_default();
    let PathRejection::FailedToDeserializePathParams(failed) = rejection else { return Problem::internal() };
    let message = match failed.kind() {
        ErrorKind::ParseErrorAtKey { key, value, .. } => not_a_number(key, value),
        ErrorKind::ParseErrorAtIndex { index, value, .. } => {
            not_a_number(names.get(*index).unwrap_or(&only), value)
        }
        ErrorKind::ParseError { value, .. } => not_a_number(&only, value),
        ErrorKind::DeserializeError { key, message, .. } => {
            format!("`{key}` is not valid: {}", plain(message))
        }
        ErrorKind::Message(message) => format!("`{only}` is not valid: {}", plain(message)),
        ErrorKind::InvalidUtf8InPathParam { key } => format!("`{key}` is not valid UTF-8"),
        _ => return Problem::internal(),
    };
    Problem::of("bad_address", message)
}

/// What is in a path and not text is a number.
fn not_a_number(name: &str, value: &str) -> String {
    format!("`{name}` must be an integer, not `{value}`")
}

/// Nothing is numbered higher than the databases count.
async fn refuse_giants(parts: &mut Parts) -> Result<(), Problem> {
    let Ok(stated) = RawPathParams::from_request_parts(parts, &()).await else { return Ok(()) };
    let is_giant = |value: &str| value.parse::<u64>().is_ok_and(|number| i64::try_from(number).is_err());
    match stated.iter().find(|(_, value)| is_giant(value)) {
        Some((name, value)) => Err(Problem::of("bad_address", format!("the {name} `{value}` is too large"))),
        None => Ok(()),
    }
}
