//! Restate, for benchmarks: its server from npm, which is one binary, and its SDK from PyPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths::Paths;
use crate::process;
use crate::virtual_environment::VirtualEnvironment;

pub(crate) const SDK: VirtualEnvironment = VirtualEnvironment {
    title: "Restate's SDK",
    name: "restate",
    version: "1.2.0",
    // The server of the service is what the SDK's own documentation uses.
    packages: &["restate-sdk==1.2.0", "hypercorn==0.18.0"],
    megabytes: 40,
};

const SERVER: &str = "1.7.12";

/// The server's binary.
pub(crate) fn server(paths: &Paths) -> Result<PathBuf> {
    let folder = paths.cache().join(format!("restate-{SERVER}"));
    if let Some(binary) = binary(&folder) {
        eprintln!("Restate {SERVER} is in {}", folder.display());
        return Ok(binary);
    }
    if process::on_path("npm").is_none() {
        bail!("Restate comes from npm, which is missing; install Node.js and run this again");
    }
    eprintln!("installing Restate {SERVER} (250 MB) into {}; this happens once", folder.display());
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut npm = Command::new("npm");
    // One of the packages would report the installation to its makers.
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    process::run(npm.arg(&folder).arg(format!("@restatedev/restate-server@{SERVER}")))?;
    binary(&folder).context("npm installed no server of Restate for this kind of machine")
}

/// In the package for this machine, whose name tells its system and processor.
fn binary(folder: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(folder.join("node_modules/@restatedev")).ok()?.flatten();
    packages.map(|package| package.path().join("bin/restate-server")).find(|file| file.is_file())
}
