//! Estimates: how long a run of a Graph takes, as far as recorded runs of what it calls say.

use std::collections::{BTreeMap, BTreeSet};

use model::access::Access;
use model::access::verb::Verb;
use model::graph::Node;
use model::graph::estimate::{BlockStatistics, Estimate, estimate as estimate_graph};
use model::name::EntryName;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};

use super::source::{GraphSource, content};
use crate::ctx::Ctx;
use crate::error::Error;

/// Of more blocks no recorded runs are read. They count as unknown.
const MOST_BLOCKS: usize = 200;

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct GraphEstimate {
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether the time is all there is to expect: no node is unknown, waits for a person, or may run more than once.
    pub complete: bool,
    /// What it is based on.
    pub blocks: Vec<BlockRuns>,
    /// Recorded runs of the graph itself, whichever version.
    pub recorded: Option<BlockStatistics>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct BlockRuns {
    pub block: String,
    /// The version that nodes pin; all versions if absent.
    pub version: Option<VersionNumber>,
    #[serde(flatten)]
    pub statistics: BlockStatistics,
}

pub async fn estimate(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    source: GraphSource,
) -> Result<GraphEstimate, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    access.may_touch(Verb::ReadInsights, name.as_str())?;
    let content = content(ctx, access, name, source).await?;
    let called: BTreeSet<(&str, Option<VersionNumber>)> =
        content.nodes.iter().filter_map(Node::calls).filter(|(name, _)| access.covers(name)).collect();
    let names: BTreeSet<&str> = called.iter().map(|(name, _)| *name).take(MOST_BLOCKS).collect();
    let mut known = BTreeMap::new();
    for block in names {
        let runs = ctx.store.run_durations(block).await?;
        for (name, version) in called.iter().filter(|(name, _)| *name == block) {
            let of_version = runs.iter().filter(|run| version.is_none() || run.version == *version);
            let durations = of_version.map(|run| run.duration_us).collect();
            known.extend(BlockStatistics::of(durations).map(|statistics| ((*name, *version), statistics)));
        }
    }
    let estimate = estimate_graph(&content, &|name, version| known.get(&(name, version)).copied());
    let own = ctx.store.run_durations(name.as_str()).await?;
    Ok(GraphEstimate {
        complete: estimate.is_complete(),
        estimate,
        recorded: BlockStatistics::of(own.iter().map(|run| run.duration_us).collect()),
        blocks: known
            .iter()
            .map(|((name, version), statistics)| BlockRuns {
                block: (*name).to_owned(),
                version: *version,
                statistics: *statistics,
            })
            .collect(),
    })
}
