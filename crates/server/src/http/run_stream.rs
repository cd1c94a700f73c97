//! `/runs/{id}/stream`: what one Run does until it ends, as server-sent events.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use model::access::Need;
use model::ids::RunId;
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::door::Door;
use super::extract::Path;
use super::problem::{Problem, Refused};
use super::runs::touched;
use crate::app::run_news::{Follower, News};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// What a run does until it ends, as server-sent events: `state`, `step` and `printed`
#[utoipa::path(get, path = "/runs/{run_id}/stream", tag = "runs", params(("run_id" = RunId, Path)),
    responses((status = 200, description = "Ends with the run", body = String, content_type = "text/event-stream"), Refused))]
async fn follow(
    State(door): State<Door>,
    caller: Caller,
    Path(id): Path<RunId>,
) -> Result<Response, Problem> {
    touched(&door, &caller, Need::View, id).await?;
    let follower = Follower::new(door.ctx(), id);
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
    let sent = news.flat_map(stream::iter).map(|news| Ok::<Sent, Infallible>(sent(&news)));
    let stopped = door.stop().clone().cancelled_owned();
    Ok(Sse::new(sent.take_until(Box::pin(stopped))).keep_alive(KeepAlive::new()).into_response())
}

fn sent(news: &News) -> Sent {
    match news {
        News::State(run) => event("state", run),
        News::Step(step) => event("step", step),
        News::Printed(chunk) => event("printed", chunk),
    }
}

fn event(kind: &str, data: &impl Serialize) -> Sent {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    Sent::default().event(kind).data(data)
}
