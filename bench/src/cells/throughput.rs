//! Many calls at once, each in a fresh cell: how many a second, and how much processor time each costs whom.

use std::sync::Arc;
use std::time::Instant;

use sandbox::{CancellationToken, Job, NoHost};
use tokio::task::JoinSet;

use super::report::Report;
use super::{World, jobs};
use crate::load;

pub(super) async fn measure(report: &mut Report, world: &World, calls: usize) -> anyhow::Result<()> {
    load::tell("sustained fresh cells")?;
    let job = jobs::small(&world.environment);
    let zygote = load::zygote_of(world.sandbox.processes().0[0])?;
    for callers in [2, 4] {
        let before = load::Spent::until_now(zygote)?;
        let begun = Instant::now();
        sustained(world, &job, callers, calls).await?;
        let rate = calls as f64 / begun.elapsed().as_secs_f64();
        let spent = load::Spent::until_now(zygote)?.since(before);
        report.other(&format!("fresh cells a second, {callers} callers"), format!("{rate:.0}"));
        report.other(&format!("processor time of each, {callers} callers"), spent.each(calls));
    }
    Ok(())
}

async fn sustained(world: &World, job: &Job, callers: usize, calls: usize) -> anyhow::Result<()> {
    let mut running = JoinSet::new();
    for caller in 0..callers {
        let (sandbox, job) = (Arc::clone(&world.sandbox), job.clone());
        let share = calls / callers + usize::from(caller < calls % callers);
        running.spawn(async move {
            for _ in 0..share {
                sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    Ok(())
}
