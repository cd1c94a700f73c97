//! The Python SDK: its types are checked, and its tests run against the server as it was just built.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::paths::Paths;
use crate::process;
use crate::python::Python;
use crate::virtual_environment::VirtualEnvironment;

/// Another version may find other faults.
const MYPY: VirtualEnvironment = VirtualEnvironment {
    title: "mypy",
    name: "mypy",
    version: "2.4.1",
    packages: &["mypy==2.4.1"],
    megabytes: 70,
};

/// What is checked, and how strictly, is in the SDK's `pyproject.toml`.
pub(crate) fn types(paths: &Paths) -> Result<()> {
    let python = MYPY.find_or_install(paths, &Python::find()?)?;
    let cache = paths.cache().join("mypy-cache");
    process::run(
        Command::new(python)
            .current_dir(paths.root().join("sdk/python"))
            .args(["-m", "mypy", "--cache-dir"])
            .arg(cache),
    )
}

/// The server that the tests start: with the features that the Rust tests have, so that it is built once for both.
pub(crate) fn server(paths: &Paths) -> Result<PathBuf> {
    process::run(paths.cargo().args(["build", "--package", "selfmade", "--all-features"]))?;
    Ok(paths.binary("selfmade"))
}
