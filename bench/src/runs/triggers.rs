//! A chain of ten functions, each started by the end of the one before: from the request to the end of the last.

use std::time::Instant;

use anyhow::ensure;
use model::content::Content;
use model::function::FunctionDraft;
use model::name::EntryName;
use model::trigger::TriggerContent;
use serde_json::json;
use server::app::changesets::drafts::Intent;
use store::Durability;

use super::functions::{apart, warm};
use super::report::{Report, SELFMADE, Work};
use super::world::{Place, SMALL, World};
use crate::load;
use crate::measure::Times;

const LINKS: usize = 10;
const CHAINS: usize = 40;

pub(super) async fn measure(report: &mut Report, place: &Place) -> anyhow::Result<()> {
    load::tell("a chain of triggers")?;
    let fresh = chains(place, "triggers", apart("link", LINKS)).await?;
    let kept = apart("link", LINKS).into_iter().map(warm).collect();
    let kept = chains(place, "warm-triggers", kept).await?;
    for (work, what, times) in [(Work::TriggerChain, "fresh", fresh), (Work::WarmTriggerChain, "warm", kept)]
    {
        report.beside(work, SELFMADE, times.clone());
        report.timed(&format!("a trigger chain of 10 in {what} cells, flushed"), times);
    }
    Ok(())
}

async fn chains(place: &Place, name: &str, drafts: Vec<FunctionDraft>) -> anyhow::Result<Times> {
    let world = place.brain(name, Durability::Power).await?;
    world.register(drafts).await?;
    world.propose(links()?).await?;
    world.fill(LINKS, SMALL).await?;
    let mut times = Times::default();
    for n in 0..CHAINS + 3 {
        let time = chain(&world).await?;
        // The first ones start the sandbox.
        times.0.extend((n >= 3).then_some(time));
    }
    world.ctx.close().await;
    Ok(times)
}

fn links() -> anyhow::Result<Vec<Intent>> {
    let link = |n: usize| {
        let (upstream, target) = (format!("link_{}", n - 1), EntryName::new(&format!("link_{n}"))?);
        let name = TriggerContent::name_after(&upstream, &target)?;
        Ok(Intent::Put(name, Content::Trigger(TriggerContent::after(&upstream, target))))
    };
    (1..LINKS).map(link).collect()
}

async fn chain(world: &World) -> anyhow::Result<std::time::Duration> {
    let begun = Instant::now();
    world.run("link_0", json!({ "value": 1 })).await?;
    let triggered = server::triggers::drain(&world.ctx).await?;
    let time = begun.elapsed();
    ensure!(triggered == LINKS - 1, "{triggered} runs were triggered");
    Ok(time)
}
