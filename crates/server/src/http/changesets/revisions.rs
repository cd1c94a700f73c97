//! `/revisions`: which changeset created a revision.

use axum::Json as Body;
use axum::extract::State;
use model::revision::Revision;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::changesets::{self, ChangesetView};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Whole, to};
use crate::http::request::extract::Path;
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(made))
}

/// The changeset that created a revision
#[utoipa::path(get, path = "/revisions/{revision}", tag = "changesets", params(("revision" = u64, Path)), responses((status = 200, body = ChangesetView), Refused))]
async fn made(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadChangesets>>,
    Path(revision): Path<u64>,
) -> Result<Body<ChangesetView>, Problem> {
    let number = changesets::number_of(door.ctx(), caller.access(), Revision(revision)).await?;
    Ok(Body(changesets::show(door.ctx(), caller.access(), number).await?))
}
