//! `/doctor`: what this server's machine supports and what it lacks.

use axum::Json as Body;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::operations::doctor::{self, Diagnosis};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Whole, to};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(examine))
}

/// Which sandbox layers the machine supports, and what to do about missing ones
#[utoipa::path(get, path = "/doctor", tag = "server", responses((status = 200, body = Diagnosis), Refused))]
async fn examine(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ExamineServer>>,
) -> Result<Body<Diagnosis>, Problem> {
    Ok(Body(doctor::examine(door.ctx(), caller.access()).await?))
}
