//! Scripts that measure a peer: started in its own Python, they print one line `RESULT {json}`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

/// One of `bench/peers`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// Runs it in a folder of its own and returns what it found.
pub(crate) fn run(python: &Path, script: &str, arguments: &[String], folder: &Path) -> anyhow::Result<Value> {
    // The script runs in another folder.
    let python = std::path::absolute(python)?;
    let output = Command::new(&python)
        .arg(path(script))
        .args(arguments)
        .current_dir(folder)
        // BabyAGI would otherwise look for a price list on the internet.
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", python.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(json) = text.lines().rev().find_map(|line| line.strip_prefix("RESULT ")) else {
        bail!("the peer's script `{script}` ended with {} and gave no result", output.status);
    };
    Ok(serde_json::from_str(json)?)
}
