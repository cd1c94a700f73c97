//! What a recorded Call costs the cell beyond a plain call of the same function, in processor time: recording goes on while
//! the supervisor reads what was recorded before.

use std::sync::Arc;

use anyhow::bail;
use sandbox::{CancellationToken, Ending, Job, NoHost, Value};

use super::report::Report;
use super::{World, jobs};
use crate::load;

const LOOP: usize = 20_000;
const RUNS: usize = 25;

/// Arguments and results that are recorded as they are, and some that have to be looked through.
const KINDS: [(&str, &str, &str); 3] = [
    ("a number", "n", "n"),
    ("two texts and a default", "'some text', 'another', n", "a"),
    ("a dict and a list", "{'id': n, 'name': 'Ada'}, [n, 2.5, 'x']", "{'of': n, 'ok': True}"),
];
const PARAMETERS: [&str; 3] = ["n", "a, b, n=0, m=1", "row, items"];

pub(super) async fn measure(report: &mut Report, world: &World) -> anyhow::Result<()> {
    load::tell("calls of one function by another, in one cell")?;
    for ((what, given, result), parameters) in KINDS.into_iter().zip(PARAMETERS) {
        let callee = format!("def g({parameters}):\n    return {}", result.replace("of': n", "of': 1"));
        let timed = format!(
            "def f():\n    import time\n    begun = time.process_time()\n    for n in range({LOOP}):\n        g({given})\n    \
             return (time.process_time() - begun) / {LOOP} * 1e6"
        );
        let recorded = jobs::of(&world.environment, &[("f", &timed), ("g", &callee)], Vec::new());
        let plain = jobs::of(&world.environment, &[("f", &format!("{callee}\n{timed}"))], Vec::new());
        let [recorded, plain] = [median(world, &recorded).await?, median(world, &plain).await?];
        report.other(
            &format!("a recorded Call, of {what}"),
            format!("{:.2} µs over {plain:.2} µs unrecorded", recorded - plain),
        );
    }
    Ok(())
}

async fn median(world: &World, job: &Job) -> anyhow::Result<f64> {
    let mut micros = Vec::new();
    for _ in 0..RUNS {
        let outcome = world.sandbox.run(job, Arc::new(NoHost), &CancellationToken::new()).await?;
        match outcome.ending {
            Ending::Returned(Value::Float(each)) => micros.push(each),
            other => bail!("the loop ended as {other:?}"),
        }
    }
    micros.sort_by(f64::total_cmp);
    Ok(micros[micros.len() / 2])
}
