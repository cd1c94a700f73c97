//! `/runs/prune`: old records go.

use axum::Json as Body;
use axum::extract::State;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::Json;
use super::needs::{Allowed, Whole, to};
use super::problem::{Problem, Refused};
use crate::app::retention::{self, Pruned, Retention};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(prune))
}

/// What stays; runs that have not ended always do. At least one has to be said.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PruneBody {
    /// Those that ended at this time or later.
    since: Option<Timestamp>,
    /// So many of the newest, whatever else is said.
    newest: Option<u32>,
    /// As many of the newest as take no more than this.
    bytes: Option<u64>,
    /// Write a SQLite file anew afterwards, so that it gives back all room. Nobody else can write meanwhile, and the disk needs room for
    /// the copy.
    #[serde(default)]
    rewrite: bool,
}

/// Removes the records of old runs, for good
#[utoipa::path(post, path = "/runs/prune", tag = "runs", request_body = PruneBody, responses((status = 200, body = Pruned), Refused))]
async fn prune(
    State(door): State<Door>,
    caller: Allowed<Whole<to::PruneRuns>>,
    Json(body): Json<PruneBody>,
) -> Result<Body<Pruned>, Problem> {
    let keep = Retention { since: body.since, newest: body.newest, bytes: body.bytes };
    if keep.since.is_none() && keep.newest.is_none() && keep.bytes.is_none() {
        return Err(
            Problem::bad_request("it is not said what stays").hint("send `since`, `newest` or `bytes`")
        );
    }
    Ok(Body(retention::prune(door.ctx(), caller.access(), keep, body.rewrite, |_| {}).await?))
}
