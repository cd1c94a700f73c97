//! `/runs/endings`: Runs as they end, as server-sent events.

use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event as Sent;
use futures_util::{StreamExt, stream};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::needs::{Allowed, Role, to};
use super::problem::{Problem, Refused};
use super::sse;
use crate::app::run_lists::RunLine;
use crate::app::run_news::Endings;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// Runs in the order in which they end from now on, as server-sent events: `ended`
#[utoipa::path(get, path = "/runs/endings", tag = "runs",
    responses((status = 200, description = "A stream without an end", body = String, content_type = "text/event-stream"), Refused))]
async fn follow(State(door): State<Door>, caller: Allowed<Role<to::ReadRuns>>) -> Result<Response, Problem> {
    let endings = Endings::from_now(door.ctx(), caller.access()).await?;
    let lines = stream::unfold(endings, |mut endings| async move {
        match endings.next().await {
            Ok(lines) => Some((lines, endings)),
            Err(error) => {
                tracing::warn!("cannot follow how runs end: {error}");
                None
            }
        }
    });
    let stopped = door.stop().clone().cancelled_owned();
    let seen = lines.flat_map(stream::iter).map(|line| sent(&line)).take_until(Box::pin(stopped));
    Ok(sse::answer(&door, &caller, seen))
}

fn sent(line: &RunLine) -> Sent {
    let data = serde_json::to_string(line).unwrap_or_else(|_| "null".to_owned());
    Sent::default().event("ended").data(data)
}
