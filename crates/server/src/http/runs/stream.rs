//! `/runs/{id}/stream`: what one Run does until it ends, as a stream that can be resumed.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::runs;
use crate::app::runs::watch::{Follower, News, What};
use crate::error::Error;
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::request::extract::Query;
use crate::http::request::run_path::{RunInPath, RunPath};
use crate::http::state::Door;
use crate::http::streams::event_stream::{EventSource, StreamEvent, Transport, resume_after};

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// From where on.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct StreamQuery {
    /// The `id` of the last received event; from the beginning if absent.
    after: Option<String>,
}

/// What a run does until it ends, as server-sent events or over a WebSocket: `state`, `step`, `call`, `printed` and `written`; of a graph `node` and `output`
///
/// A `call` is sent when it begins and again when it has ended; its `position` identifies it. So is a `node`, which is the execution of a node
/// of a graph; an `output` is a value that left one. `written` is text that a language model
/// writes for the step with that lane and number, while it writes; the result of the step has all of it. A retry is streamed from its
/// beginning. A client that reconnects with `Last-Event-ID` or `after` continues where it was; calls may be repeated.
#[utoipa::path(get, path = "/runs/{run_id}/stream", tag = "runs", params(RunInPath, StreamQuery, ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, description = "Ends with the run", body = String, content_type = "text/event-stream"),
        (status = 101, description = "The same over a WebSocket, if requested by `Upgrade`"), Refused))]
async fn follow(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    RunPath(id): RunPath,
    headers: HeaderMap,
    Query(query): Query<StreamQuery>,
    transport: Transport,
) -> Result<Response, Problem> {
    runs::get(door.ctx(), caller.access(), id).await?;
    let place = resume_after(&headers, query.after.as_deref())?.unwrap_or_default();
    let follower = Follower::from(door.ctx(), caller.access(), id, place);
    transport.answer(&door, &caller, follower)
}

impl EventSource for Follower {
    type Event = News;

    async fn next(&mut self) -> Result<Option<Vec<News>>, Error> {
        let news = Follower::next(self).await?;
        Ok((!news.is_empty()).then_some(news))
    }
}

impl From<News> for StreamEvent {
    fn from(News { what, place }: News) -> StreamEvent {
        let event = match what {
            What::State(run) => StreamEvent::new("state", &run),
            What::Step(step) => StreamEvent::new("step", &step),
            What::Node(node) => StreamEvent::new("node", &node),
            What::Output(output) => StreamEvent::new("output", &output),
            What::Call(call) => StreamEvent::new("call", &call),
            What::Printed(chunk) => StreamEvent::new("printed", &chunk),
            What::Written(written) => StreamEvent::new("written", &written),
        };
        event.at(&place)
    }
}
