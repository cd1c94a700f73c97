//! Builds and runs a benchmark of `bench/`, after preparing the peers it compares with.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::paths::Paths;
use crate::postgres::Postgres;
use crate::python::Python;
use crate::system::{self, Package};
use crate::virtual_environment::VirtualEnvironment;
use crate::{babyagi, dbos, graph_peers, process, restate};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The benchmark: `brain` is compared with BabyAGI, `cells` with bubblewrap and a plain fork, `runs` with
    /// BabyAGI, DBOS and Restate, `graphs` with LangGraph, DBOS, Restate and Prefect; `http` stands alone
    name: String,
    /// Flags of the benchmark, passed on as they are
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

pub(crate) fn run(paths: &Paths, args: &Args) -> Result<()> {
    let mut bench = paths.cargo();
    bench.args(["run", "--release", "--package", "selfmade-bench", "--", &args.name]).args(&args.flags);
    let mut hand = |flag: &str, peer: Result<PathBuf>| match peer {
        Ok(path) => drop(bench.arg(flag).arg(path)),
        Err(error) => eprintln!("warning: no `{flag}`, so nothing is compared with it: {error:#}"),
    };
    let of = |environment: &VirtualEnvironment| environment.find_or_install(paths, &Python::find()?);
    // Held until the benchmark has ended.
    let mut postgres = None;
    match args.name.as_str() {
        "brain" => hand("--babyagi-python", of(&babyagi::ENVIRONMENT)),
        "cells" => hand("--bubblewrap", bubblewrap()),
        "graphs" => {
            if !args.flags.iter().any(|flag| flag == "--without-peers") {
                hand("--langgraph-python", of(&graph_peers::LANGGRAPH));
                hand("--dbos-python", of(&dbos::DBOS));
                hand("--restate-python", of(&restate::SDK));
                hand("--restate-server", restate::server(paths));
                hand("--prefect-python", of(&graph_peers::PREFECT));
            }
            let server = postgres.insert(Postgres::start_flushing()?);
            hand("--postgres", Ok(server.url().into()));
        }
        "http" => hand("--selfmade", selfmade(paths)),
        "runs" => {
            if !args.flags.iter().any(|flag| flag == "--without-peers") {
                hand("--babyagi-python", of(&babyagi::ENVIRONMENT));
                hand("--dbos-python", of(&dbos::DBOS));
                hand("--restate-python", of(&restate::SDK));
                hand("--restate-server", restate::server(paths));
            }
            let server = postgres.insert(Postgres::start_flushing()?);
            hand("--postgres", Ok(server.url().into()));
        }
        _ => {}
    }
    process::run(&mut bench)
}

/// The server itself, as it is released.
fn selfmade(paths: &Paths) -> Result<PathBuf> {
    process::run(paths.cargo().args(["build", "--release", "--package", "selfmade"]))?;
    let target = paths.cache().parent().context("the folder of builds is above that of xtask")?;
    Ok(target.join("release/selfmade"))
}

fn bubblewrap() -> Result<PathBuf> {
    if let Some(program) = process::on_path("bwrap") {
        return Ok(program);
    }
    system::install(&Package {
        title: "bubblewrap",
        apt: "bubblewrap",
        dnf: "bubblewrap",
        apk: "bubblewrap",
        brew: "bubblewrap",
    })?;
    process::on_path("bwrap").context("bubblewrap was installed, but there is no `bwrap` on the PATH")
}
