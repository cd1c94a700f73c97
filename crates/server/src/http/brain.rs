//! `/brain` and `/caller`: what the brain holds, and who asks.

use axum::Json as Body;
use axum::extract::State;
use model::verb::Need;
use model::actor::Actor;
use model::entry::EntryKind;
use model::ids::BrainId;
use model::revision::Revision;
use model::token::TokenRole;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::door::Door;
use super::problem::{Problem, Refused};
use crate::app::error::Error;
use crate::app::{functions, packs, secrets};

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
}

/// What the brain holds
#[utoipa::path(get, path = "/brain", tag = "server", responses((status = 200, body = BrainView), Refused))]
async fn brain(State(door): State<Door>, caller: Caller) -> Result<Body<BrainView>, Problem> {
    caller.may(Need::View)?;
    let ctx = door.ctx();
    let counts = functions::counts(ctx).await?;
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
        packs: packs::list(ctx).await?.len() as u64,
        secrets: secrets::list(ctx).await?.len() as u64,
    }))
}

/// Somebody, as the server knows them.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CallerView {
    pub actor: Actor,
    pub role: TokenRole,
    /// Patterns of the names it may touch; empty means all.
    pub patterns: Vec<String>,
}

/// Who asks, and what they may do
#[utoipa::path(get, path = "/caller", tag = "server", responses((status = 200, body = CallerView), Refused))]
async fn caller(State(_): State<Door>, caller: Caller) -> Result<Body<CallerView>, Problem> {
    let access = caller.access();
    Ok(Body(CallerView { actor: access.actor.clone(), role: access.role, patterns: access.patterns.clone() }))
}
