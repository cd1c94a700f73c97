//! BabyAGI, in its own virtual environment, doing the same where it can.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

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
    // The script runs in another folder.
    let python = std::path::absolute(python)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/babyagi_brain.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(seconds.to_string())
        .current_dir(folder)
        // It would otherwise look for a price list on the internet.
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", python.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(json) = text.lines().rev().find_map(|line| line.strip_prefix("RESULT ")) else {
        bail!("the peer's script ended with {} and gave no result", output.status);
    };
    let result: Value = serde_json::from_str(json)?;
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
