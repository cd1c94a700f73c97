//! Restate: its server on this machine, a service in Python beside it, called over HTTP from here.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::Arguments;
use crate::graphs::report::Report;
use crate::load;
use crate::runs::peers::restate::{RESTATE, Restate};
use crate::runs::world::Place;

const CHAINS: usize = 25;

pub(super) async fn measure(report: &mut Report, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
    let server = arguments.restate_server.as_ref().context("no `--restate-server` was given")?;
    let python = arguments.restate_python.as_ref().context("no `--restate-python` was given")?;
    load::tell(RESTATE)?;
    let restate = Restate::start(server, python, &place.folder.join("restate-graphs")).await?;
    let budget = Duration::from_secs(arguments.peer_seconds);
    let mut chain = Vec::new();
    let begun = Instant::now();
    time(&restate, 40).await?;
    while chain.len() < CHAINS && (chain.is_empty() || begun.elapsed() < budget) {
        chain.push(time(&restate, 40).await?);
    }
    let mut best = f64::MAX;
    let begun = Instant::now();
    while begun.elapsed() < budget {
        best = best.min(time(&restate, arguments.peer_steps).await?);
    }
    report.found(RESTATE, &chain, Some(arguments.peer_steps as f64 / best));
    report
        .term(format!("{RESTATE}: a handler of steps, one after the other (`ctx.run`); {}", restate.flushes));
    Ok(())
}

async fn time(restate: &Restate, steps: usize) -> anyhow::Result<f64> {
    let mut caller = restate.caller().await?;
    let begun = Instant::now();
    caller.post("/Adder/steps", &json!({ "steps": steps })).await?;
    Ok(begun.elapsed().as_secs_f64())
}
