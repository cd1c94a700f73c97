//! `/runs/prune`: removes old records.

use axum::Json as Body;
use axum::extract::State;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::operations::retention::{self, Pruned, Retention};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Whole, to};
use crate::http::request::extract::Json;
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(prune))
}

/// What to keep; runs that have not ended are always kept. At least one is required.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PruneBody {
    /// Runs that ended at this time or later.
    since: Option<Timestamp>,
    /// Always keep at least this many of the newest runs.
    newest: Option<u32>,
    /// As many of the newest as take at most this many bytes.
    bytes: Option<u64>,
    /// Rewrite the SQLite file afterwards to return all free space. This blocks writes, and needs disk space for a copy.
    #[serde(default)]
    rewrite: bool,
}

/// Permanently removes the records of old runs
#[utoipa::path(post, path = "/runs/prune", tag = "runs", request_body = PruneBody, responses((status = 200, body = Pruned), Refused))]
async fn prune(
    State(door): State<Door>,
    caller: Allowed<Whole<to::PruneRuns>>,
    Json(body): Json<PruneBody>,
) -> Result<Body<Pruned>, Problem> {
    let keep = Retention { since: body.since, newest: body.newest, bytes: body.bytes };
    if keep.since.is_none() && keep.newest.is_none() && keep.bytes.is_none() {
        return Err(
            Problem::bad_request("nothing says which runs to keep").hint("send `since`, `newest` or `bytes`")
        );
    }
    Ok(Body(retention::prune(door.ctx(), caller.access(), keep, body.rewrite, |_| {}).await?))
}
