//! The interpreter: found once, asked once what it is and what it needs to see. The one a virtual environment was made from is
//! taken instead of the virtual environment, because cells have packages of their own.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;
use tokio::process::Command;

use crate::environment::config::EnvironmentsConfig;
use crate::environment::error::Error;

/// The oldest minor version that the Python side of cells works on.
const LEAST: (u32, u32) = (3, 10);
/// Names to look for after `python3`, which may be an older one than others that are there.
const NAMES: [&str; 6] = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];

/// Written so that a Python too old for us still answers.
const QUESTION: &str = "
import json, os, sys, sysconfig
def real(path):
    return os.path.realpath(path) if path else None
def variable(name):
    return sysconfig.get_config_var(name) or ''
executable = sys.executable
venv = os.path.exists(os.path.join(os.path.dirname(os.path.dirname(executable)), 'pyvenv.cfg'))
base = getattr(sys, '_base_executable', None) or executable
print(json.dumps({
    'executable': real(base if venv else executable),
    'version': list(sys.version_info[:3]),
    'implementation': getattr(sys, 'implementation', None) and sys.implementation.name,
    'abi': variable('SOABI') or variable('EXT_SUFFIX'),
    'platform': sysconfig.get_platform(),
    'prefix': real(getattr(sys, 'base_prefix', sys.prefix)),
    'stdlib': [real(sysconfig.get_path('stdlib')), real(sysconfig.get_path('platstdlib'))],
    'library': os.path.join(variable('LIBDIR'), variable('INSTSONAME') or variable('LDLIBRARY')),
    'venv': venv,
}))
";

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Interpreter {
    pub executable: PathBuf,
    pub version: [u32; 3],
    pub implementation: Option<String>,
    /// Which compiled packages it can load.
    pub abi: String,
    pub platform: String,
    pub prefix: PathBuf,
    pub stdlib: Vec<PathBuf>,
    /// The shared library of the interpreter, where it has one.
    pub library: PathBuf,
    /// Whether what was found is a virtual environment.
    pub venv: bool,
}

impl Interpreter {
    pub(super) async fn find(config: &EnvironmentsConfig) -> Result<Interpreter, Error> {
        if let Some(python) = &config.python {
            return ask(python, config).await;
        }
        let mut tried = Vec::new();
        for python in NAMES.iter().flat_map(|name| config.programs(name)) {
            match ask(&python, config).await {
                Ok(interpreter) => return Ok(interpreter),
                Err(error) => tried.push(error.to_string()),
            }
        }
        Err(Error::NoPython { least: least(), details: tried.join("\n") })
    }

    pub fn version(&self) -> String {
        self.version.map(|number| number.to_string()).join(".")
    }

    /// Two interpreters with the same tag can use the same packages.
    pub(super) fn tag(&self) -> String {
        let name = self.implementation.as_deref().unwrap_or("python");
        format!("{name} {} {} {}", self.version(), self.abi, self.platform)
    }

    /// What cells must see of it. A prefix of its own is shown whole; one it shares with the rest of the system, or with the
    /// cache, is not.
    pub(super) fn shown(&self, cache: &Path) -> Vec<PathBuf> {
        let shared = ["/", "/usr", "/usr/local"].iter().any(|shared| self.prefix == Path::new(shared));
        if !shared && !cache.starts_with(&self.prefix) && self.executable.starts_with(&self.prefix) {
            return vec![self.prefix.clone()];
        }
        let mut shown = vec![self.executable.clone()];
        shown.extend(self.stdlib.iter().cloned());
        if self.library.is_file() {
            shown.extend(self.library.canonicalize().ok());
            shown.push(self.library.clone());
        }
        shown.sort();
        shown.dedup();
        shown
    }
}

fn least() -> String {
    format!("{}.{}", LEAST.0, LEAST.1)
}

async fn ask(python: &Path, config: &EnvironmentsConfig) -> Result<Interpreter, Error> {
    let wrong = |why: String| Error::Python { python: python.to_owned(), why };
    let output = Command::new(python)
        .args(["-I", "-S", "-c", QUESTION])
        .env_clear()
        .env("PATH", &config.path)
        .envs(&config.variables)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| wrong(error.to_string()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(wrong(text.lines().last().unwrap_or("it failed without a message").to_owned()));
    }
    let interpreter: Interpreter = serde_json::from_slice(&output.stdout)
        .map_err(|error| wrong(format!("its output cannot be parsed ({error})")))?;
    if (interpreter.version[0], interpreter.version[1]) < LEAST {
        let version = interpreter.version();
        return Err(Error::PythonTooOld { python: python.to_owned(), version, least: least() });
    }
    Ok(interpreter)
}
