//! The builder of event streams. Whatever the source, a stream is kept alive by heartbeats, ends with the token or session of its
//! caller, and can be resumed after any event that has an id.

use std::future::Future;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{sse, websocket};
use crate::error::Error;
use crate::http::problem::Problem;
use crate::http::request::caller::Caller;
use crate::http::state::Door;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// One event of a stream; a message of a WebSocket is this as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct StreamEvent {
    /// Where to resume after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) event: String,
    pub(super) data: Box<RawValue>,
}

impl StreamEvent {
    pub(crate) fn new(event: &(impl ToString + ?Sized), data: &impl Serialize) -> StreamEvent {
        let data = serde_json::value::to_raw_value(data).unwrap_or_else(|_| RawValue::NULL.to_owned());
        StreamEvent { id: None, event: event.to_string(), data }
    }

    #[must_use]
    pub(crate) fn at(self, id: &impl ToString) -> StreamEvent {
        StreamEvent { id: Some(id.to_string()), ..self }
    }
}

/// What a stream is read from, as fast as its client reads.
pub(crate) trait EventSource: Send + 'static {
    /// Written out one by one, so that a slow client keeps no copies.
    type Event: Into<StreamEvent> + Send;

    /// The next events, as soon as there are some; nothing when no more come.
    fn next(&mut self) -> impl Future<Output = Result<Option<Vec<Self::Event>>, Error>> + Send;
}

/// A source that cannot be read ends the stream; the client resumes it.
fn events<S: EventSource>(source: S) -> impl Stream<Item = StreamEvent> + Send + 'static {
    let batches = stream::unfold(source, |mut source| async move {
        match source.next().await {
            Ok(events) => Some((events?, source)),
            Err(error) => {
                tracing::warn!("cannot read the source of a stream: {error}");
                None
            }
        }
    });
    batches.flat_map(stream::iter).map(Into::into)
}

/// How the caller wants to receive a stream.
pub(crate) enum Transport {
    Sse,
    WebSocket(WebSocketUpgrade),
}

impl FromRequestParts<Door> for Transport {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        if !parts.headers.contains_key(header::UPGRADE) {
            return Ok(Transport::Sse);
        }
        let upgrade = WebSocketUpgrade::from_request_parts(parts, door).await;
        let wrong = |rejection: WebSocketUpgradeRejection| {
            Problem::bad_request(format!("cannot open a WebSocket: {}", rejection.body_text()))
                .hint("leave `Upgrade` out to get server-sent events")
        };
        upgrade.map(Transport::WebSocket).map_err(wrong)
    }
}

impl Transport {
    /// Answers with a stream, which ends when its source does, the server stops, or the caller's token or session ends.
    pub(crate) fn answer(
        self,
        door: &Door,
        caller: &Caller,
        source: impl EventSource,
    ) -> Result<Response, Problem> {
        let events = while_valid(door, caller, events(source));
        match self {
            Transport::WebSocket(upgrade) => websocket::answer(door, upgrade, events),
            Transport::Sse => {
                let stopped = door.stop().clone().cancelled_owned();
                Ok(sse::answer(events.take_until(Box::pin(stopped))))
            }
        }
    }
}

/// Answers with server-sent events whose last is the result of some work: a server that stops waits for it.
pub(super) fn answer_to_the_end(
    door: &Door,
    caller: &Caller,
    events: impl Stream<Item = StreamEvent> + Send + 'static,
) -> Response {
    sse::answer(while_valid(door, caller, events))
}

/// The stream, cut off a few seconds after the caller's token or session has ended.
fn while_valid<T>(
    door: &Door,
    caller: &Caller,
    stream: impl Stream<Item = T> + Send + 'static,
) -> impl Stream<Item = T> + Send + 'static {
    stream.take_until(Box::pin(caller.lapsed(door.ctx())))
}

/// Where to resume: what the browser that comes back says, or what the address does.
pub(crate) fn resume_after<T: FromStr>(
    headers: &HeaderMap,
    after: Option<&str>,
) -> Result<Option<T>, Problem> {
    let last = headers.get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or_default());
    let Some(text) = last.or(after) else { return Ok(None) };
    let wrong = |_| {
        Problem::bad_request(format!("`{text}` is not a position in this stream"))
            .hint("send the `id` of the last event that came, or none")
    };
    text.parse().map(Some).map_err(wrong)
}
