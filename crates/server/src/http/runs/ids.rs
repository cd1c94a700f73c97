//! `/run-ids`: Runs as people name them, by the beginning or the end of an id.

use axum::Json as Body;
use axum::extract::State;
use model::ids::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::runs::ids;
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::request::extract::Path;
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(find))
}

/// The one run whose id is this, or begins or ends with it
#[utoipa::path(get, path = "/run-ids/{part}", tag = "runs", params(("part" = String, Path, description = "At least four hexadecimal digits")),
    responses((status = 200, body = RunId), Refused))]
async fn find(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    Path(part): Path<String>,
) -> Result<Body<RunId>, Problem> {
    Ok(Body(ids::find(door.ctx(), caller.access(), &part).await?))
}
