//! `/warm`: what functions need to run is made before they run.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use model::name::EntryName;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::Json;
use super::live;
use super::needs::{Allowed, Role, to};
use super::problem::{Problem, Refused};
use crate::app::warming::{self, Warmed};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(warm))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct WarmBody {
    /// The functions.
    names: Vec<EntryName>,
}

/// Makes ready what functions need to run
///
/// Server-sent events: `making` as it goes on, then `done` with the environments that are ready.
#[utoipa::path(post, path = "/warm", tag = "functions", request_body = WarmBody,
    responses((status = 200, description = "`done` carries them", body = Vec<Warmed>, content_type = "text/event-stream"), Refused))]
async fn warm(
    State(door): State<Door>,
    caller: Allowed<Role<to::PrepareEnvironments>>,
    Json(body): Json<WarmBody>,
) -> Result<Response, Problem> {
    let (ctx, access) = (door.ctx().clone(), caller.access().clone());
    live::show(&door, &caller, move |telling| async move {
        let told = Arc::new(move |making| telling.tell("making", &making));
        warming::warm(&ctx, &access, &body.names, told).await
    })
    .await
}
