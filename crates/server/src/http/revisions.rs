//! `/revisions`: how the brain became what it was then.

use axum::Json as Body;
use axum::extract::State;
use model::revision::Revision;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::Path;
use super::needs::{Allowed, Whole, to};
use super::problem::{Problem, Refused};
use crate::app::changesets::{self, ChangesetView};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(made))
}

/// The changeset that made a revision
#[utoipa::path(get, path = "/revisions/{revision}", tag = "changesets", params(("revision" = u64, Path)), responses((status = 200, body = ChangesetView), Refused))]
async fn made(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadChangesets>>,
    Path(revision): Path<u64>,
) -> Result<Body<ChangesetView>, Problem> {
    let number = changesets::number_of(door.ctx(), caller.access(), Revision(revision)).await?;
    Ok(Body(changesets::show(door.ctx(), caller.access(), number).await?))
}
