//! `/runs/{id}/replay`: a Run once more with the answers it got then.

use axum::extract::State;
use axum::response::Response;
use model::ids::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::Path;
use super::live;
use super::needs::{Allowed, Role, to};
use super::problem::{Problem, Refused};
use crate::app::replay::{self, Replayed};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(replay))
}

/// Executes a run once more with what it was answered then, and compares; nothing new is done or written
///
/// Server-sent events: `printed` as it prints, then `done` with what differed.
#[utoipa::path(post, path = "/runs/{run_id}/replay", tag = "runs", params(("run_id" = RunId, Path)),
    responses((status = 200, description = "`done` carries it", body = Replayed, content_type = "text/event-stream"), Refused))]
async fn replay(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReplayRun>>,
    Path(id): Path<RunId>,
) -> Result<Response, Problem> {
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    live::show(&door, &caller, move |telling| async move {
        replay::replay(&ctx, &access, id, move |_, happened| telling.hear(&happened)).await
    })
    .await
}
