//! `/events`: facts as they happen, as a stream of server-sent events that can be taken up where it broke off.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt, stream};
use model::access::Need;
use model::event::Event;
use model::glob;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::door::Door;
use super::extract::Query;
use super::feed::Reader;
use super::problem::{Problem, Refused};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(events))
}

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Proxies close what says nothing.
const ALIVE: Duration = Duration::from_secs(15);

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

/// Events as they happen, as server-sent events
///
/// The id of each is its sequence number, its event type its kind, its data the event as JSON. A client that comes back with
/// `Last-Event-ID` misses none and gets none twice.
#[utoipa::path(get, path = "/events", tag = "events", params(EventsQuery, ("Last-Event-ID" = Option<u64>, Header)),
    responses((status = 200, description = "A stream without an end", body = String, content_type = "text/event-stream"), Refused))]
async fn events(
    State(door): State<Door>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<EventsQuery>,
) -> Result<Response, Problem> {
    caller.may(Need::View)?;
    let after = last_event_id(&headers)?.or(query.after);
    let reader = door.feed().reader(after).await?;
    let sent = wanted(reader, caller, query).map(|event| Ok::<Sent, Infallible>(sent(&event)));
    let stopped = door.stop().clone().cancelled_owned();
    let sent = sent.take_until(Box::pin(stopped));
    Ok(Sse::new(sent).keep_alive(KeepAlive::new().interval(ALIVE)).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(id) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    match id.to_str().ok().and_then(|text| text.parse().ok()) {
        Some(id) => Ok(Some(id)),
        None => Err(Problem::bad_request("`Last-Event-ID` is no sequence number of an event")),
    }
}

/// Those that are asked for and may be seen. What cannot be read ends the stream; the client comes back where it was.
fn wanted(reader: Reader, caller: Caller, query: EventsQuery) -> impl Stream<Item = Arc<Event>> {
    let batches = stream::unfold(reader, |mut reader| async move {
        match reader.next().await {
            Ok(events) if events.is_empty() => None,
            Ok(events) => Some((events, reader)),
            Err(error) => {
                tracing::warn!("cannot read the log of events: {error}");
                None
            }
        }
    });
    batches.flat_map(stream::iter).filter(move |event| {
        let seen = query.wants(event) && caller.covers(&event.fact.source);
        std::future::ready(seen)
    })
}

fn sent(event: &Event) -> Sent {
    let data = serde_json::to_string(event).unwrap_or_else(|_| "null".to_owned());
    Sent::default().id(event.seq.to_string()).event(event.fact.kind.to_string()).data(data)
}
