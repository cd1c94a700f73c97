//! Server-sent events: a stream as a body of text. Which streams there are, and when they end, is left to `event_stream`.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};

use super::event_stream::StreamEvent;

/// Proxies close what says nothing.
pub(super) const ALIVE: Duration = Duration::from_secs(15);

#[expect(clippy::disallowed_methods, reason = "the builder has bound the stream to its caller")]
pub(super) fn answer(events: impl Stream<Item = StreamEvent> + Send + 'static) -> Response {
    let sent = events.map(|event| Ok::<Event, Infallible>(sent(event)));
    Sse::new(sent).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

fn sent(StreamEvent { id, event, data }: StreamEvent) -> Event {
    let sent = Event::default().event(event).data(data.get());
    match id {
        Some(id) => sent.id(id),
        None => sent,
    }
}
