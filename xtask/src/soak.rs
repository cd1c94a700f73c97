//! Runs the soak of the program's tests for as long as is wanted: the real program under load, with cancels at random.

use anyhow::Result;

use crate::paths::Paths;
use crate::postgres::Postgres;
use crate::process;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// For how long there is load, on SQLite and then on PostgreSQL
    #[arg(long, value_name = "N", default_value_t = 600)]
    seconds: u64,
}

pub(crate) fn run(paths: &Paths, args: &Args) -> Result<()> {
    let postgres = Postgres::start()?;
    let mut tests = paths.cargo();
    tests.args([
        "test",
        "--package",
        "selfmade",
        "--all-features",
        "--test",
        "all",
        "--",
        "soak::",
        "--nocapture",
    ]);
    // One after the other: together they would wait for each other's processors.
    tests.arg("--test-threads=1");
    tests.env("SELFMADE_TEST_POSTGRES", postgres.url());
    tests.env("SELFMADE_SOAK_SECONDS", args.seconds.to_string());
    process::run(&mut tests)
}
