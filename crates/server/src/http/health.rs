//! Whether the server is well: for those who restart it, and for people.

use axum::Json;
use axum::extract::State;
use model::revision::Revision;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::problem::{Problem, Refused};
use crate::app::error::Error;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(health))
}

/// What anybody may know.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// Always `true`: a server that cannot even read answers a problem.
    ok: bool,
    /// Whether nothing can be written now; `GET /brain` says why. It goes on by itself when something can.
    degraded: bool,
    version: &'static str,
    revision: Revision,
}

/// Whether the server and its database answer
#[utoipa::path(get, path = "/health", tag = "server", security(()), responses((status = 200, body = Health), Refused))]
async fn health(State(door): State<Door>) -> Result<Json<Health>, Problem> {
    let revision = door.ctx().store.revision().await.map_err(Error::from)?;
    let degraded = door.ctx().store.outage().is_some();
    Ok(Json(Health { ok: true, degraded, version: env!("CARGO_PKG_VERSION"), revision }))
}
