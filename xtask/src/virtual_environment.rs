//! Python packages that a benchmark runs, each set in a virtual environment of its own in the cache.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::paths::Paths;
use crate::process;
use crate::python::Python;

pub(crate) struct VirtualEnvironment {
    /// For messages.
    pub(crate) title: &'static str,
    /// Of the folder and, with the version, of the mark that it is complete.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) packages: &'static [&'static str],
    /// With what it needs.
    pub(crate) megabytes: u32,
}

impl VirtualEnvironment {
    /// Its Python, after installing everything if that has not been done.
    pub(crate) fn find_or_install(&self, paths: &Paths, python: &Python) -> Result<PathBuf> {
        let VirtualEnvironment { title, name, version, packages, megabytes } = self;
        let folder = paths.cache().join(format!("{name}-venv"));
        let own_python = folder.join("bin/python");
        let complete = folder.join(format!("{name}-{version}"));
        if complete.is_file() && process::succeeds(Command::new(&own_python).arg("--version")) {
            eprintln!("{title} {version} is installed in {}", folder.display());
            return Ok(own_python);
        }
        eprintln!(
            "installing {title} {version} ({megabytes} MB with what it needs) into {}; this happens once",
            folder.display()
        );
        process::run(python.command().args(["-m", "venv", "--clear"]).arg(&folder)).context(
            "cannot make a virtual environment; on Debian, `apt-get install python3-venv` is needed",
        )?;
        process::run(Command::new(&own_python).args(["-m", "pip", "install"]).args(*packages))?;
        fs::write(&complete, "")?;
        Ok(own_python)
    }
}
