//! Graphs: how fast their nodes are executed and recorded, how much memory streaming takes, how fast what was recorded is paged and
//! what is saved is checked; beside libraries and servers that record steps and isolate nothing.

mod own;
mod peers;
mod report;
mod shapes;

use std::path::PathBuf;

use self::report::{Report, SELFMADE, SELFMADE_POSTGRES};
use crate::measure::{flush_time, human};
use crate::python::Python;
use crate::runs::world::Place;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Measure only these parts.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Measure selfmade alone.
    #[arg(long)]
    without_peers: bool,
    /// How often the chain is measured.
    #[arg(long, default_value_t = 25)]
    chains: usize,
    /// How many executions of built-in nodes one run has.
    #[arg(long, default_value_t = 20_000)]
    builtin: usize,
    /// How many executions of a Python node one run has.
    #[arg(long, default_value_t = 2_000)]
    python_nodes: usize,
    /// How many values go through one link.
    #[arg(long, default_value_t = 10_000)]
    values: usize,
    /// How many executions the run has that is paged.
    #[arg(long, default_value_t = 100_000)]
    paged: usize,
    /// How many nodes the graph has that is checked.
    #[arg(long, default_value_t = 1_000)]
    checked: usize,
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
    /// 40 nodes, one after the other, each computing fib(10).
    Chain,
    /// Many executions of a built-in node.
    Builtin,
    /// Many executions of a node that is a function.
    Python,
    /// Many values through one link.
    Values,
    /// Pages of a run of very many executions.
    Page,
    /// Checking a large graph.
    Check,
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
    own::measure(&mut report, &place, &arguments, SELFMADE, None).await?;
    if let Some(url) = &arguments.postgres {
        own::measure(&mut report, &place, &arguments, SELFMADE_POSTGRES, Some(url.clone())).await?;
    }
    if !arguments.without_peers {
        peers::measure(&mut report, &place, &arguments).await?;
    }
    report.print();
    Ok(())
}
