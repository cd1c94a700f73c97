//! What the machine and the brain of this server support, and what to do about what is missing.

use model::access::Access;
use model::access::verb::Verb;
use model::revision::Revision;
use sandbox::{Layer, Sandbox};
use serde::Serialize;

use crate::ctx::Ctx;
use crate::engine::ExecutionError;
use crate::error::Error;

#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Diagnosis {
    /// Whether functions can be run: no required layer is missing.
    pub well: bool,
    pub version: &'static str,
    pub revision: Revision,
    /// The layers of the sandbox.
    pub sandbox: Vec<SandboxLayer>,
}

/// A layer of the sandbox.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SandboxLayer {
    pub name: String,
    pub available: bool,
    /// Required to run functions, unless a weaker sandbox is allowed.
    pub required: bool,
    pub why_not: Option<String>,
    pub what_to_do: Option<String>,
}

pub async fn examine(ctx: &Ctx, access: &Access) -> Result<Diagnosis, Error> {
    access.may_touch_all(Verb::ExamineServer)?;
    let revision = ctx.store.revision().await?;
    let layers = Sandbox::examine(&sandbox::Config::default()).await.map_err(ExecutionError::Sandbox)?;
    Ok(Diagnosis {
        well: layers.iter().all(|layer| layer.available || !layer.required),
        version: env!("CARGO_PKG_VERSION"),
        revision,
        sandbox: layers.into_iter().map(SandboxLayer::from).collect(),
    })
}

impl From<Layer> for SandboxLayer {
    fn from(layer: Layer) -> SandboxLayer {
        let Layer { name, available, required, why_not, what_to_do } = layer;
        SandboxLayer { name, available, required, why_not, what_to_do }
    }
}
