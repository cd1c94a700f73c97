//! `/events`: events as they happen, as a stream that can be resumed.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::Timestamp;
use model::access::glob;
use model::event::Event;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Role, to};
use super::request::extract::Query;
use super::state::Door;
use super::streams::event_stream::{EventSource, StreamEvent, Transport, resume_after};
use crate::app::events::feed::{Begin, FeedItems, Reader};
use crate::clock::Clock;
use crate::error::Error;

/// What is sent instead of pruned events.
const PRUNED: &str = "events.pruned";

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(events))
}

/// Which Events.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// Kinds or patterns of kinds, separated by commas: `run.*,function.updated`.
    kind: Option<String>,
    /// The source of the events: a name or a pattern of names.
    source: Option<String>,
    /// Only events after this sequence number; 0 is the beginning. If absent, only new events.
    after: Option<u64>,
}

impl EventsQuery {
    fn wants(&self, event: &Event) -> bool {
        let kind = event.fact.kind.to_string();
        let fits = |patterns: &String| patterns.split(',').any(|one| glob::matches(one.trim(), &kind));
        self.kind.as_ref().is_none_or(fits)
            && self.source.as_ref().is_none_or(|pattern| glob::matches(pattern, &event.fact.source))
    }
}

/// Events as they happen, as server-sent events or over a WebSocket
///
/// The id of each is its sequence number, its event type its kind, its data the event as JSON; a WebSocket message is
/// `{"id", "event", "data"}`. A client that reconnects with `Last-Event-ID` or `after` misses none and gets none twice.
/// If some of them were pruned, the first event is `events.pruned`, whose `data` is `{"first", "last"}`, their numbers.
#[utoipa::path(get, path = "/events", tag = "events", params(EventsQuery, ("Last-Event-ID" = Option<u64>, Header)),
    responses((status = 200, description = "An endless stream", body = String, content_type = "text/event-stream"),
        (status = 101, description = "The same over a WebSocket, if requested by `Upgrade`"), Refused))]
async fn events(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadEvents>>,
    headers: HeaderMap,
    Query(query): Query<EventsQuery>,
    transport: Transport,
) -> Result<Response, Problem> {
    let begin = match (resume_after(&headers, None)?, query.after) {
        (Some(last), _) => Begin::After(last),
        (None, None) => Begin::Now,
        (None, Some(0)) => Begin::Oldest,
        (None, Some(last)) => Begin::After(last),
    };
    let reader = door.feed().reader(caller.access(), begin).await?;
    let clock = door.ctx().clock.clone();
    transport.answer(&door, &caller, Wanted { reader, clock, query })
}

/// Those that are asked for.
struct Wanted {
    reader: Reader,
    clock: Clock,
    query: EventsQuery,
}

impl EventSource for Wanted {
    type Event = Sent;

    async fn next(&mut self) -> Result<Option<Vec<Sent>>, Error> {
        Ok(self.reader.next().await?.map(|taken| match taken {
            FeedItems::Pruned { first, last } => vec![Sent::Pruned { first, last, at: self.clock.now() }],
            FeedItems::Events(events) => {
                events.into_iter().filter(|event| self.query.wants(event)).map(Sent::Event).collect()
            }
        }))
    }
}

enum Sent {
    Event(Arc<Event>),
    Pruned { first: u64, last: u64, at: Timestamp },
}

impl From<Sent> for StreamEvent {
    fn from(sent: Sent) -> StreamEvent {
        match sent {
            Sent::Event(event) => StreamEvent::new(&event.fact.kind, &*event).at(&event.seq),
            // Shaped as an event, so that clients need no other way to read it.
            Sent::Pruned { first, last, at } => {
                let data = json!({ "first": first, "last": last });
                let event = json!({ "seq": last, "kind": PRUNED, "source": "", "data": data, "actor": "server", "at": at });
                StreamEvent::new(PRUNED, &event).at(&last)
            }
        }
    }
}
