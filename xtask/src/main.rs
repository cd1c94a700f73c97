//! `cargo xtask`: the chores of this repository, one file each. It may start any process; the product may not.

#![allow(
    clippy::disallowed_methods,
    reason = "the rules keep the product's processes, environment and clock in their places; xtask is not the product"
)]

mod babyagi;
mod bench;
mod dbos;
mod deny;
mod eval;
mod fuzz;
mod graph_peers;
mod paths;
mod postgres;
mod process;
mod python;
mod report;
mod restate;
mod schemathesis;
mod sdk;
mod simulate;
mod soak;
mod system;
mod test;
mod tool;
mod virtual_environment;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use paths::Paths;

/// The chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Set up what the tests need, run every check and test, and sum up
    Test(test::Args),
    /// Build and run a benchmark against its peers
    Bench(bench::Args),
    /// Measure the agent's loop with a noisy oracle in the place of a language model
    Eval(eval::Args),
    /// Run a fuzz target for a while
    Fuzz(fuzz::Args),
    /// Simulate two servers over a database that fails, from one seed after the other
    Simulate(simulate::Args),
    /// Keep the program under load with cancels at random, and see that everything ends
    Soak(soak::Args),
    /// Check licences, bans and sources of the dependencies against deny.toml
    Deny,
    /// Hold a private PostgreSQL until standard input closes
    #[command(hide = true)]
    PostgresGuard {
        /// Whether what is committed survives loss of power
        #[arg(long)]
        flushing: bool,
    },
}

fn main() -> ExitCode {
    match run(&Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> anyhow::Result<()> {
    let paths = Paths::find()?;
    match task {
        Task::Test(args) => test::run(&paths, args),
        Task::Bench(args) => bench::run(&paths, args),
        Task::Eval(args) => eval::run(&paths, args),
        Task::Fuzz(args) => fuzz::run(&paths, args),
        Task::Simulate(args) => simulate::run(&paths, args),
        Task::Soak(args) => soak::run(&paths, args),
        Task::Deny => deny::run(&paths),
        Task::PostgresGuard { flushing } => postgres::guard::run(*flushing),
    }
}
