//! The same run through the engine and through the door, in turns, so that whatever else the machine does befalls both.

use std::time::Instant;

use anyhow::ensure;
use serde_json::{Value, json};

use super::door::Door;
use crate::load;
use crate::measure::{Times, human};

pub(super) async fn measure(door: &Door, calls: usize) -> anyhow::Result<()> {
    load::tell("what HTTP adds to a run of `warm_add`, not flushed, over one kept connection")?;
    let mut client = door.client().await?;
    let input = json!({ "a": 16, "b": 2 });
    let body = json!({ "function": "warm_add", "input": input });
    let [mut engine, mut http] = [const { Times(Vec::new()) }; 2];
    // The first ones start the sandbox and make the cell that is used again.
    for n in 0..calls + 5 {
        let direct = door.world.time("warm_add", input.clone()).await?;
        let begun = Instant::now();
        let answer = client.post("/api/v1/runs", &body).await?;
        let over_http = begun.elapsed();
        let run: Value = serde_json::from_slice(&answer)?;
        ensure!(run["state"] == "succeeded", "the run ended as {run}");
        if n >= 5 {
            engine.0.push(direct);
            http.0.push(over_http);
        }
    }
    for (what, times) in [("the engine", &engine), ("HTTP", &http)] {
        println!("{what}: p50 {}, p99 {}", human(times.percentile(50)), human(times.percentile(99)));
    }
    let added = http.percentile(50).saturating_sub(engine.percentile(50));
    println!("HTTP adds {} at the median", human(added));
    Ok(())
}
