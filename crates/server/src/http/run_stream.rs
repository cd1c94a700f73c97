//! `/runs/{id}/stream`: what one Run does until it ends, as a stream that can be taken up where it broke off.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use model::ids::RunId;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::{Path, Query};
use super::needs::{Allowed, Role, to};
use super::problem::{Problem, Refused};
use super::telling::{Ear, Told, place};
use crate::app::run_news::{Follower, News, What};
use crate::app::runs;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// From where on.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct StreamQuery {
    /// The `id` of the last event that came; from the beginning if not given.
    after: Option<String>,
}

/// What a run does until it ends, as server-sent events or over a WebSocket: `state`, `step`, `call` and `printed`
///
/// A `call` is told when it begins and again when it has ended; its `position` tells it from others. Another try is told from its
/// beginning. A client that comes back with `Last-Event-ID` or `after` goes on where it was; calls may be told to it again.
#[utoipa::path(get, path = "/runs/{run_id}/stream", tag = "runs", params(("run_id" = RunId, Path), StreamQuery, ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, description = "Ends with the run", body = String, content_type = "text/event-stream"),
        (status = 101, description = "The same over a WebSocket, if `Upgrade` asks for it"), Refused))]
async fn follow(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    Path(id): Path<RunId>,
    headers: HeaderMap,
    Query(query): Query<StreamQuery>,
    ear: Ear,
) -> Result<Response, Problem> {
    runs::get(door.ctx(), caller.access(), id).await?;
    let place = place(&headers, query.after.as_deref())?.unwrap_or_default();
    let follower = Follower::from(door.ctx(), caller.access(), id, place);
    let news = stream::unfold(follower, |mut follower| async move {
        match follower.next().await {
            Ok(news) if news.is_empty() => None,
            Ok(news) => Some((news, follower)),
            Err(error) => {
                tracing::warn!("cannot follow a run: {error}");
                None
            }
        }
    });
    ear.answer(&door, &caller, news.flat_map(stream::iter).map(|news| told(&news)))
}

fn told(News { what, place }: &News) -> Told {
    match what {
        What::State(run) => Told::new(place, "state", run),
        What::Step(step) => Told::new(place, "step", step),
        What::Call(call) => Told::new(place, "call", call),
        What::Printed(chunk) => Told::new(place, "printed", chunk),
    }
}
