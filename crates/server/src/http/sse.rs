//! Server-sent events, and how long any stream goes on: no longer than the token or the session of whoever listens. Nothing but this
//! file and `socket.rs` answers with a stream, and both go through [`while_valid`].

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};

use super::caller::Caller;
use super::door::Door;

/// Proxies close what says nothing.
pub(super) const ALIVE: Duration = Duration::from_secs(15);

/// Answers with the stream, which ends when it ends or the caller's token or session does.
#[expect(clippy::disallowed_methods, reason = "this is where streams are bound to their caller")]
pub(super) fn answer(
    door: &Door,
    caller: &Caller,
    events: impl Stream<Item = Sent> + Send + 'static,
) -> Response {
    let sent = while_valid(door, caller, events).map(Ok::<Sent, Infallible>);
    Sse::new(sent).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

/// The stream, cut off a few seconds after the caller's token or session has ended.
pub(super) fn while_valid<T>(
    door: &Door,
    caller: &Caller,
    stream: impl Stream<Item = T> + Send + 'static,
) -> impl Stream<Item = T> + Send + 'static {
    stream.take_until(Box::pin(caller.lapsed(door.ctx())))
}
