//! `/presets`: named inputs of functions and graphs. They are run with `POST /runs`.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use model::name::EntryName;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Named, Role, to};
use super::request::extract::{Json, Path, Query};
use super::request::paging::{List, Page};
use super::request::query::Limit;
use super::state::Door;
use crate::app::presets::{self, PresetView};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(show, put, remove))
}

/// Which presets.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PresetsQuery {
    /// Of this function or graph.
    callable: Option<EntryName>,
    /// `next` of the previous page.
    cursor: Option<String>,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
}

/// Lists presets by what they are for, and by name
#[utoipa::path(get, path = "/presets", tag = "runs", params(PresetsQuery), responses((status = 200, body = Page<PresetView>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadPresets>>,
    Query(query): Query<PresetsQuery>,
) -> Result<Body<Page<PresetView>>, Problem> {
    let limit = query.limit.get();
    let after = List::Presets.begin::<String>(query.cursor.as_deref(), None)?;
    let after = after.and_then(|place| {
        let (callable, name) = place.split_once(' ')?;
        Some((callable.to_owned(), name.to_owned()))
    });
    let items = presets::list(door.ctx(), caller.access(), query.callable.as_ref(), after, limit).await?;
    let place = |item: &PresetView| format!("{} {}", item.preset.callable, item.preset.name);
    Ok(Body(List::Presets.page_of(items, limit, place)))
}

/// A preset, and whether it fits what is live
#[utoipa::path(get, path = "/presets/{name}/{preset}", tag = "runs", params(("name" = EntryName, Path), ("preset" = String, Path)), responses((status = 200, body = PresetView), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadPresets>>,
    Path((name, preset)): Path<(EntryName, String)>,
) -> Result<Body<PresetView>, Problem> {
    Ok(Body(presets::show(door.ctx(), caller.access(), &name, &preset).await?))
}

/// What a preset states.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PresetBody {
    /// Arguments by name; required ones may be left out.
    input: Map<String, Value>,
}

/// Adds a preset, or replaces the one with that name
#[utoipa::path(put, path = "/presets/{name}/{preset}", tag = "runs", params(("name" = EntryName, Path), ("preset" = String, Path)), request_body = PresetBody,
    responses((status = 200, body = PresetView), Refused))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Named<to::ChangePresets>>,
    Path((name, preset)): Path<(EntryName, String)>,
    Json(body): Json<PresetBody>,
) -> Result<Body<PresetView>, Problem> {
    Ok(Body(presets::put(door.ctx(), caller.access(), &name, &preset, body.input).await?))
}

/// Deletes a preset
#[utoipa::path(delete, path = "/presets/{name}/{preset}", tag = "runs", params(("name" = EntryName, Path), ("preset" = String, Path)), responses((status = 204), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ChangePresets>>,
    Path((name, preset)): Path<(EntryName, String)>,
) -> Result<StatusCode, Problem> {
    presets::remove(door.ctx(), caller.access(), &name, &preset).await?;
    Ok(StatusCode::NO_CONTENT)
}
