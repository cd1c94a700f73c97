//! `/doctor`: what this server has and what it lacks.

use axum::Json as Body;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::needs::{Allowed, Whole, to};
use super::problem::{Problem, Refused};
use crate::app::doctor::{self, Diagnosis};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(examine))
}

/// What the machine offers to keep foreign code in its place, and what to do about what is missing
#[utoipa::path(get, path = "/doctor", tag = "server", responses((status = 200, body = Diagnosis), Refused))]
async fn examine(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ExamineServer>>,
) -> Result<Body<Diagnosis>, Problem> {
    Ok(Body(doctor::examine(door.ctx(), caller.access()).await?))
}
