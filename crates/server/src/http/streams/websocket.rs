//! One WebSocket: a message for each event, a ping now and then, and an end. Messages of the client are refused.

use std::pin::pin;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::{Stream, StreamExt};
use tokio::sync::OwnedSemaphorePermit;

use super::event_stream::StreamEvent;
use super::sse::ALIVE;
use crate::http::problem::Problem;
use crate::http::state::Door;

/// Clients send pongs and an end.
const MOST_HEARD_BYTES: usize = 4 << 10;
/// A client that takes longer to read one message is gone or will never keep up; it can come back where it was.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

#[expect(clippy::disallowed_methods, reason = "the builder has bound the stream to its caller")]
pub(super) fn answer(
    door: &Door,
    upgrade: WebSocketUpgrade,
    events: impl Stream<Item = StreamEvent> + Send + 'static,
) -> Result<Response, Problem> {
    let place = door.socket_place().ok_or_else(Problem::too_many_sockets)?;
    let door = door.clone();
    let upgrade = upgrade.max_message_size(MOST_HEARD_BYTES).max_frame_size(MOST_HEARD_BYTES);
    Ok(upgrade.on_upgrade(move |socket| tell(socket, door, events, place)))
}

/// Why it ends.
enum End {
    /// The client is gone.
    Gone,
    Said(u16, &'static str),
}

async fn tell(
    mut socket: WebSocket,
    door: Door,
    events: impl Stream<Item = StreamEvent>,
    place: OwnedSemaphorePermit,
) {
    if let End::Said(code, reason) = talk(&mut socket, &door, events).await {
        let close = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        let _ = tokio::time::timeout(SEND_TIMEOUT, socket.send(Message::Close(Some(close)))).await;
    }
    drop(place);
}

async fn talk(socket: &mut WebSocket, door: &Door, events: impl Stream<Item = StreamEvent>) -> End {
    let clock = &door.ctx().clock;
    let mut events = pin!(events);
    let mut is_answered = true;
    let mut ping_at = clock.now() + ALIVE;
    loop {
        let message = tokio::select! {
            () = door.stop().cancelled() => return End::Said(close_code::AWAY, "the server stops"),
            next = events.next() => match next {
                Some(event) => Message::text(serde_json::to_string(&event).unwrap_or_default()),
                None => return End::Said(close_code::NORMAL, "that is all"),
            },
            heard = socket.recv() => match heard {
                Some(Ok(Message::Pong(_))) => {
                    is_answered = true;
                    continue;
                }
                Some(Ok(Message::Ping(_))) => continue,
                Some(Ok(Message::Text(_) | Message::Binary(_))) => {
                    return End::Said(close_code::POLICY, "this socket accepts no messages");
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return End::Gone,
            },
            () = clock.wait_until(ping_at) => {
                if !is_answered {
                    return End::Gone;
                }
                (is_answered, ping_at) = (false, clock.now() + ALIVE);
                Message::Ping(Default::default())
            }
        };
        if !matches!(tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await, Ok(Ok(()))) {
            return End::Gone;
        }
    }
}
