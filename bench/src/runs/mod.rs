//! Runs: how fast a function is executed in a cell and recorded, alone and among many, calling and triggering others, and how
//! fast what was recorded is listed; beside servers that record calls as durably and isolate nothing.

mod calls;
mod crowd;
pub(crate) mod functions;
mod latency;
mod listing;
mod past;
pub(crate) mod peers;
mod queue;
mod report;
mod sizes;
mod triggers;
pub(crate) mod world;

use std::path::PathBuf;

use self::report::Report;
use self::world::Place;
use crate::measure::{flush_time, human};
use crate::python::Python;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Measure only these parts.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Measure selfmade alone.
    #[arg(long)]
    without_peers: bool,
    /// How often one call at a time is measured.
    #[arg(long, default_value_t = 500)]
    calls: usize,
    /// How many callers there are at once.
    #[arg(long, default_value_t = 64)]
    callers: usize,
    /// How many calls they make together.
    #[arg(long, default_value_t = 6_000)]
    crowd: usize,
    /// How many runs there are to list.
    #[arg(long, default_value_t = 1_000_000)]
    listed: usize,
    /// How many functions the large brains have.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000")]
    stored: Vec<usize>,
    /// The interpreter cells are made of.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Where the databases are put; the disk below decides what a commit costs.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// An administrator's URL of a PostgreSQL that flushes what it commits.
    #[arg(long)]
    postgres: Option<String>,
    #[command(flatten)]
    peers: peers::Arguments,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// One call at a time in fresh cells, and what the engine adds to the cell.
    Latency,
    /// The same in warm cells.
    Warm,
    /// The same among many stored functions.
    Sizes,
    /// Functions that call others.
    Calls,
    /// Many callers at once.
    Crowd,
    /// A chain of triggers.
    Triggers,
    /// Queued runs, on PostgreSQL.
    Queue,
    /// Lists among many runs.
    Listing,
}

impl Arguments {
    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    // On a worker, where a server's requests are too; the thread that blocks would be woken through one.
    tokio::spawn(measure(arguments)).await?
}

async fn measure(arguments: Arguments) -> anyhow::Result<()> {
    let folder = match &arguments.folder {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let python = Python::find(&arguments.python)?;
    println!("{} on {} processors", python.version, std::thread::available_parallelism()?);
    println!("a 4 KiB write and flush on this disk: {}", human(flush_time(folder.path())?));
    let place = Place { folder: folder.path().to_owned(), python, postgres: arguments.postgres.clone() };
    let mut report = Report::default();
    if arguments.wants(Part::Latency) {
        latency::measure(&mut report, &place, arguments.calls).await?;
    }
    if arguments.wants(Part::Warm) {
        latency::measure_warm(&mut report, &place, arguments.calls).await?;
    }
    if arguments.wants(Part::Sizes) {
        sizes::measure(&mut report, &place, &arguments.stored, arguments.calls).await?;
    }
    if arguments.wants(Part::Calls) {
        calls::measure(&mut report, &place).await?;
    }
    if arguments.wants(Part::Crowd) {
        crowd::measure(&mut report, &place, arguments.callers, arguments.crowd).await?;
    }
    if arguments.wants(Part::Triggers) {
        triggers::measure(&mut report, &place).await?;
    }
    if arguments.wants(Part::Queue) {
        queue::measure(&mut report, &place).await?;
    }
    if !arguments.without_peers {
        peers::measure(&mut report, &place, &arguments).await?;
    }
    if arguments.wants(Part::Listing) {
        listing::measure(&mut report, &place, arguments.listed).await?;
    }
    report.print();
    Ok(())
}
