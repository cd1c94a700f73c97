//! One queue on PostgreSQL and two servers that take from it, each with its own connections and cells: how many queued runs a second
//! they execute together, and how soon one executes what the other has queued.

use std::time::{Duration, Instant};

use model::access::Access;
use model::function::FunctionDraft;
use model::name::EntryName;
use model::run::RunState;
use sandbox::CancellationToken;
use serde_json::Map;
use server::app::runs::{self, StartRun, Target};
use server::engine;
use store::{Durability, RunFilter};
use tokio::task::JoinSet;

use super::functions::warm;
use super::report::Report;
use super::world::{Place, World};
use crate::load;
use crate::measure::Times;

const NOTHING: &str = "def nothing() -> None:\n    pass\n";
const RUNS: usize = 3_000;
const APART: usize = 100;
/// How often it is looked whether all have ended; little beside how long they take.
const LOOK: Duration = Duration::from_millis(10);

pub(super) async fn measure(report: &mut Report, place: &Place) -> anyhow::Result<()> {
    let Some(url) = &place.postgres else { return Ok(()) };
    load::tell("two servers, one queue on PostgreSQL")?;
    let first = place.open("queue-first", Some(url.clone()), Durability::Power).await?;
    let second = place.open("queue-second", Some(url.clone()), Durability::Power).await?;
    first.register(vec![warm(FunctionDraft::of_source(NOTHING))]).await?;
    // Once through, so that both have their cells.
    together(&first, &second, RUNS / 10).await?;
    let rate = together(&first, &second, RUNS).await?;
    report.other("queued runs of a function that does nothing, warm, two servers", format!("{rate:.0}/s"));
    report.timed("queued on one server, executed on the other and flushed", apart(&first, &second).await?);
    first.ctx.close().await;
    second.ctx.close().await;
    Ok(())
}

/// Ended runs a second.
async fn together(first: &World, second: &World, count: usize) -> anyhow::Result<f64> {
    for _ in 0..count {
        queue(first).await?;
    }
    let (stop, mut servers) = (CancellationToken::new(), JoinSet::new());
    let begun = Instant::now();
    for world in [first, second] {
        serve(world, &stop, &mut servers);
    }
    while !first.ctx.store.runs(&under_way(), 1).await?.is_empty() {
        tokio::time::sleep(LOOK).await;
    }
    let rate = count as f64 / begun.elapsed().as_secs_f64();
    stop.cancel();
    servers.join_all().await;
    Ok(rate)
}

/// From the request at one server to the record of the end by the other.
async fn apart(first: &World, second: &World) -> anyhow::Result<Times> {
    let (stop, mut servers) = (CancellationToken::new(), JoinSet::new());
    serve(second, &stop, &mut servers);
    let mut times = Times::default();
    for _ in 0..APART {
        let begun = Instant::now();
        let run = queue(first).await?;
        while !first.ctx.store.run(run).await?.is_some_and(|run| run.state.is_final()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        times.0.push(begun.elapsed());
    }
    stop.cancel();
    servers.join_all().await;
    Ok(times)
}

/// Executes what is queued, and hears what others queue.
fn serve(world: &World, stop: &CancellationToken, servers: &mut JoinSet<()>) {
    servers.spawn(engine::work(world.ctx.clone(), stop.clone()));
    let (store, stop) = (world.ctx.store.clone(), stop.clone());
    servers.spawn(async move {
        stop.run_until_cancelled(store.listen()).await;
    });
}

async fn queue(world: &World) -> anyhow::Result<model::ids::RunId> {
    let request = StartRun::of(Target::Live(EntryName::new("nothing")?), Map::new());
    Ok(runs::queue(&world.ctx, &Access::of_command_line(), request).await?.run_id)
}

fn under_way() -> RunFilter {
    RunFilter { states: vec![RunState::Queued, RunState::Running], ..RunFilter::default() }
}
