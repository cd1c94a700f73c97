//! BabyAGI, in its own process.

use anyhow::Context;

use super::super::report::{Report, Work};
use super::super::world::Place;
use super::{Arguments, found};
use crate::{load, script};

const BABYAGI: &str = "BabyAGI 0.1.4";

pub(super) fn measure(report: &mut Report, place: &Place, arguments: &Arguments) -> anyhow::Result<()> {
    let python = arguments.babyagi_python.as_ref().context("no `--babyagi-python` was given")?;
    load::tell(BABYAGI)?;
    let folder = place.folder.join("babyagi");
    std::fs::create_dir_all(&folder)?;
    let seconds = arguments.peer_seconds.to_string();
    let result = script::run(python, "babyagi_runs.py", &[seconds], &folder)?;
    let works = [
        (Work::Add, "add"),
        (Work::ChainOf10, "chain_of_10"),
        (Work::InnerCall, "inner_call"),
        (Work::TriggerChain, "trigger_chain"),
    ];
    found(report, BABYAGI, &result, &works);
    let settings = result["settings"].as_str().unwrap_or("unknown settings");
    report.term(format!(
        "{BABYAGI} isolates nothing and is called in its own process; SQLite with {settings}, as shipped"
    ));
    Ok(())
}
