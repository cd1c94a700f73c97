//! `/graphs`: list, show, create, replace, and their versions.

use axum::extract::State;
use axum::{Extension, Json as Body};
use model::access::verb::Verb;
use model::entry::EntryKind;
use model::version::VersionNumber;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use super::named::{Found, OfGraph};
use crate::app::autogpt::find;
use crate::app::autogpt::graphs::{self, Purpose};
use crate::http::problem::Problem;
use crate::http::request::authorization::{Role, to};
use crate::http::request::extract::{Json, Path, Query};
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, replace))
        .routes(routes!(versions))
        .routes(routes!(activate))
        .routes(routes!(version))
        .routes(routes!(input_schema))
}

/// The active graphs
#[utoipa::path(get, path = "/graphs", responses((status = 200, body = Value)))]
async fn list(State(door): State<Door>, caller: Allowed<Role<to::ReadFunctions>>) -> Answer {
    Ok(Body(graphs::list(door.ctx(), caller.access(), Purpose::ToRun).await?.into()))
}

/// Creates a graph: from `graph`, or from `template_id` and `template_version`
#[utoipa::path(post, path = "/graphs", request_body = Value, responses((status = 200, body = Value)))]
async fn create(
    State(door): State<Door>,
    caller: Allowed<Role<to::ApplyChangeset>>,
    Json(body): Json<Map<String, Value>>,
) -> Answer {
    let Some(id) = body.get("template_id").filter(|id| !id.is_null()) else {
        let graph = graph(body)?;
        return Ok(Body(graphs::create(door.ctx(), caller.access(), graph, Purpose::ToRun).await?));
    };
    let id = id.as_str().unwrap_or_default();
    let number = match body.get("template_version") {
        None | Some(Value::Null) => None,
        Some(number) => Some(version_number(number)?),
    };
    let (ctx, access) = (door.ctx(), caller.access());
    let Some(template) = find(ctx, access, Verb::ReadFunctions, EntryKind::Graph, id).await? else {
        return Err(Problem::of("not_found", format!("there is no template with the id `{id}`")).into());
    };
    Ok(Body(graphs::copy(ctx, access, &template, number).await?))
}

/// The graph in the body of a request; in July 2024 it was the body.
pub(super) fn graph(mut body: Map<String, Value>) -> Result<Map<String, Value>, NotDone> {
    match body.shift_remove("graph") {
        Some(Value::Object(graph)) => Ok(graph),
        None if body.contains_key("nodes") => Ok(body),
        _ => Err(NotDone::bad_request("either `graph` or `template_id` must be given")),
    }
}

pub(super) fn version_number(value: &Value) -> Result<VersionNumber, NotDone> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number
        .map(VersionNumber)
        .ok_or_else(|| NotDone::bad_request(format!("`{value}` is not a version number")))
}

/// Which version.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct VersionQuery {
    /// The active one if absent.
    version: Option<u32>,
}

/// One graph
#[utoipa::path(get, path = "/graphs/{graph_id}", params(("graph_id" = String, Path), VersionQuery), responses((status = 200, body = Value)))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadFunctions>>,
    Extension(Found(name)): Extension<Found>,
    Query(query): Query<VersionQuery>,
) -> Answer {
    let number = query.version.map(VersionNumber);
    Ok(Body(graphs::show(door.ctx(), caller.access(), &name, Purpose::ToRun, number).await?))
}

/// Makes a new version of a graph, which becomes the active one
#[utoipa::path(put, path = "/graphs/{graph_id}", params(("graph_id" = String, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn replace(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ApplyChangeset>>,
    Extension(Found(name)): Extension<Found>,
    Json(body): Json<Map<String, Value>>,
) -> Answer {
    let graph = graph(body)?;
    Ok(Body(graphs::replace(door.ctx(), caller.access(), &name, Purpose::ToRun, graph).await?))
}

/// All versions of a graph, the newest first
#[utoipa::path(get, path = "/graphs/{graph_id}/versions", params(("graph_id" = String, Path)), responses((status = 200, body = Value)))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadFunctions>>,
    Extension(Found(name)): Extension<Found>,
) -> Answer {
    Ok(Body(graphs::versions(door.ctx(), caller.access(), &name, Purpose::ToRun).await?.into()))
}

/// One version of a graph
#[utoipa::path(get, path = "/graphs/{graph_id}/versions/{version}", params(("graph_id" = String, Path), ("version" = u32, Path)), responses((status = 200, body = Value)))]
async fn version(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadFunctions>>,
    Extension(Found(name)): Extension<Found>,
    Path((_, version)): Path<(String, u32)>,
) -> Answer {
    let number = Some(VersionNumber(version));
    Ok(Body(graphs::show(door.ctx(), caller.access(), &name, Purpose::ToRun, number).await?))
}

/// Makes another version the active one: `active_graph_version`
#[utoipa::path(put, path = "/graphs/{graph_id}/versions/active", params(("graph_id" = String, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn activate(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ApplyChangeset>>,
    Extension(Found(name)): Extension<Found>,
    Json(body): Json<Map<String, Value>>,
) -> Answer {
    let number = version_number(body.get("active_graph_version").unwrap_or(&Value::Null))?;
    graphs::activate(door.ctx(), caller.access(), &name, number).await?;
    Ok(Body(Value::Null))
}

/// JSON Schema of what a run of the graph takes
#[utoipa::path(get, path = "/graphs/{graph_id}/input_schema", params(("graph_id" = String, Path)), responses((status = 200, body = Value)))]
async fn input_schema(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadFunctions>>,
    Extension(Found(name)): Extension<Found>,
) -> Answer {
    Ok(Body(graphs::input_schema(door.ctx(), caller.access(), &name).await?))
}
