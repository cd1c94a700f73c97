//! `/attention`: what needs a person now.

use axum::Json as Body;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::operations::attention::{self, Attention};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(show))
}

/// What needs a person now: schedules and triggers that keep failing, questions and changesets that wait, environments that cannot be built
#[utoipa::path(get, path = "/attention", tag = "server", responses((status = 200, body = Attention), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadBrain>>,
) -> Result<Body<Attention>, Problem> {
    Ok(Body(attention::list(door.ctx(), caller.access()).await?))
}
