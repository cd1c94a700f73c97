//! `/brain` and `/caller`: what is in the brain, and who the caller is.

use axum::Json as Body;
use axum::extract::State;
use model::access::actor::Actor;
use model::access::grantable::Grantable;
use model::access::token::TokenRole;
use model::entry::EntryKind;
use model::ids::BrainId;
use model::revision::Revision;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Known, Role, to};
use super::state::Door;
use crate::app::operations::{outage, status};
use crate::app::{functions, packs, secrets};
use crate::error::Error;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(brain)).routes(routes!(caller))
}

/// A brain, in numbers.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct BrainView {
    pub brain_id: BrainId,
    /// Of the server.
    pub version: String,
    pub revision: Revision,
    pub functions: u64,
    pub graphs: u64,
    pub triggers: u64,
    pub schedules: u64,
    pub packs: u64,
    pub secrets: u64,
    /// Why nothing can be written now. To those who may see all of the brain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// What is in the brain
#[utoipa::path(get, path = "/brain", tag = "server", responses((status = 200, body = BrainView), Refused))]
async fn brain(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadBrain>>,
) -> Result<Body<BrainView>, Problem> {
    let ctx = door.ctx();
    let counts = functions::counts(ctx, caller.access()).await?;
    let count =
        |kind: EntryKind| counts.iter().find(|(counted, _)| *counted == kind).map_or(0, |(_, count)| *count);
    Ok(Body(BrainView {
        brain_id: ctx.brain_id,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: status::revision(ctx, caller.access()).await?,
        functions: count(EntryKind::Function),
        graphs: count(EntryKind::Graph),
        triggers: count(EntryKind::Trigger),
        schedules: count(EntryKind::Schedule),
        // What belongs to the whole brain is counted for those who may see all of it.
        packs: counted(packs::list(ctx, caller.access()).await)?,
        secrets: counted(secrets::list(ctx, caller.access()).await)?,
        degraded: outage::outage(ctx, caller.access()),
    }))
}

fn counted<T>(listed: Result<Vec<T>, Error>) -> Result<u64, Problem> {
    match listed {
        Ok(listed) => Ok(listed.len() as u64),
        Err(Error::Denied(_)) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// The caller, as the server knows them.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CallerView {
    pub actor: Actor,
    pub role: TokenRole,
    /// Patterns of the names it may touch; empty means all.
    pub patterns: Vec<String>,
    /// Patterns of other names that its functions may call; absent for all.
    pub uses: Option<Vec<String>>,
    /// What its functions may be granted.
    #[schema(value_type = Vec<String>)]
    pub grants: Grantable,
}

/// Who the caller is, and what they may do
#[utoipa::path(get, path = "/caller", tag = "server", responses((status = 200, body = CallerView), Refused))]
async fn caller(State(_): State<Door>, caller: Allowed<Known>) -> Result<Body<CallerView>, Problem> {
    let access = caller.access();
    let authority = &access.authority;
    Ok(Body(CallerView {
        actor: access.actor.clone(),
        role: authority.role,
        patterns: authority.only.patterns().unwrap_or_default().to_vec(),
        uses: authority.uses.patterns().map(<[String]>::to_vec),
        grants: authority.grants.clone(),
    }))
}
