//! `/triggers`: after which functions a function runs.

use axum::Json as Body;
use axum::extract::State;
use model::name::EntryName;
use serde::Deserialize;
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer};
use super::functions::apply;
use crate::app::functionz::triggers;
use crate::http::request::authorization::{Named, to};
use crate::http::request::caller::Caller;
use crate::http::request::extract::{Json, Path};
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(of, add)).routes(routes!(after))
}

/// After which functions this one runs
#[utoipa::path(get, path = "/triggers/{name}", params(("name" = String, Path)), responses((status = 200, body = serde_json::Value)))]
async fn of(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadTriggers>>,
    Path(name): Path<String>,
) -> Answer {
    Ok(Body(json!(triggers::of(door.ctx(), caller.access(), &name).await?)))
}

/// Which functions run after this one; not among BabyAGI's own routes
#[utoipa::path(get, path = "/triggered/{name}", params(("name" = String, Path)), responses((status = 200, body = serde_json::Value)))]
async fn after(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadTriggers>>,
    Path(name): Path<String>,
) -> Answer {
    Ok(Body(json!(triggers::after(door.ctx(), caller.access(), &name).await?)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TriggerBody {
    triggering_function_name: Option<String>,
}

/// Makes this function run after another, or after any; not among BabyAGI's own routes
#[utoipa::path(post, path = "/triggers/{name}", params(("name" = EntryName, Path)), request_body = serde_json::Value, responses((status = 200, body = serde_json::Value)))]
async fn add(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<TriggerBody>,
) -> Answer {
    added(&door, &caller, name, body.triggering_function_name.as_deref()).await
}

pub(super) async fn added(door: &Door, caller: &Caller, name: EntryName, source: Option<&str>) -> Answer {
    let proposal = triggers::addition(door.ctx(), caller.access(), name, source).await?;
    apply(door, caller, &proposal).await
}
