//! A job: everything a cell is told about one execution. What it is for, and what is kept of it, is the caller's business.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::egress::EgressPolicy;
use crate::environment::Environment;
use crate::value::Value;

#[derive(Clone, Debug)]
pub struct Job {
    pub environment: Arc<Environment>,
    /// The function to run and all it may call, each once.
    pub closure: Arc<Closure>,
    /// A dict with text keys: the arguments by name. Positional-only parameters and `*args` are named in it too.
    pub input: Value,
    /// Secrets by name; only what the closure was granted.
    pub secrets: BTreeMap<String, String>,
    /// Host verbs it may call, such as `run` or `model.chat`.
    pub verbs: Vec<String>,
    pub limits: JobLimits,
    /// No network at all without one.
    pub egress: Option<EgressPolicy>,
    pub isolation: Isolation,
}

impl Job {
    /// A job with nothing granted and the given limits.
    pub fn new(environment: Arc<Environment>, closure: Arc<Closure>, input: Value, limits: JobLimits) -> Job {
        Job {
            environment,
            closure,
            input,
            secrets: BTreeMap::new(),
            verbs: Vec::new(),
            limits,
            egress: None,
            isolation: Isolation::Fresh,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Closure {
    pub functions: Vec<Function>,
    /// Which of them is run.
    pub entry: usize,
}

#[derive(Clone, Debug)]
pub struct Function {
    /// The name its source defines; the last part of it if it is dotted.
    pub name: String,
    /// What tracebacks call its source, such as `greet@3`.
    pub file: String,
    pub source: String,
    /// Lines at its beginning that nobody wrote: tracebacks count from the line below them.
    pub lines_above: u32,
    pub dialect: Dialect,
    /// What it calls other functions of the closure, and their places in it. An alias may be dotted.
    pub dependencies: BTreeMap<String, usize>,
    /// Modules bound by their names before the source runs, in BabyAGI's dialect.
    pub imports: Vec<String>,
    /// Secrets bound as globals, in BabyAGI's dialect.
    pub secrets: Vec<String>,
}

impl Function {
    /// A function without dependencies.
    pub fn new(name: &str, version: &str, source: &str) -> Function {
        Function {
            name: name.to_owned(),
            file: format!("{name}@{version}"),
            source: source.to_owned(),
            lines_above: 0,
            dialect: Dialect::Selfmade,
            dependencies: BTreeMap::new(),
            imports: Vec::new(),
            secrets: Vec::new(),
        }
    }
}

/// Whose habits the source expects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Imports are written out; secrets and verbs come from `import selfmade`.
    #[default]
    Selfmade,
    /// Declared imports, secrets and the class `datetime` are globals.
    Babyagi,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// A cell that has run nothing before and runs nothing after.
    #[default]
    Fresh,
    /// A cell that ran only jobs of the same key before. The loaded functions are used again, so their globals and imported
    /// modules are as the last job left them; the rest is put back, and a cell in which that cannot be done is not used again.
    /// The key must change with anything in the closure, its grants or its limits, and with whoever may not see what others do.
    Warm { key: String },
    /// A warm cell of one owner, for functions that expect a fresh one: they are loaded again for each job, and a cell in whose
    /// modules a job has left anything is not used again. It ends with [`Sandbox::release`](crate::Sandbox::release).
    Shared { owner: String, key: String },
}

impl Isolation {
    pub(crate) fn key(&self) -> Option<&str> {
        match self {
            Isolation::Fresh => None,
            Isolation::Warm { key } | Isolation::Shared { key, .. } => Some(key),
        }
    }

    pub(crate) fn owner(&self) -> Option<&str> {
        match self {
            Isolation::Fresh | Isolation::Warm { .. } => None,
            Isolation::Shared { owner, .. } => Some(owner),
        }
    }
}

/// What one job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLimits {
    pub wall: Duration,
    /// Processor time, of all its processes and threads together.
    pub cpu: Duration,
    pub memory_bytes: u64,
    /// Processes and threads at once.
    pub processes: u32,
    /// Standard output and error that are kept, together. What is beyond is read and thrown away.
    pub output_bytes: u64,
    /// What a generator may yield in all.
    pub yielded_bytes: u64,
}

impl Default for JobLimits {
    fn default() -> JobLimits {
        JobLimits {
            wall: Duration::from_secs(60),
            cpu: Duration::from_secs(60),
            memory_bytes: 512 << 20,
            processes: 64,
            output_bytes: 1 << 20,
            yielded_bytes: 32 << 20,
        }
    }
}
