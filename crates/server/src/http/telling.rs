//! Streams that tell what happens, as server-sent events or over a WebSocket, whichever the caller asks for.

use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::Response;
use axum::response::sse::Event as Sent;
use futures_util::{Stream, StreamExt};
use serde::Serialize;
use serde_json::value::RawValue;

use super::caller::Caller;
use super::door::Door;
use super::problem::Problem;
use super::{socket, sse};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// One thing that is told; a message of a WebSocket is this as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Where to go on after it.
    id: String,
    event: String,
    data: Box<RawValue>,
}

impl Told {
    pub(super) fn new(id: &impl ToString, event: &(impl ToString + ?Sized), data: &impl Serialize) -> Told {
        let data = serde_json::value::to_raw_value(data).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Told { id: id.to_string(), event: event.to_string(), data }
    }

    fn sent(self) -> Sent {
        Sent::default().id(self.id).event(self.event).data(self.data.get())
    }
}

/// How the caller listens.
pub(super) enum Ear {
    Events,
    Socket(WebSocketUpgrade),
}

impl FromRequestParts<Door> for Ear {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        if !parts.headers.contains_key(header::UPGRADE) {
            return Ok(Ear::Events);
        }
        let upgrade = WebSocketUpgrade::from_request_parts(parts, door).await;
        let wrong = |rejection: WebSocketUpgradeRejection| {
            Problem::bad_request(format!("cannot open a WebSocket: {}", rejection.body_text()))
                .hint("leave `Upgrade` out to get server-sent events")
        };
        upgrade.map(Ear::Socket).map_err(wrong)
    }
}

impl Ear {
    /// Answers with the stream, which ends when it ends, the server does, or the caller's token or session does.
    pub(super) fn answer(
        self,
        door: &Door,
        caller: &Caller,
        told: impl Stream<Item = Told> + Send + 'static,
    ) -> Result<Response, Problem> {
        match self {
            Ear::Socket(upgrade) => socket::answer(door, caller, upgrade, told),
            Ear::Events => {
                let stopped = door.stop().clone().cancelled_owned();
                Ok(sse::answer(door, caller, told.map(Told::sent).take_until(Box::pin(stopped))))
            }
        }
    }
}

/// Where to go on: what the browser that comes back says, or what the address does.
pub(super) fn place<T: FromStr>(headers: &HeaderMap, after: Option<&str>) -> Result<Option<T>, Problem> {
    let last = headers.get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or_default());
    let Some(text) = last.or(after) else { return Ok(None) };
    let wrong = |_| {
        Problem::bad_request(format!("`{text}` is no place in this stream"))
            .hint("send the `id` of the last event that came, or none")
    };
    text.parse().map(Some).map_err(wrong)
}
