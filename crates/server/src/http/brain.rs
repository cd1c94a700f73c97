//! `/brain` and `/caller`: what the brain holds, and who asks.

use axum::Json as Body;
use axum::extract::State;
use model::actor::Actor;
use model::entry::EntryKind;
use model::grantable::Grantable;
use model::ids::BrainId;
use model::revision::Revision;
use model::token::TokenRole;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::needs::{Allowed, Known, Role, to};
use super::problem::{Problem, Refused};
use crate::app::error::Error;
use crate::app::{functions, outage, packs, secrets};

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

/// What the brain holds
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
        revision: ctx.store.revision().await.map_err(Error::from)?,
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

/// Somebody, as the server knows them.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CallerView {
    pub actor: Actor,
    pub role: TokenRole,
    /// Patterns of the names it may touch; empty means all.
    pub patterns: Vec<String>,
    /// Patterns of names that functions it writes may call besides; absent for all.
    pub uses: Option<Vec<String>>,
    /// What functions it writes may be granted.
    #[schema(value_type = Vec<String>)]
    pub grants: Grantable,
}

/// Who asks, and what they may do
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
