//! What waiting costs: the proportional share of memory of a zygote and of each cell that is ready.

use std::fs;
use std::sync::Arc;

use sandbox::{Config, Environment, Sandbox};

use super::report::Report;
use crate::load;
use crate::python::Python;

const CELLS: usize = 20;
const COMMON: [&str; 12] = [
    "argparse",
    "asyncio",
    "concurrent.futures",
    "csv",
    "dataclasses",
    "email",
    "http.client",
    "inspect",
    "logging",
    "statistics",
    "urllib.request",
    "uuid",
];

pub(super) async fn measure(report: &mut Report, python: &Python) -> anyhow::Result<()> {
    load::tell("memory of what waits")?;
    for (what, preload) in [("bare", &[][..]), ("common standard library", &COMMON[..])] {
        let environment = python.environment(what, preload);
        let (alone, _) = shares(&environment, 1).await?;
        let (zygote, cells) = shares(&environment, CELLS).await?;
        report.other(
            &format!("proportional memory, {what}"),
            format!(
                "zygote beside one cell {}, beside {CELLS} {}; each cell {}",
                megabytes(alone),
                megabytes(zygote),
                megabytes(cells / CELLS as u64)
            ),
        );
    }
    Ok(())
}

/// Of the zygote, and of all its cells together, in kilobytes.
async fn shares(environment: &Arc<Environment>, cells: usize) -> anyhow::Result<(u64, u64)> {
    let sandbox = Sandbox::start(Config { ready_cells: cells, ..Config::default() }).await?;
    sandbox.prepare(environment).await?;
    let (watchers, ready) = sandbox.processes();
    let zygote = share(load::zygote_of(watchers[0])?)?;
    let mut all = 0;
    for pid in ready {
        all += share(pid.unsigned_abs())?;
    }
    sandbox.stop().await;
    Ok((zygote, all))
}

fn share(pid: u32) -> anyhow::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn megabytes(kilobytes: u64) -> String {
    format!("{:.1} MB", kilobytes as f64 / 1024.0)
}
