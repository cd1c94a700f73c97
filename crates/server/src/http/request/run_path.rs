//! The Run in an address: its id, or whatever else people name it by.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use model::access::Access;
use model::ids::RunId;

use super::caller::Caller;
use crate::app::runs::ids;
use crate::http::problem::Problem;
use crate::http::state::Door;

/// What the parameter `run_id` of an address names.
pub(crate) struct RunPath(pub(crate) RunId);

impl FromRequestParts<Door> for RunPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        let stated = stated(parts).await?;
        if let Ok(id) = stated.parse() {
            return Ok(RunPath(id));
        }
        let caller = Caller::of(parts, door).await?;
        Ok(RunPath(ids::find(door.ctx(), caller.access(), &stated).await?))
    }
}

impl RunPath {
    /// The same for a caller who is known already.
    pub(super) async fn read(parts: &mut Parts, access: &Access, door: &Door) -> Result<RunId, Problem> {
        let stated = stated(parts).await?;
        match stated.parse() {
            Ok(id) => Ok(id),
            Err(_) => Ok(ids::find(door.ctx(), access, &stated).await?),
        }
    }
}

async fn stated(parts: &mut Parts) -> Result<String, Problem> {
    let stated = RawPathParams::from_request_parts(parts, &()).await.map_err(|_| Problem::internal())?;
    let found = stated.iter().find(|(name, _)| *name == "run_id").map(|(_, value)| value.to_owned());
    found.ok_or_else(Problem::internal)
}
