//! `/warm`: builds the environments of functions before they run.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use model::name::EntryName;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::functions::warming::{self, Warmed};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::request::extract::Json;
use crate::http::state::Door;
use crate::http::streams::progress;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(warm))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct WarmBody {
    /// The functions.
    names: Vec<EntryName>,
}

/// Prepares the environments of functions
///
/// Server-sent events: `making` as it progresses, then `done` with the environments that are ready.
#[utoipa::path(post, path = "/warm", tag = "functions", request_body = WarmBody,
    responses((status = 200, description = "`done` carries them", body = Vec<Warmed>, content_type = "text/event-stream"), Refused))]
async fn warm(
    State(door): State<Door>,
    caller: Allowed<Role<to::PrepareEnvironments>>,
    Json(body): Json<WarmBody>,
) -> Result<Response, Problem> {
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    progress::stream(&door, &caller, move |progress| async move {
        let told = Arc::new(move |making| progress.report("making", &making));
        warming::warm(&ctx, &access, &body.names, told).await
    })
    .await
}
