//! Every request gets an id, which is logged, answered, and may come from whoever is in front of us.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::door::Door;

const ID: HeaderName = HeaderName::from_static("x-request-id");
const MOST_BYTES: usize = 64;

pub(super) async fn watch(State(door): State<Door>, request: Request, next: Next) -> Response {
    let id = given(request.headers()).unwrap_or_else(|| door.ctx().ids.uuid().to_string());
    let began = std::time::Instant::now();
    let span = tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    let mut response = next.run(request).instrument(span.clone()).await;
    let took_us = began.elapsed().as_micros();
    span.in_scope(|| tracing::debug!(status = response.status().as_u16(), took_us, "answered"));
    let headers = response.headers_mut();
    headers.extend(HeaderValue::from_str(&id).ok().map(|id| (ID, id)));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// What others chose must not be able to forge lines of the log.
fn given(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(ID)?.to_str().ok()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    (!id.is_empty() && id.len() <= MOST_BYTES && id.chars().all(plain)).then(|| id.to_owned())
}
