//! `/runs/endings`: Runs as they end, as a stream that can be taken up where it broke off.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::runs::watch::{EndedRun, Endings};
use crate::error::Error;
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::state::Door;
use crate::http::streams::event_stream::{EventSource, StreamEvent, Transport, resume_after};

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// Runs in the order in which they end from now on, as server-sent events or over a WebSocket: `ended`
///
/// A client that comes back with `Last-Event-ID` misses none.
#[utoipa::path(get, path = "/runs/endings", tag = "runs", params(("Last-Event-ID" = Option<u64>, Header)),
    responses((status = 200, description = "A stream without an end", body = String, content_type = "text/event-stream"),
        (status = 101, description = "The same over a WebSocket, if `Upgrade` asks for it"), Refused))]
async fn follow(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    headers: HeaderMap,
    transport: Transport,
) -> Result<Response, Problem> {
    let endings = Endings::from_now(door.ctx(), caller.access()).await?;
    let endings = match resume_after(&headers, None)? {
        Some(seq) => endings.resumed_after(seq),
        None => endings,
    };
    transport.answer(&door, &caller, endings)
}

impl EventSource for Endings {
    type Event = EndedRun;

    async fn next(&mut self) -> Result<Option<Vec<EndedRun>>, Error> {
        Endings::next(self).await.map(Some)
    }
}

impl From<EndedRun> for StreamEvent {
    fn from(EndedRun { seq, line }: EndedRun) -> StreamEvent {
        StreamEvent::new("ended", &line).at(&seq)
    }
}
