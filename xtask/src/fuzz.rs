//! Runs a fuzz target of `fuzz/` with cargo-fuzz, on the nightly toolchain if there is one.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::paths::Paths;
use crate::process;
use crate::tool::Tool;

const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2", oldest: (0, 12), flags: &[] };

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A target of `fuzz/fuzz_targets`; without one they are listed
    target: Option<String>,
    /// How long to look for a failing input
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
}

pub(crate) fn run(paths: &Paths, args: &Args) -> Result<()> {
    let folder = paths.root().join("fuzz");
    ensure!(
        folder.join("Cargo.toml").is_file(),
        "there are no fuzz targets: `{}` is missing",
        folder.display()
    );
    let targets = targets(&folder)?;
    let Some(target) = &args.target else {
        println!("{}", targets.join("\n"));
        return Ok(());
    };
    ensure!(targets.contains(target), "there is no fuzz target `{target}`; there are {}", targets.join(", "));
    let binary = CARGO_FUZZ.find_or_install(paths)?;
    let mut fuzz = Command::new(binary);
    fuzz.current_dir(paths.root()).args(["run", "--fuzz-dir", "fuzz"]);
    if has_nightly() {
        eprintln!("fuzzing with the nightly toolchain and the address sanitizer");
        fuzz.env("RUSTUP_TOOLCHAIN", "nightly").env_remove("CARGO").env_remove("RUSTC");
    } else {
        eprintln!(
            "fuzzing with the stable toolchain, without a sanitizer; `rustup toolchain add nightly` gives one"
        );
        fuzz.env("RUSTC_BOOTSTRAP", "1").args(["--sanitizer", "none"]);
    }
    fuzz.arg(target).arg("--").arg(format!("-max_total_time={}", args.seconds));
    process::run(&mut fuzz)
}

/// The names of the targets, which are the names of their files.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let files = fs::read_dir(folder.join("fuzz_targets")).context("cannot list the fuzz targets")?;
    let mut names: Vec<String> =
        files.filter_map(|file| file.ok()?.path().file_stem()?.to_str().map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

fn has_nightly() -> bool {
    process::succeeds(Command::new("rustup").args(["run", "nightly", "rustc", "--version"]))
}
