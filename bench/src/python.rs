//! The interpreter that cells are made of.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;
use sandbox::Environment;

const FIND: &str = "import sys, os, sysconfig, platform
executable = os.path.realpath(sys.executable)
prefix = os.path.realpath(sys.base_prefix)
print(platform.python_implementation(), platform.python_version())
print(executable)
if prefix in ('/usr', '/usr/local'):
    print(executable)
    print(os.path.realpath(sysconfig.get_path('stdlib')))
else:
    print(prefix)";

pub(crate) struct Python {
    pub(crate) version: String,
    /// Where the interpreter itself lies: what is found by its name may be a script that looks for it.
    pub(crate) program: PathBuf,
    shown: Vec<PathBuf>,
}

impl Python {
    pub(crate) fn find(program: &str) -> anyhow::Result<Python> {
        let output = Command::new(program)
            .args(["-I", "-c", FIND])
            .output()
            .with_context(|| format!("cannot start `{program}`"))?;
        let text = String::from_utf8(output.stdout)?;
        let mut lines = text.lines();
        let version = lines.next().with_context(|| format!("`{program}` is no Python"))?.to_owned();
        let mut paths = lines.map(PathBuf::from);
        let program = paths.next().with_context(|| format!("`{program}` does not say where it lies"))?;
        Ok(Python { version, program, shown: paths.collect() })
    }

    pub(crate) fn environment(&self, id: &str, preload: &[&str]) -> Arc<Environment> {
        Arc::new(Environment {
            id: id.to_owned(),
            python: self.program.clone(),
            shown: self.shown.clone(),
            site_packages: Vec::new(),
            preload: preload.iter().map(ToString::to_string).collect(),
        })
    }
}
