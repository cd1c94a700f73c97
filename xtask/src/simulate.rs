//! Runs the simulation of the server's tests for as many seeds as are wanted, or shows what happens in one.

use anyhow::Result;

use crate::paths::Paths;
use crate::process;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many seeds to try; of a single one, all that happens is printed
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    seeds: u64,
    /// The first of them
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    from: u64,
    /// Build with optimisation, which takes longer once and then tries several times as many seeds
    #[arg(long)]
    release: bool,
}

pub(crate) fn run(paths: &Paths, args: &Args) -> Result<()> {
    let mut tests = paths.cargo();
    tests.args(["test", "--package", "selfmade-server", "--all-features", "--test", "all"]);
    if args.release {
        tests.arg("--release");
    }
    tests.args([
        "--",
        "simulation::runner::every_run_comes_to_one_end_whatever_fails",
        "--exact",
        "--nocapture",
    ]);
    tests.env("SELFMADE_SIMULATE_SEEDS", args.seeds.to_string());
    tests.env("SELFMADE_SIMULATE_FROM", args.from.to_string());
    process::run(&mut tests)
}
