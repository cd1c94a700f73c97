//! Functions that call others in the same cell, each Call recorded with what it took and gave.

use std::time::Duration;

use anyhow::ensure;
use model::function::FunctionDraft;
use serde_json::json;
use store::Durability;

use super::functions::{ADD, LEAF, LOOP, chain};
use super::report::{Report, SELFMADE, Work};
use super::world::{Place, World};
use crate::load;
use crate::measure::{Times, human};

/// So many Calls in one run.
const CALLS: usize = 5_000;
const RUNS: usize = 25;
const DEPTHS: [usize; 4] = [1, 10, 50, 100];
const CHAINS: usize = 100;

pub(super) async fn measure(report: &mut Report, place: &Place) -> anyhow::Result<()> {
    load::tell("calls of one function by another, in one cell")?;
    let world = place.brain("calls", Durability::Power).await?;
    world.register([ADD, LOOP, LEAF].map(FunctionDraft::of_source).to_vec()).await?;
    let run = world.run("loop", json!({ "times": CALLS })).await?;
    let dropped = run.usage.map(|usage| usage.calls_dropped);
    ensure!(dropped == Some(0), "{dropped:?} Calls were not recorded");
    inner(report, &world).await?;
    chains(report, &world).await?;
    world.ctx.close().await;
    Ok(())
}

/// What a run of many Calls takes beyond one of none, for each.
async fn inner(report: &mut Report, world: &World) -> anyhow::Result<()> {
    let [mut none, mut many] = [const { Times(Vec::new()) }; 2];
    for _ in 0..RUNS {
        none.0.push(world.time("loop", json!({ "times": 0 })).await?);
        many.0.push(world.time("loop", json!({ "times": CALLS })).await?);
    }
    let beyond = many.percentile(50).saturating_sub(none.percentile(50));
    let each = beyond / CALLS as u32;
    report.other(
        "an inner Call, from the call to its committed record",
        format!("{:.2} µs ({CALLS} in a run)", each.as_secs_f64() * 1e6),
    );
    report.beside(Work::InnerCall, SELFMADE, Times(vec![each]));
    Ok(())
}

async fn chains(report: &mut Report, world: &World) -> anyhow::Result<()> {
    let mut medians = Vec::new();
    for depth in DEPTHS {
        let name = format!("deep{depth}");
        world.register(chain(&name, depth)).await?;
        let times = world.back_to_back(&format!("{name}_0"), &json!({ "value": 1 }), CHAINS).await?;
        medians.push((depth, times.percentile(50)));
        if depth == 10 {
            report.beside(Work::ChainOf10, SELFMADE, times.clone());
        }
        report.timed(&format!("a chain of {depth}, flushed"), times);
    }
    let (_, one) = medians[0];
    let level = |(depth, median): (usize, Duration)| {
        format!("{} a level at {depth}", human(median.saturating_sub(one) / (depth - 1) as u32))
    };
    let levels: Vec<String> = medians[1..].iter().copied().map(level).collect();
    report.other("a chain's levels beyond the first", levels.join(", "));
    Ok(())
}
