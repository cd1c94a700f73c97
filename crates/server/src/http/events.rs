//! `/events`: facts as they happen, as a stream that can be taken up where it broke off.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};
use jiff::Timestamp;
use model::access::Access;
use model::event::Event;
use model::glob;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::Query;
use super::feed::{Reader, Taken};
use super::needs::{Allowed, Role, to};
use super::problem::{Problem, Refused};
use super::telling::{Ear, Told, place};
use crate::clock::Clock;

/// What is told instead of events that are not kept any more.
const PRUNED: &str = "events.pruned";

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(events))
}

/// Which Events.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// Kinds or patterns of kinds, joined by commas: `run.*,function.updated`.
    kind: Option<String>,
    /// A name or a pattern of names of what they are about.
    source: Option<String>,
    /// Those after this sequence number; 0 is the beginning. New ones only if not given.
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
/// The id of each is its sequence number, its event type its kind, its data the event as JSON; a message of a WebSocket is
/// `{"id", "event", "data"}`. A client that comes back with `Last-Event-ID` or `after` misses none and gets none twice.
/// If some of those are not kept any more, it is told so first: an event `events.pruned` whose `data` is `{"first", "last"}`, their numbers.
#[utoipa::path(get, path = "/events", tag = "events", params(EventsQuery, ("Last-Event-ID" = Option<u64>, Header)),
    responses((status = 200, description = "A stream without an end", body = String, content_type = "text/event-stream"),
        (status = 101, description = "The same over a WebSocket, if `Upgrade` asks for it"), Refused))]
async fn events(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadEvents>>,
    headers: HeaderMap,
    Query(query): Query<EventsQuery>,
    ear: Ear,
) -> Result<Response, Problem> {
    let after = place(&headers, None)?.or(query.after);
    let reader = door.feed().reader(after).await?;
    let told = wanted(reader, door.ctx().clock.clone(), caller.access().clone(), query);
    ear.answer(&door, &caller, told)
}

/// Those that are asked for and may be seen. What cannot be read ends the stream; the client comes back where it was.
fn wanted(reader: Reader, clock: Clock, access: Access, query: EventsQuery) -> impl Stream<Item = Told> {
    let batches = stream::unfold(reader, |mut reader| async move {
        match reader.next().await {
            Ok(taken) => Some((taken?, reader)),
            Err(error) => {
                tracing::warn!("cannot read the log of events: {error}");
                None
            }
        }
    });
    batches.flat_map(move |taken| {
        let told: Vec<Sent> = match taken {
            Taken::Pruned { first, last } => vec![Sent::Pruned { first, last, at: clock.now() }],
            Taken::Events(events) => {
                let seen = |event: &Arc<Event>| query.wants(event) && event.is_visible_to(access.only());
                events.into_iter().filter(seen).map(Sent::Event).collect()
            }
        };
        stream::iter(told).map(Sent::told)
    })
}

/// Written out one by one, so that a slow client keeps no copies.
enum Sent {
    Event(Arc<Event>),
    Pruned { first: u64, last: u64, at: Timestamp },
}

impl Sent {
    fn told(self) -> Told {
        match self {
            Sent::Event(event) => Told::new(&event.seq, &event.fact.kind, &*event),
            // Shaped as an event, so that clients need no other way to read it.
            Sent::Pruned { first, last, at } => {
                let data = json!({ "first": first, "last": last });
                let event = json!({ "seq": last, "kind": PRUNED, "source": "", "data": data, "actor": "server", "at": at });
                Told::new(&last, PRUNED, &event)
            }
        }
    }
}
