//! The same run through the engine and through the door, and nothing at all over a bare connection, in turns, so that whatever
//! else the machine does befalls all alike.

use std::sync::Arc;

use anyhow::ensure;
use serde_json::{Value, json};

use super::door::Door;
use super::wire::{self, Wire};
use crate::load;
use crate::measure::{Times, human};

pub(super) async fn measure(door: &Door, calls: usize) -> anyhow::Result<()> {
    load::tell("what HTTP adds to a run of `warm_add`, not flushed, over one kept connection")?;
    let input = json!({ "a": 16, "b": 2 });
    let request = door.request("POST /api/v1/runs", &json!({ "function": "warm_add", "input": input }));
    let (nothing, answering) = wire::nothing().await?;
    let (mut to_door, mut to_nothing) = (Wire::connect(door.address).await?, Wire::connect(nothing).await?);
    let [mut engine, mut http, mut bare] = [const { Times(Vec::new()) }; 3];
    // The first ones start the sandbox and make the cell that is used again.
    for n in 0..calls + 5 {
        let direct = door.world.time("warm_add", input.clone()).await?;
        let (wire, over_http, answer) = to_door.ask(Arc::clone(&request)).await?;
        to_door = wire;
        let run: Value = serde_json::from_slice(&answer)?;
        ensure!(run["state"] == "succeeded", "the run ended as {run}");
        let (wire, over_nothing, _) = to_nothing.ask(Arc::clone(&request)).await?;
        to_nothing = wire;
        if n >= 5 {
            engine.0.push(direct);
            http.0.push(over_http);
            bare.0.push(over_nothing);
        }
    }
    answering.abort();
    for (what, times) in [("the engine", &engine), ("HTTP", &http), ("a bare connection", &bare)] {
        println!("{what}: p50 {}, p99 {}", human(times.percentile(50)), human(times.percentile(99)));
    }
    let added = http.percentile(50).saturating_sub(engine.percentile(50));
    println!(
        "HTTP adds {} at the median; there and back over a bare connection takes {} of it",
        human(added),
        human(bare.percentile(50))
    );
    Ok(())
}
