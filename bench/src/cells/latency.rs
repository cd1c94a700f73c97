//! One call at a time: from handing over the job to holding its result.

use std::sync::Arc;
use std::time::Instant;

use sandbox::{CancellationToken, Job, NoHost};

use super::report::Report;
use super::{World, jobs};
use crate::load;
use crate::measure::Times;

pub(super) async fn measure(report: &mut Report, world: &World, calls: usize) -> anyhow::Result<()> {
    load::tell("one call at a time")?;
    let fresh = jobs::small(&world.environment);
    report.timed("ready fresh cell", rested(world, &fresh, calls).await?);
    report.timed("fresh cells back to back", back_to_back(world, &fresh, calls).await?);
    let warm = jobs::warm(&world.environment);
    report.timed("reused (warm) cell", back_to_back(world, &warm, calls).await?);
    Ok(())
}

/// Filling up between calls keeps the making of cells out of what is measured.
async fn rested(world: &World, job: &Job, calls: usize) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for _ in 0..calls {
        world.sandbox.prepare(&world.environment).await?;
        times.0.push(one(world, job).await?);
    }
    Ok(times)
}

async fn back_to_back(world: &World, job: &Job, calls: usize) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for _ in 0..calls {
        times.0.push(one(world, job).await?);
    }
    Ok(times)
}

async fn one(world: &World, job: &Job) -> anyhow::Result<std::time::Duration> {
    let begun = Instant::now();
    world.sandbox.run(job, Arc::new(NoHost), &CancellationToken::new()).await?;
    Ok(begun.elapsed())
}
