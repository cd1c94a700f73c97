//! What making a cell costs, step by step, as it is clocked from the inside; and starting the zygote it is forked from.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use sandbox::{Birth, CancellationToken, Config, NoHost, Sandbox};

use super::jobs;
use super::report::Report;
use crate::load;
use crate::measure::{Times, human};
use crate::python::Python;

const BOOTS: usize = 50;

pub(super) async fn measure(report: &mut Report, python: &Python, cells: usize) -> anyhow::Result<()> {
    load::tell("making cells")?;
    let config = Config { ready_cells: 1, environments: 1, time_births: true, ..Config::default() };
    let sandbox = Sandbox::start(config).await?;
    let mut boots = Times::default();
    for n in 0..BOOTS {
        let environment = python.environment(&format!("bare {n}"), &[]);
        let begun = Instant::now();
        sandbox.prepare(&environment).await?;
        boots.0.push(begun.elapsed());
    }
    report.timed("zygote and its first cell, from nothing", boots);
    let environment = python.environment("bare", &[]);
    let job = jobs::small(&environment);
    let mut births = Vec::new();
    while births.len() < cells {
        sandbox.prepare(&environment).await?;
        sandbox.run(&job, Arc::new(NoHost), &CancellationToken::new()).await?;
        births.extend(sandbox.take_births());
    }
    tell(report, &births);
    sandbox.stop().await;
    Ok(())
}

fn tell(report: &mut Report, births: &[Birth]) {
    let mut steps: BTreeMap<(usize, &str), (Times, Times)> = BTreeMap::new();
    let mut whole = Times::default();
    for birth in births {
        for (place, step) in birth.steps.iter().enumerate() {
            let (wall, processor) = steps.entry((place, &step.name)).or_default();
            wall.0.push(step.wall);
            processor.0.push(step.processor);
        }
        whole.0.push(birth.whole);
    }
    for ((_, step), (wall, processor)) in &steps {
        let [half, most] = [50, 99].map(|percent| human(wall.percentile(percent)));
        let used = human(processor.percentile(50));
        report.other(
            &format!("making a cell: {step}"),
            format!("p50 {half}, p99 {most}; processor time p50 {used}"),
        );
    }
    report.timed("making a cell, asked for to ready", whole);
}
