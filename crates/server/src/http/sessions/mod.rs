//! `/sessions`: lists and ends the sessions of signed-in browsers.

pub(crate) mod sign_in;
pub(crate) mod sign_out;

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use model::access::session::Session;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Whole, to};
use super::request::extract::Path;
use super::state::Door;
use crate::app::sessions;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(end))
}

/// Lists the sessions of signed-in browsers
#[utoipa::path(get, path = "/sessions", tag = "sessions", responses((status = 200, body = Vec<Session>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageSessions>>,
) -> Result<Body<Vec<Session>>, Problem> {
    Ok(Body(sessions::list(door.ctx(), caller.access()).await?))
}

/// Ends a session and signs its browser out
#[utoipa::path(delete, path = "/sessions/{name}", tag = "sessions", params(("name" = String, Path)), responses((status = 204, description = "It has ended"), Refused))]
async fn end(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageSessions>>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    sessions::end(door.ctx(), caller.access(), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
