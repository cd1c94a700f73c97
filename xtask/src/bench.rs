//! Builds and runs a benchmark of `bench/`, after preparing the peer it compares with.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::place::Place;
use crate::python::Python;
use crate::system::{self, Package};
use crate::{babyagi, process};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The benchmark: `brain` is compared with BabyAGI, `cells` with bubblewrap and a plain fork
    name: String,
    /// Flags of the benchmark, handed on as they are
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<String>,
}

pub(crate) fn run(place: &Place, args: &Args) -> Result<()> {
    let mut bench = place.cargo();
    bench.args(["run", "--release", "--package", "selfmade-bench", "--", &args.name]).args(&args.flags);
    if args.name == "brain" {
        match Python::find().and_then(|python| babyagi::environment(place, &python)) {
            Ok(python) => {
                bench.arg("--babyagi-python").arg(python);
            }
            Err(error) => {
                eprintln!(
                    "warning: BabyAGI could not be installed, so nothing is compared with it: {error:#}"
                );
            }
        }
    }
    if args.name == "cells" {
        match bubblewrap() {
            Ok(program) => {
                bench.arg("--bubblewrap").arg(program);
            }
            Err(error) => eprintln!("warning: nothing is compared with bubblewrap: {error:#}"),
        }
    }
    process::run(&mut bench)
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
