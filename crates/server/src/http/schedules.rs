//! `/schedules`: add, pause, resume, show, run now.

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::name::EntryName;
use model::run::Run;
use model::schedule::ScheduleContent;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Named, Role, to};
use super::request::extract::{Json, Path, Query};
use super::request::paging::{List, Page, PageQuery};
use super::request::query::Count;
use super::runs::{Preference, start_and_respond};
use super::state::Door;
use crate::app::changesets::Applied;
use crate::app::schedules::{self, ScheduleLine, ScheduleView};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(run))
}

/// Lists schedules by name
#[utoipa::path(get, path = "/schedules", tag = "schedules", params(PageQuery), responses((status = 200, body = Page<ScheduleLine>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadSchedules>>,
    Query(query): Query<PageQuery>,
) -> Result<Body<Page<ScheduleLine>>, Problem> {
    let limit = query.limit();
    let after = query.after(List::Schedules)?;
    let page = schedules::list(door.ctx(), caller.access(), after.as_deref(), limit).await?;
    Ok(Body(List::Schedules.page(page.schedules, page.next)))
}

/// How much is shown.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct TimesQuery {
    /// How many of the next times, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 0, maximum = 1000, default = 5)]
    times: Count<0, 1000, 5>,
}

/// One schedule, with its next times and its last ticks
#[utoipa::path(get, path = "/schedules/{name}", tag = "schedules", params(("name" = EntryName, Path), TimesQuery), responses((status = 200, body = ScheduleView), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadSchedules>>,
    Path(name): Path<EntryName>,
    Query(query): Query<TimesQuery>,
) -> Result<Body<ScheduleView>, Problem> {
    let times = query.times.get() as usize;
    Ok(Body(schedules::show(door.ctx(), caller.access(), &name, times).await?))
}

/// Adds a schedule, or replaces the one with that name
#[utoipa::path(put, path = "/schedules/{name}", tag = "schedules", params(("name" = EntryName, Path)), request_body = ScheduleContent, responses((status = 200, body = Applied), Refused))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Json(content): Json<ScheduleContent>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(schedules::put(door.ctx(), caller.access(), name, content).await?))
}

/// Deletes a schedule
#[utoipa::path(delete, path = "/schedules/{name}", tag = "schedules", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(schedules::remove(door.ctx(), caller.access(), name).await?))
}

/// Pauses a schedule
#[utoipa::path(post, path = "/schedules/{name}/pause", tag = "schedules", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn pause(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(schedules::switch(door.ctx(), caller.access(), name, true).await?))
}

/// Resumes a schedule; missed ticks are not made up for
#[utoipa::path(post, path = "/schedules/{name}/resume", tag = "schedules", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn resume(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(schedules::switch(door.ctx(), caller.access(), name, false).await?))
}

/// Runs the target of a schedule now
#[utoipa::path(post, path = "/schedules/{name}/run", tag = "schedules",
    params(("name" = EntryName, Path), ("Prefer" = Option<String>, Header, description = "`wait=SECONDS` or `respond-async`")),
    responses((status = 200, body = Run), (status = 202, body = Run), Refused))]
async fn run(
    State(door): State<Door>,
    caller: Allowed<Named<to::StartRun>>,
    Path(name): Path<EntryName>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let request = schedules::now(door.ctx(), caller.access(), &name).await?;
    let preference = Preference::of(&headers, door.config().wait)?;
    start_and_respond(&door, &caller, request, preference).await
}
