//! The jobs that are measured and the interpreter they run on.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;
use sandbox::{Closure, Environment, Function, Isolation, Job, JobLimits, Value};

/// A function of the size and manners of most.
const SMALL: &str = "def f(x, y=2):\n    import math\n    return {'sum': x + y, 'root': math.sqrt(x)}";
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

pub(super) struct Python {
    pub(super) version: String,
    /// Where the interpreter itself lies: what is found by its name may be a script that looks for it.
    pub(super) program: PathBuf,
    shown: Vec<PathBuf>,
}

impl Python {
    pub(super) fn find(program: &str) -> anyhow::Result<Python> {
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

    pub(super) fn environment(&self, id: &str, preload: &[&str]) -> Arc<Environment> {
        Arc::new(Environment {
            id: id.to_owned(),
            python: self.program.clone(),
            shown: self.shown.clone(),
            site_packages: Vec::new(),
            preload: preload.iter().map(ToString::to_string).collect(),
        })
    }
}

pub(super) fn small(environment: &Arc<Environment>) -> Job {
    of(environment, &[("f", SMALL)], vec![("x".to_owned(), Value::Int(16))])
}

pub(super) fn warm(environment: &Arc<Environment>) -> Job {
    Job { isolation: Isolation::Warm { key: "small".to_owned() }, ..small(environment) }
}

/// Functions by name, the first being the entry, which calls the others.
pub(super) fn of(
    environment: &Arc<Environment>,
    sources: &[(&str, &str)],
    input: Vec<(String, Value)>,
) -> Job {
    let mut functions: Vec<Function> =
        sources.iter().map(|(name, source)| Function::new(name, "1", source)).collect();
    let others = sources.iter().enumerate().skip(1);
    functions[0].dependencies = others.map(|(place, (name, _))| ((*name).to_owned(), place)).collect();
    let closure = Arc::new(Closure { functions, entry: 0 });
    Job::new(Arc::clone(environment), closure, Value::Map(input), JobLimits::default())
}
