//! The same call with few and with many functions stored.

use model::function::FunctionDraft;
use store::Durability;

use super::functions::ADD;
use super::report::Report;
use super::world::{Place, SMALL, World};
use crate::load;
use crate::measure::Times;

pub(super) async fn measure(
    report: &mut Report,
    place: &Place,
    stored: &[usize],
    calls: usize,
) -> anyhow::Result<()> {
    load::tell("few and many functions stored")?;
    let mut worlds: Vec<(usize, World, Times)> = Vec::new();
    for stored in [&[SMALL], stored].concat() {
        let world = place.brain(&format!("stored-{stored}"), Durability::Process).await?;
        world.register(vec![FunctionDraft::of_source(ADD)]).await?;
        world.fill(1, stored).await?;
        worlds.push((stored, world, Times::default()));
    }
    // In turns, so that whatever else the machine does befalls all alike.
    for _ in 0..calls {
        for (_, world, times) in &mut worlds {
            world.rest().await?;
            times.0.push(world.add().await?);
        }
    }
    let unit = worlds[0].2.clone();
    for (stored, world, times) in worlds {
        report.against(&format!("add, {stored} functions stored"), &times, &unit, "25 stored");
        world.ctx.close().await;
    }
    Ok(())
}
