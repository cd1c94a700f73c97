//! `/templates`: graphs to be copied.

use axum::extract::State;
use axum::{Extension, Json as Body};
use serde_json::{Map, Value};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer};
use super::graphs::graph;
use super::named::{Found, OfGraph};
use crate::app::autogpt::graphs::{self, Purpose};
use crate::http::request::authorization::{Role, to};
use crate::http::request::extract::Json;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, replace))
        .routes(routes!(versions))
}

/// The templates
#[utoipa::path(get, path = "/templates", responses((status = 200, body = Value)))]
async fn list(State(door): State<Door>, caller: Allowed<Role<to::ReadFunctions>>) -> Answer {
    Ok(Body(graphs::list(door.ctx(), caller.access(), Purpose::Template).await?.into()))
}

/// Creates a template
#[utoipa::path(post, path = "/templates", request_body = Value, responses((status = 200, body = Value)))]
async fn create(
    State(door): State<Door>,
    caller: Allowed<Role<to::ApplyChangeset>>,
    Json(body): Json<Map<String, Value>>,
) -> Answer {
    let graph = graph(body)?;
    Ok(Body(graphs::create(door.ctx(), caller.access(), graph, Purpose::Template).await?))
}

/// One template
#[utoipa::path(get, path = "/templates/{graph_id}", params(("graph_id" = String, Path)), responses((status = 200, body = Value)))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadFunctions>>,
    Extension(Found(name)): Extension<Found>,
) -> Answer {
    Ok(Body(graphs::show(door.ctx(), caller.access(), &name, Purpose::Template, None).await?))
}

/// Makes a new version of a template
#[utoipa::path(put, path = "/templates/{graph_id}", params(("graph_id" = String, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn replace(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ApplyChangeset>>,
    Extension(Found(name)): Extension<Found>,
    Json(body): Json<Map<String, Value>>,
) -> Answer {
    let graph = graph(body)?;
    Ok(Body(graphs::replace(door.ctx(), caller.access(), &name, Purpose::Template, graph).await?))
}

/// All versions of a template, the newest first
#[utoipa::path(get, path = "/templates/{graph_id}/versions", params(("graph_id" = String, Path)), responses((status = 200, body = Value)))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadFunctions>>,
    Extension(Found(name)): Extension<Found>,
) -> Answer {
    Ok(Body(graphs::versions(door.ctx(), caller.access(), &name, Purpose::Template).await?.into()))
}
