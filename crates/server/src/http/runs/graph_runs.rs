//! Runs of graphs that stop at breakpoints, and those that failed and go on.

use axum::Json as Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Preference, start_and_respond};
use crate::app::runs::breakpoints::{self, HeldView, Release};
use crate::app::runs::resume::{self, ResumePlan};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, OfRun, to};
use crate::http::request::extract::Json;
use crate::http::request::run_path::{RunInPath, RunPath};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(held)).routes(routes!(release)).routes(routes!(plan, resume))
}

/// What of a run stands at breakpoints, with its values
#[utoipa::path(get, path = "/runs/{run_id}/held", tag = "runs", params(RunInPath), responses((status = 200, body = Vec<HeldView>), Refused))]
async fn held(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::ReadRuns>>,
    RunPath(id): RunPath,
) -> Result<Body<Vec<HeldView>>, Problem> {
    Ok(Body(breakpoints::held(door.ctx(), caller.access(), id).await?))
}

/// Lets a run go on from a breakpoint: everything that is held, or one node or link, perhaps with another value
#[utoipa::path(post, path = "/runs/{run_id}/release", tag = "runs", params(RunInPath), request_body = Release, responses((status = 204), Refused))]
async fn release(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::AnswerRun>>,
    RunPath(id): RunPath,
    Json(body): Json<Release>,
) -> Result<StatusCode, Problem> {
    breakpoints::release(door.ctx(), caller.access(), id, body).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What resuming a failed run would keep, and what it would execute again
#[utoipa::path(get, path = "/runs/{run_id}/resume", tag = "runs", params(RunInPath), responses((status = 200, body = ResumePlan), Refused))]
async fn plan(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::ReadRuns>>,
    RunPath(id): RunPath,
) -> Result<Body<ResumePlan>, Problem> {
    Ok(Body(resume::plan(door.ctx(), caller.access(), id).await?))
}

/// How it goes on.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct ResumeBody {
    /// Call the versions that are live now, instead of those that the run called.
    newer: bool,
}

/// Goes on with a failed run of a graph: a new run that keeps what succeeded
///
/// Responds like `POST /runs`.
#[utoipa::path(post, path = "/runs/{run_id}/resume", tag = "runs", request_body = ResumeBody,
    params(RunInPath, ("Prefer" = Option<String>, Header, description = "`wait=SECONDS` or `respond-async`")),
    responses((status = 200, description = "It has ended, or is waiting", body = model::run::Run), (status = 202, description = "It is still running", body = model::run::Run), Refused))]
async fn resume(
    State(door): State<Door>,
    caller: Allowed<OfRun<to::StartRun>>,
    RunPath(id): RunPath,
    headers: HeaderMap,
    Json(body): Json<ResumeBody>,
) -> Result<Response, Problem> {
    let preference = Preference::of(&headers, door.config().wait)?;
    let request = resume::resume(door.ctx(), caller.access(), id, body.newer).await?;
    start_and_respond(&door, &caller, request, preference).await
}
