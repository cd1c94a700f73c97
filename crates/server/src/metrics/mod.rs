//! Metrics: what a server counts while it works, as Prometheus reads it.
//!
//! Counting is adding to an atomic, so it costs a run nothing that could be measured; everything that has to be asked of someone is
//! asked when the metrics are read. No label has a name, an id or a value of a user: the number of series is bounded by the program.

mod histogram;
mod process;
mod requests;
mod text;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::access::Access;
use model::access::verb::Verb;
use model::run::{Ending, Run, RunState};

use self::histogram::Histogram;
use self::requests::Requests;
use self::text::Text;
use crate::ctx::Ctx;
use crate::error::Error;

/// How Runs end.
const FINAL: [RunState; 3] = [RunState::Succeeded, RunState::Failed, RunState::Cancelled];

#[derive(Debug, Default)]
pub struct Metrics {
    begun: AtomicU64,
    recovered: AtomicU64,
    ended: [AtomicU64; FINAL.len()],
    run_seconds: Histogram,
    queue_seconds: Histogram,
    endings: [AtomicU64; Ending::ALL.len()],
    pub(crate) requests: Requests,
    pub(crate) connections: AtomicU64,
    pub(crate) traces: Traces,
}

/// What happened to the traces of Runs.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    pub(crate) exported: AtomicU64,
    pub(crate) dropped: AtomicU64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Metrics {
    /// A Run begins here, or begins again.
    pub(crate) fn begin(&self) {
        add(&self.begun);
    }

    /// A Run that no server executed any more was handled here.
    pub(crate) fn recover(&self) {
        add(&self.recovered);
    }

    pub(crate) fn recovered(&self) -> u64 {
        read(&self.recovered)
    }

    /// A Run from the queue waited so long after it was due.
    pub(crate) fn waited(&self, time: Duration) {
        self.queue_seconds.observe(time);
    }

    /// Code was executed, and ended so.
    pub(crate) fn executed(&self, ending: Ending) {
        if let Some(place) = Ending::ALL.iter().position(|known| *known == ending) {
            add(&self.endings[place]);
        }
    }

    /// A Run that may have ended.
    pub(crate) fn end(&self, run: &Run) {
        let Some(place) = FINAL.iter().position(|state| *state == run.state) else { return };
        add(&self.ended[place]);
        if let (Some(from), Some(to)) = (run.started_at, run.finished_at) {
            self.run_seconds.observe(Duration::try_from(to.duration_since(from)).unwrap_or_default());
        }
    }
}

/// Everything there is to tell, in Prometheus' text format.
pub(crate) async fn render(ctx: &Ctx, access: &Access) -> Result<String, Error> {
    // It concerns the whole brain, though it names nothing of it.
    access.may_touch_all(Verb::ReadMetrics)?;
    let mut text = Text::default();
    text.head("selfmade_info", "gauge", "The version of this server");
    text.line("selfmade_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    runs(ctx, &mut text).await?;
    cells(ctx, &mut text);
    ctx.metrics.requests.write_to(&mut text);
    text.single("selfmade_http_connections", "gauge", "Open connections", read(&ctx.metrics.connections));
    store(ctx, &mut text);
    events(ctx, &mut text).await?;
    let traces = &ctx.metrics.traces;
    text.head("selfmade_traces_total", "counter", "Traces of runs, by outcome");
    text.count("selfmade_traces_total", &[("what", "exported")], read(&traces.exported));
    text.count("selfmade_traces_total", &[("what", "dropped")], read(&traces.dropped));
    process::write_to(&mut text);
    Ok(text.into_string())
}

async fn runs(ctx: &Ctx, text: &mut Text) -> Result<(), Error> {
    let metrics = &ctx.metrics;
    text.single(
        "selfmade_runs_begun_total",
        "counter",
        "Runs started or resumed on this server",
        read(&metrics.begun),
    );
    text.single(
        "selfmade_runs_recovered_total",
        "counter",
        "Runs that no server executed any more, recovered by this one",
        metrics.recovered(),
    );
    text.head("selfmade_runs_ended_total", "counter", "Runs that ended here, by their state");
    for (state, counter) in FINAL.iter().zip(&metrics.ended) {
        text.count("selfmade_runs_ended_total", &[("state", state.as_str())], read(counter));
    }
    text.head("selfmade_run_seconds", "histogram", "From the start of a run to its end");
    metrics.run_seconds.write_to(text, "selfmade_run_seconds", &[]);
    text.head("selfmade_run_queue_seconds", "histogram", "From the time a queued run was due to its start");
    metrics.queue_seconds.write_to(text, "selfmade_run_queue_seconds", &[]);
    let under_way = ctx.engine.running.count() as u64;
    text.single("selfmade_runs_under_way", "gauge", "Runs executing on this server now", under_way);
    let open = ctx.store.open_runs().await?;
    text.head(
        "selfmade_runs",
        "gauge",
        "Runs of the brain that have not ended, by their state; not counted beyond 100000",
    );
    for (state, count) in [("queued", open.queued), ("running", open.running), ("waiting", open.waiting)] {
        text.count("selfmade_runs", &[("state", state)], count);
    }
    Ok(())
}

fn cells(ctx: &Ctx, text: &mut Text) {
    text.head("selfmade_cells_ended_total", "counter", "Executions, by how their cell ended");
    for (ending, counter) in Ending::ALL.iter().zip(&ctx.metrics.endings) {
        text.count("selfmade_cells_ended_total", &[("ending", ending.as_str())], read(counter));
    }
    let census = ctx.engine.executor.census();
    text.head("selfmade_cells", "gauge", "Cells, by what they do");
    for (state, count) in [("ready", census.ready), ("warm", census.warm), ("busy", census.busy)] {
        text.count("selfmade_cells", &[("state", state)], count as u64);
    }
    text.single(
        "selfmade_zygotes",
        "gauge",
        "Environments that cells are forked from",
        census.zygotes as u64,
    );
    text.single("selfmade_cells_born_total", "counter", "Cells created", census.born);
    text.single(
        "selfmade_cell_births_failed_total",
        "counter",
        "Cells that could not be created",
        census.failed,
    );
}

fn store(ctx: &Ctx, text: &mut Text) {
    let activity = ctx.store.activity();
    text.single("selfmade_store_writes_waiting", "gauge", "Batches waiting to be written", activity.waiting);
    text.single("selfmade_store_batches_total", "counter", "Batches written", activity.batches);
    text.single("selfmade_store_commits_total", "counter", "Transactions that wrote them", activity.commits);
}

async fn events(ctx: &Ctx, text: &mut Text) -> Result<(), Error> {
    let newest = ctx.store.newest_event().await?;
    let seen = ctx.triggers.progress.reached(ctx).await?.looked_at;
    text.single("selfmade_events_total", "counter", "Events of the brain", newest);
    let behind = newest.saturating_sub(seen);
    text.single("selfmade_events_behind", "gauge", "Events that triggers have not read yet", behind);
    Ok(())
}
