//! Cells: how fast an answer comes from a fresh, sandboxed interpreter, how many there can be in a second, and what each part
//! of making one costs; beside the ways other programs start Python.

mod baselines;
mod births;
mod calls;
mod endings;
mod jobs;
mod latency;
mod memory;
mod report;
mod throughput;

use std::path::PathBuf;
use std::sync::Arc;

use sandbox::{Config, Environment, Sandbox};

use self::report::Report;
use crate::python::Python;

/// Ready cells in most measurements, as a server that expects bursts would keep them.
const READY: usize = 8;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How often each thing is measured.
    #[arg(long, default_value_t = 1000)]
    calls: usize,
    /// The interpreter cells are made of, and what is compared with them.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Bubblewrap; without it nothing is compared with it.
    #[arg(long)]
    bubblewrap: Option<PathBuf>,
    /// Measure only these parts.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Latency,
    Throughput,
    Calls,
    Births,
    Memory,
    Endings,
    Baselines,
}

impl Arguments {
    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    // On a worker, where a server's jobs are too; the thread that blocks would be woken through one.
    tokio::spawn(measure(arguments)).await?
}

async fn measure(arguments: Arguments) -> anyhow::Result<()> {
    let python = Python::find(&arguments.python)?;
    println!("{} on {} processors", python.version, std::thread::available_parallelism()?);
    let mut report = Report::default();
    let calls = arguments.calls;
    if arguments.wants(Part::Latency) {
        latency::measure(&mut report, &world(&python).await?, calls).await?;
    }
    if arguments.wants(Part::Baselines) {
        baselines::measure(&mut report, &python, arguments.bubblewrap.as_deref(), calls)?;
    }
    if arguments.wants(Part::Throughput) {
        throughput::measure(&mut report, &world(&python).await?, calls).await?;
    }
    if arguments.wants(Part::Calls) {
        calls::measure(&mut report, &world(&python).await?).await?;
    }
    if arguments.wants(Part::Births) {
        births::measure(&mut report, &python, calls).await?;
    }
    if arguments.wants(Part::Endings) {
        endings::measure(&mut report, &world(&python).await?, calls / 2).await?;
    }
    if arguments.wants(Part::Memory) {
        memory::measure(&mut report, &python).await?;
    }
    report.print();
    Ok(())
}

/// A sandbox with its cells ready, and where they come from.
struct World {
    sandbox: Arc<Sandbox>,
    environment: Arc<Environment>,
}

async fn world(python: &Python) -> anyhow::Result<World> {
    let environment = python.environment("bare", &[]);
    let sandbox = Arc::new(Sandbox::start(Config { ready_cells: READY, ..Config::default() }).await?);
    sandbox.prepare(&environment).await?;
    Ok(World { sandbox, environment })
}
