//! Servers and libraries that record calls, each in an environment of its own, doing the same work.

mod babyagi;
mod dbos;
pub(crate) mod ingress;
pub(crate) mod restate;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::report::{Report, Work};
use super::world::Place;
use super::{Arguments as All, Part};
use crate::measure::Times;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The Python of a virtual environment that has BabyAGI.
    #[arg(long)]
    babyagi_python: Option<PathBuf>,
    /// The Python of a virtual environment that has DBOS.
    #[arg(long)]
    dbos_python: Option<PathBuf>,
    /// The program of Restate's server.
    #[arg(long)]
    restate_server: Option<PathBuf>,
    /// The Python of a virtual environment that has Restate's SDK and Hypercorn.
    #[arg(long)]
    restate_python: Option<PathBuf>,
    /// How many seconds each measurement of a peer may take.
    #[arg(long, default_value_t = 5)]
    peer_seconds: u64,
}

pub(super) async fn measure(report: &mut Report, place: &Place, all: &All) -> anyhow::Result<()> {
    let arguments = &all.peers;
    let works = [Part::Latency, Part::Calls, Part::Crowd, Part::Triggers];
    if !works.into_iter().any(|part| all.wants(part)) {
        return Ok(());
    }
    report.term(
        "selfmade isolates each call in a cell and is called in this process; its ending is flushed to the disk before it is \
         answered (SQLite in WAL mode with synchronous=FULL; PostgreSQL with synchronous_commit=on)"
            .to_owned(),
    );
    tell(babyagi::measure(report, place, arguments), "BabyAGI");
    tell(dbos::measure(report, place, all), "DBOS");
    tell(restate::measure(report, place, all).await, "Restate");
    Ok(())
}

/// What one peer cannot do must not take the others with it.
fn tell(measured: anyhow::Result<()>, peer: &str) {
    if let Err(error) = measured {
        println!("nothing is compared with {peer}: {error:#}");
    }
}

/// The times that a script found, in seconds.
fn found(report: &mut Report, who: &'static str, result: &Value, works: &[(Work, &str)]) {
    for (work, name) in works {
        let seconds = result[name].as_array().into_iter().flatten().filter_map(Value::as_f64);
        let times: Vec<Duration> = seconds.map(|seconds| Duration::from_secs_f64(seconds.max(0.0))).collect();
        if !times.is_empty() {
            report.beside(*work, who, Times(times));
        }
    }
}
