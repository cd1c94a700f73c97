//! From the wish that a job ends to the moment its processes are gone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sandbox::{Arguments, BoxFuture, CancellationToken, Ending, Host, HostError, Job, Stream, Value};
use tokio::sync::Notify;

use super::report::Report;
use super::{World, jobs};
use crate::load;
use crate::measure::Times;

const ENDLESS: &str = "def f():\n    print('at it', flush=True)\n    while True:\n        pass";
const LIMIT: Duration = Duration::from_millis(5);

pub(super) async fn measure(report: &mut Report, world: &World, times: usize) -> anyhow::Result<()> {
    load::tell("ends of jobs that do not end")?;
    let endless = jobs::of(&world.environment, &[("f", ENDLESS)], Vec::new());
    report.timed("cancel to gone", cancelled(world, &endless, times).await?);
    report.timed("time-out to gone", timed_out(world, endless, times).await?);
    Ok(())
}

async fn cancelled(world: &World, job: &Job, count: usize) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for _ in 0..count {
        let (cancel, ear) = (CancellationToken::new(), Arc::new(Ear::default()));
        let running = world.sandbox.run(job, Arc::clone(&ear) as Arc<dyn Host>, &cancel);
        let stopping = async {
            ear.heard.notified().await;
            cancel.cancel();
            Instant::now()
        };
        let (outcome, begun) = tokio::join!(running, stopping);
        times.0.push(begun.elapsed());
        anyhow::ensure!(matches!(outcome?.ending, Ending::Killed { .. }), "it was not cancelled");
    }
    Ok(times)
}

async fn timed_out(world: &World, mut job: Job, count: usize) -> anyhow::Result<Times> {
    job.limits.wall = LIMIT;
    let mut times = Times::default();
    for _ in 0..count {
        world.sandbox.prepare(&world.environment).await?;
        let begun = Instant::now();
        let outcome = world.sandbox.run(&job, Arc::new(Ear::default()), &CancellationToken::new()).await?;
        times.0.push(begun.elapsed().saturating_sub(LIMIT));
        anyhow::ensure!(matches!(outcome.ending, Ending::TimedOut { .. }), "it did not time out");
    }
    Ok(times)
}

/// Hears the first words of a job.
#[derive(Default)]
struct Ear {
    heard: Notify,
}

impl Host for Ear {
    fn verb(&self, _lane: &str, verb: &str, _arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let refused = HostError::Refused(format!("there is no verb `{verb}` here"));
        Box::pin(std::future::ready(Err(refused)))
    }

    fn output(&self, _stream: Stream, _bytes: &[u8]) {
        self.heard.notify_one();
    }
}
