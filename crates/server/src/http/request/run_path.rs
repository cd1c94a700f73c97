//! The Run in an address: its id, or whatever else people name it by.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use model::access::Access;
use model::ids::RunId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::caller::Caller;
use crate::app::runs::ids;
use crate::http::problem::Problem;
use crate::http::state::Door;

/// What the parameter `run_id` of an address names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunPath(pub(crate) RunId);

/// The same, as it is described.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "addresses are read by `RunPath`; this is their description")]
pub(crate) struct RunInPath {
    /// The id of a run, four or more digits with which no other id begins or ends, `last`, or `last:NAME`
    run_id: String,
}

impl FromRequestParts<Door> for RunPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        // What was judged is what it is done to: `last` may be another Run by now.
        if let Some(judged) = parts.extensions.get::<RunPath>() {
            return Ok(*judged);
        }
        let caller = Caller::of(parts, door).await?;
        RunPath::find(parts, caller.access(), door).await
    }
}

impl RunPath {
    /// Looks it up for a caller who is known already, once for a request.
    pub(super) async fn find(parts: &mut Parts, access: &Access, door: &Door) -> Result<RunPath, Problem> {
        let stated = stated(parts).await?;
        let run = match stated.parse() {
            Ok(run) => RunPath(run),
            Err(_) => RunPath(ids::find(door.ctx(), access, &stated).await?),
        };
        parts.extensions.insert(run);
        Ok(run)
    }
}

async fn stated(parts: &mut Parts) -> Result<String, Problem> {
    let stated = RawPathParams::from_request_parts(parts, &()).await.map_err(|_| Problem::internal())?;
    let found = stated.iter().find(|(name, _)| *name == "run_id").map(|(_, value)| value.to_owned());
    found.ok_or_else(Problem::internal)
}
