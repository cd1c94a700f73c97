//! Whether the server is healthy: for supervisors, and for people.

use axum::Json;
use axum::extract::State;
use model::revision::Revision;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::operations::status;
use crate::http::problem::{Problem, Refused};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(health))
}

/// Public information.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// Always `true`: a server that cannot even read responds with an error.
    ok: bool,
    /// Whether nothing can be written now; `GET /brain` says why. It recovers by itself.
    degraded: bool,
    version: &'static str,
    revision: Revision,
}

/// Whether the server and its database respond
#[utoipa::path(get, path = "/health", tag = "server", security(()), responses((status = 200, body = Health), Refused))]
async fn health(State(door): State<Door>) -> Result<Json<Health>, Problem> {
    let status::Health { revision, is_degraded: degraded } = status::health(door.ctx()).await?;
    Ok(Json(Health { ok: true, degraded, version: env!("CARGO_PKG_VERSION"), revision }))
}
