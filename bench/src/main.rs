//! Side-by-side measurements against peers, run by `cargo xtask bench NAME`. Each prints a table; nothing is asserted,
//! because the machine may be shared and noisy: read the ratios.

// A benchmark reads the clock; that is what it is for.
#![allow(clippy::disallowed_methods)]

mod brain;
mod cells;
mod functions;
mod graphs;
mod http;
mod load;
mod measure;
mod peer;
mod python;
mod runs;
mod script;
mod table;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// What is measured in this process is measured with the product's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about = "Side-by-side measurements against peers")]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// Registering, reading and searching functions, beside BabyAGI.
    Brain(BrainArguments),
    /// Running functions in sandboxed cells, beside other ways to start Python.
    Cells(cells::Arguments),
    /// Executing, recording and checking graphs, beside LangGraph, DBOS, Restate and Prefect.
    Graphs(Box<graphs::Arguments>),
    /// The HTTP door: what it adds, what it bears, what a server costs.
    Http(http::Arguments),
    /// Executing and recording runs, beside BabyAGI, DBOS and Restate.
    Runs(Box<runs::Arguments>),
}

#[derive(clap::Args)]
pub(crate) struct BrainArguments {
    /// The Python of a virtual environment that has BabyAGI; without it only selfmade is measured.
    #[arg(long)]
    babyagi_python: Option<PathBuf>,
    /// How many functions the large brain has.
    #[arg(long, default_value_t = 100_000)]
    stored: usize,
    /// Where the databases are put; the disk below decides what a commit costs.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// How many seconds each measurement of the peer may take.
    #[arg(long, default_value_t = 60)]
    peer_seconds: u64,
}

fn main() -> anyhow::Result<()> {
    sandbox::stage1::enter_if_asked();
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new()?;
    match arguments.bench {
        Bench::Brain(arguments) => runtime.block_on(brain::run(&arguments)),
        Bench::Cells(arguments) => runtime.block_on(cells::run(arguments)),
        Bench::Graphs(arguments) => runtime.block_on(graphs::run(*arguments)),
        Bench::Http(arguments) => runtime.block_on(http::run(arguments)),
        Bench::Runs(arguments) => runtime.block_on(runs::run(*arguments)),
    }
}
