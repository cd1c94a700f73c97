//! Every request gets an id, which is returned and logged, and may come from a proxy; and one line in the log, which says
//! what was requested and by whom, and never with which values.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use model::access::actor::Actor;
use tracing::Instrument;

use crate::http::state::Door;

const ID: HeaderName = HeaderName::from_static("x-request-id");
const MOST_BYTES: usize = 64;
/// Asked for again and again by those who watch the server.
const WATCHED: [&str; 2] = ["/api/v1/health", "/metrics"];

/// Who turned out to ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestActor(Arc<OnceLock<Actor>>);

impl RequestActor {
    pub(crate) fn is(&self, actor: &Actor) {
        self.0.get_or_init(|| actor.clone());
    }
}

/// What is logged about a request.
struct RequestSummary {
    id: String,
    method: Method,
    /// As it is declared, such as `/api/v1/runs/{run_id}`; what was asked for stands in the place of names and ids.
    route: Option<MatchedPath>,
    request_actor: RequestActor,
}

impl RequestSummary {
    fn route(&self) -> &str {
        self.route.as_ref().map_or("(none)", MatchedPath::as_str)
    }
}

pub(crate) async fn watch(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let asked = RequestSummary {
        id: given(request.headers()).unwrap_or_else(|| door.ctx().ids.uuid().to_string()),
        method: request.method().clone(),
        route: request.extensions().get::<MatchedPath>().cloned(),
        request_actor: RequestActor::default(),
    };
    request.extensions_mut().insert(asked.request_actor.clone());
    let began = std::time::Instant::now();
    let span = tracing::info_span!("request", id = asked.id);
    let mut response = next.run(request).instrument(span).await;
    let (status, took) = (response.status().as_u16(), began.elapsed());
    door.ctx().metrics.requests.answered(asked.method.as_str(), asked.route(), status, took);
    log(&asked, status, took);
    let headers = response.headers_mut();
    headers.extend(HeaderValue::from_str(&asked.id).ok().map(|id| (ID, id)));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// One line, at a level that fits what resulted from it.
fn log(asked: &RequestSummary, status: u16, took: Duration) {
    let RequestSummary { id, method, request_actor, .. } = asked;
    let route = asked.route();
    let duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let actor = request_actor.0.get().map(tracing::field::display);
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                request.id = id,
                http.method = %method,
                http.route = route,
                http.status = status,
                duration_us,
                actor,
                "{method} {route} {status}"
            )
        };
    }
    match status {
        500.. => line!(warn),
        _ if WATCHED.contains(&route) => line!(debug),
        _ => line!(info),
    }
}

/// What others chose must not be able to forge lines of the log.
fn given(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(ID)?.to_str().ok()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    (!id.is_empty() && id.len() <= MOST_BYTES && id.chars().all(plain)).then(|| id.to_owned())
}
