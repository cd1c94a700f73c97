//! `/models`: language models. The value of no key is ever returned.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use model::llm::LlmName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Whole, to};
use super::request::extract::{Json, Path};
use super::state::Door;
use crate::app::models::{self, ModelView, NewModel, TestedModel};
use crate::llm::FoundServer;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(found))
        .routes(routes!(get, put, remove))
        .routes(routes!(test))
}

/// Lists language models by name
#[utoipa::path(get, path = "/models", tag = "models", responses((status = 200, body = Vec<ModelView>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadModels>>,
) -> Result<Body<Vec<ModelView>>, Problem> {
    Ok(Body(models::list(door.ctx(), caller.access()).await?))
}

/// Servers of language models that listen on the usual ports of the server's machine
///
/// The ports are asked when this is called, and at no other time.
#[utoipa::path(get, path = "/models/found", tag = "models", responses((status = 200, body = Vec<FoundServer>), Refused))]
async fn found(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageModels>>,
) -> Result<Body<Vec<FoundServer>>, Problem> {
    Ok(Body(models::found(door.ctx(), caller.access()).await?))
}

/// A language model: how it is reached, what it is for and what it takes
#[utoipa::path(get, path = "/models/{name}", tag = "models", params(("name" = LlmName, Path)), responses((status = 200, body = ModelView), Refused))]
async fn get(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadModels>>,
    Path(name): Path<LlmName>,
) -> Result<Body<ModelView>, Problem> {
    Ok(Body(models::get(door.ctx(), caller.access(), &name).await?))
}

/// Adds a language model, or replaces the one of that name
///
/// Nothing is asked of it; `POST /models/{name}/test` finds out what it takes.
#[utoipa::path(put, path = "/models/{name}", tag = "models", params(("name" = LlmName, Path)), request_body = NewModel,
    responses((status = 200, body = ModelView), Refused))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageModels>>,
    Path(name): Path<LlmName>,
    Json(body): Json<NewModel>,
) -> Result<Body<ModelView>, Problem> {
    Ok(Body(models::put(door.ctx(), caller.access(), &name, body).await?))
}

/// Removes a language model
#[utoipa::path(delete, path = "/models/{name}", tag = "models", params(("name" = LlmName, Path)), responses((status = 204, description = "It is gone"), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageModels>>,
    Path(name): Path<LlmName>,
) -> Result<StatusCode, Problem> {
    models::remove(door.ctx(), caller.access(), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks a language model a few small questions, and keeps what it takes
#[utoipa::path(post, path = "/models/{name}/test", tag = "models", params(("name" = LlmName, Path)), responses((status = 200, body = TestedModel), Refused))]
async fn test(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageModels>>,
    Path(name): Path<LlmName>,
) -> Result<Body<TestedModel>, Problem> {
    Ok(Body(models::test(door.ctx(), caller.access(), &name).await?))
}
