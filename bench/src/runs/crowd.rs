//! Many callers at once: how many calls a second are executed, recorded and answered, and what that does to memory.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use model::function::FunctionDraft;
use sandbox::Isolation;
use serde_json::json;
use store::Durability;
use tokio::task::JoinSet;

use super::functions::{ADD, warm_add};
use super::report::{Report, SELFMADE, SELFMADE_POSTGRES, Work};
use super::world::{Place, SMALL, World};
use crate::load;
use crate::measure::{Times, human};

pub(super) async fn measure(
    report: &mut Report,
    place: &Place,
    callers: usize,
    calls: usize,
) -> anyhow::Result<()> {
    load::tell(&format!("{callers} callers"))?;
    let world = Arc::new(small(place, "crowd", None).await?);
    let fresh = crowd(report, &world, "add", callers, calls).await?;
    report.rate(Work::AtOnce, SELFMADE, fresh);
    let warm = crowd(report, &world, "warm_add", callers, calls).await?;
    report.rate(Work::WarmAtOnce, SELFMADE, warm);
    world.ctx.clone().close().await;
    let bare = bare(place, callers, calls).await?;
    report.other(
        "fresh cells through the engine, beside bare ones",
        format!("{:.0} % of {bare:.0}/s", 100.0 * fresh / bare),
    );
    if let Some(url) = &place.postgres {
        let world = Arc::new(small(place, "crowd-postgres", Some(url.clone())).await?);
        let fresh = crowd(report, &world, "add", callers, calls / 2).await?;
        report.rate(Work::AtOnce, SELFMADE_POSTGRES, fresh);
        world.ctx.clone().close().await;
    }
    Ok(())
}

/// Bare fresh cells a second, asked for by as many.
async fn bare(place: &Place, callers: usize, calls: usize) -> anyhow::Result<f64> {
    let bare = Arc::new(place.bare().await?);
    let mut running = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..callers {
        let bare = Arc::clone(&bare);
        running.spawn(async move {
            let job = bare.job(Isolation::Fresh);
            for _ in 0..calls / callers {
                bare.time(&job).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    let rate = (calls / callers * callers) as f64 / begun.elapsed().as_secs_f64();
    bare.sandbox.stop().await;
    Ok(rate)
}

async fn small(place: &Place, name: &str, database: Option<String>) -> anyhow::Result<World> {
    let world = place.open(name, database, Durability::Power).await?;
    world.register(vec![FunctionDraft::of_source(ADD), warm_add()]).await?;
    world.fill(2, SMALL).await?;
    Ok(world)
}

/// Completed calls a second.
async fn crowd(
    report: &mut Report,
    world: &Arc<World>,
    name: &'static str,
    callers: usize,
    calls: usize,
) -> anyhow::Result<f64> {
    // Once through, so that what is kept afterwards is there before memory is looked at.
    call(world, name, callers, calls / 4).await?;
    let before = resident()?;
    let begun = Instant::now();
    let times = call(world, name, callers, calls).await?;
    let rate = times.0.len() as f64 / begun.elapsed().as_secs_f64();
    let after = resident()?;
    let [half, most] = [50, 99].map(|percent| human(times.percentile(percent)));
    report.other(
        &format!("`{name}`, {callers} callers, flushed"),
        format!("{rate:.0}/s, p50 {half}, p99 {most}; server's memory {before} MB before, {after} MB after"),
    );
    Ok(rate)
}

async fn call(world: &Arc<World>, name: &'static str, callers: usize, calls: usize) -> anyhow::Result<Times> {
    let mut running = JoinSet::new();
    for caller in 0..callers {
        let world = Arc::clone(world);
        let share = calls / callers + usize::from(caller < calls % callers);
        running.spawn(async move {
            let mut times = Vec::with_capacity(share);
            for n in 0..share {
                times.push(world.time(name, json!({ "a": caller, "b": n })).await?);
            }
            anyhow::Ok(times)
        });
    }
    let mut times = Times::default();
    while let Some(done) = running.join_next().await {
        times.0.extend(done??);
    }
    Ok(times)
}

/// In megabytes, of this process, which is the server here.
fn resident() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no resident memory")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1024)
}
