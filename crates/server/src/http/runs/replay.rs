//! `/runs/{id}/replay`: executes a Run again with its recorded answers.

use axum::extract::State;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::runs::replay::{self, Replayed};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::request::run_path::{RunInPath, RunPath};
use crate::http::state::Door;
use crate::http::streams::progress;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(replay))
}

/// Executes a run again with its recorded answers, and compares; nothing is done or written
///
/// Server-sent events: `printed` as it prints, then `done` with the differences.
#[utoipa::path(post, path = "/runs/{run_id}/replay", tag = "runs", params(RunInPath),
    responses((status = 200, description = "`done` carries it", body = Replayed, content_type = "text/event-stream"), Refused))]
async fn replay(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReplayRun>>,
    RunPath(id): RunPath,
) -> Result<Response, Problem> {
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    progress::stream(&door, &caller, move |progress| async move {
        replay::replay(&ctx, &access, id, move |_, happened| progress.report_run(&happened)).await
    })
    .await
}
