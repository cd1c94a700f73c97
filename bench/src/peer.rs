//! BabyAGI, in its own virtual environment, doing the same where it can.

use std::path::Path;
use std::time::Duration;

use crate::script;

/// What the script measured, in seconds for each function.
pub(crate) struct Peer {
    pub(crate) register_as_shipped: Option<PerItem>,
    pub(crate) register_bare: Option<PerItem>,
    pub(crate) closure_of_100: Option<Duration>,
}

#[derive(Clone, Copy)]
pub(crate) struct PerItem {
    pub(crate) count: u64,
    pub(crate) each: Duration,
}

pub(crate) fn run(python: &Path, folder: &Path, seconds: u64) -> anyhow::Result<Peer> {
    let result = script::run(python, "babyagi_brain.py", &[seconds.to_string()], folder)?;
    let per_item = |name: &str| {
        let count = result[name]["count"].as_u64()?;
        let seconds = result[name]["seconds"].as_f64()?;
        Some(PerItem { count, each: Duration::from_secs_f64(seconds / count.max(1) as f64) })
    };
    Ok(Peer {
        register_as_shipped: per_item("as_shipped"),
        register_bare: per_item("bare"),
        closure_of_100: result["closure_seconds"].as_f64().map(Duration::from_secs_f64),
    })
}
