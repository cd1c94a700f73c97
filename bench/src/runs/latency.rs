//! One caller: from the request to the committed ending, and how much of that is the cell.

use model::function::FunctionDraft;
use sandbox::Isolation;
use serde_json::json;
use store::Durability;

use super::functions::{ADD, warm_add};
use super::report::{Report, SELFMADE, SELFMADE_POSTGRES, Work};
use super::world::{Bare, Place, SMALL, World};
use crate::load;
use crate::measure::Times;

/// So often what is compared takes turns.
const ROUNDS: usize = 10;

/// A function, and the cells it runs in.
struct Kind {
    isolation: fn() -> Isolation,
    name: &'static str,
    what: &'static str,
    work: Work,
}

const FRESH: Kind = Kind { isolation: || Isolation::Fresh, name: "add", what: "fresh", work: Work::Add };
const WARM: Kind = Kind {
    isolation: || Isolation::Warm { key: "add".to_owned() },
    name: "warm_add",
    what: "warm",
    work: Work::WarmAdd,
};

pub(super) async fn measure(report: &mut Report, place: &Place, calls: usize) -> anyhow::Result<()> {
    load::tell("one caller")?;
    let unflushed = small(place, "latency", None, Durability::Process).await?;
    let flushed = small(place, "latency-flushed", None, Durability::Power).await?;
    let bare = place.bare().await?;
    rested(report, &unflushed, &flushed, &bare, calls).await?;
    back_to_back(report, &unflushed, &flushed, &bare, &FRESH, calls).await?;
    bare.sandbox.stop().await;
    unflushed.ctx.close().await;
    flushed.ctx.close().await;
    if let Some(url) = &place.postgres {
        let world = small(place, "latency-postgres", Some(url.clone()), Durability::Power).await?;
        let input = json!({ "a": 16, "b": 2 });
        let times = world.back_to_back("add", &input, calls).await?;
        report.beside(Work::Add, SELFMADE_POSTGRES, times);
        world.ctx.close().await;
    }
    Ok(())
}

/// Apart from the others, so that a profile shows nothing else.
pub(super) async fn measure_warm(report: &mut Report, place: &Place, calls: usize) -> anyhow::Result<()> {
    load::tell("one caller, warm")?;
    let unflushed = small(place, "warm", None, Durability::Process).await?;
    let flushed = small(place, "warm-flushed", None, Durability::Power).await?;
    let bare = place.bare().await?;
    back_to_back(report, &unflushed, &flushed, &bare, &WARM, calls).await?;
    bare.sandbox.stop().await;
    unflushed.ctx.close().await;
    flushed.ctx.close().await;
    Ok(())
}

async fn small(
    place: &Place,
    name: &str,
    database: Option<String>,
    durability: Durability,
) -> anyhow::Result<World> {
    let world = place.open(name, database, durability).await?;
    world.register(vec![FunctionDraft::of_source(ADD), warm_add()]).await?;
    world.fill(2, SMALL).await?;
    Ok(world)
}

/// In turns, so that whatever else the machine does befalls all alike; with all ready cells there each time, so that
/// making cells is no part of it.
async fn rested(
    report: &mut Report,
    unflushed: &World,
    flushed: &World,
    bare: &Bare,
    calls: usize,
) -> anyhow::Result<()> {
    let job = bare.job(Isolation::Fresh);
    let [mut of_bare, mut of_unflushed, mut of_flushed] = [const { Times(Vec::new()) }; 3];
    // All of them each time: the next cell of the one that was called last takes the cores from any other.
    let rest = async || {
        bare.rest().await?;
        unflushed.rest().await?;
        flushed.rest().await
    };
    for _ in 0..calls {
        rest().await?;
        of_bare.0.push(bare.time(&job).await?);
        rest().await?;
        of_unflushed.0.push(unflushed.add().await?);
        rest().await?;
        of_flushed.0.push(flushed.add().await?);
    }
    report.added("the engine adds to a rested fresh cell, not flushed", &of_unflushed, &of_bare);
    report.added("the engine adds to a rested fresh cell, flushed", &of_flushed, &of_bare);
    report.timed("the bare cell, rested", of_bare);
    report.timed("add, fresh cell, rested, not flushed", of_unflushed);
    report.beside(Work::ReadyAdd, SELFMADE, of_flushed.clone());
    report.timed("add, fresh cell, rested, flushed", of_flushed);
    Ok(())
}

async fn back_to_back(
    report: &mut Report,
    unflushed: &World,
    flushed: &World,
    bare: &Bare,
    kind: &Kind,
    calls: usize,
) -> anyhow::Result<()> {
    let input = json!({ "a": 16, "b": 2 });
    let job = bare.job((kind.isolation)());
    let [mut of_bare, mut of_unflushed, mut of_flushed] = [const { Times(Vec::new()) }; 3];
    // In turns, so that whatever else the machine does befalls all alike.
    for _ in 0..ROUNDS {
        for _ in 0..calls / ROUNDS {
            of_bare.0.push(bare.time(&job).await?);
        }
        of_unflushed.0.extend(unflushed.back_to_back(kind.name, &input, calls / ROUNDS).await?.0);
        of_flushed.0.extend(flushed.back_to_back(kind.name, &input, calls / ROUNDS).await?.0);
    }
    let what = kind.what;
    report.added(&format!("the engine adds to a {what} cell, not flushed"), &of_unflushed, &of_bare);
    report.timed(&format!("the bare {what} cell, back to back"), of_bare);
    report.timed(&format!("add, {what} cell, back to back, not flushed"), of_unflushed);
    report.beside(kind.work, SELFMADE, of_flushed.clone());
    report.timed(&format!("add, {what} cell, back to back, flushed"), of_flushed);
    Ok(())
}
