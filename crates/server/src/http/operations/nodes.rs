//! `/nodes`: which servers there are.

use axum::Json as Body;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::operations::nodes::{self, NodeView};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Whole, to};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The servers of this brain: who is there, what each does, and how many runs it executes
#[utoipa::path(get, path = "/nodes", tag = "server", responses((status = 200, body = Vec<NodeView>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadNodes>>,
) -> Result<Body<Vec<NodeView>>, Problem> {
    Ok(Body(nodes::list(door.ctx(), caller.access()).await?))
}
