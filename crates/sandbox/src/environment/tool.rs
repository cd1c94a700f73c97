//! The private `uv`: installed into the cache from its Python package by the interpreter's own `pip`. Its version is exact and
//! its files have the hashes we know, because what it installs can be trusted no more than itself.

use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::process::Command;

use crate::environment::cache::Cache;
use crate::environment::config::EnvironmentsConfig;
use crate::environment::error::Error;
use crate::environment::interpreter::Interpreter;
use crate::environment::uv::bare;

const PINNED: &str = include_str!("uv.txt");
/// How the folders begin in which it is being installed.
const PARTIAL: &str = "partial-";

/// Where it is, or would be.
pub(super) fn program(cache: &Cache) -> PathBuf {
    cache.tool(version()).join("bin/uv")
}

fn version() -> &'static str {
    let line = PINNED.lines().find_map(|line| line.strip_prefix("uv=="));
    line.and_then(|line| line.split(' ').next()).unwrap_or_default()
}

pub(super) async fn install(
    config: &EnvironmentsConfig,
    cache: &Cache,
    interpreter: &Interpreter,
) -> Result<(), Error> {
    let tool = cache.tool(version());
    if tool.exists() {
        fs::remove_dir_all(&tool).map_err(Error::cache(&tool))?;
    }
    remove_leftovers(cache);
    let partial = partial(cache);
    let mut venv = bare(&interpreter.executable, config);
    venv.args(["-I", "-m", "venv"]).arg(&partial);
    let hint =
        "install it yourself, or the `venv` and `ensurepip` modules (for example `apt install python3-venv`)";
    succeed(venv, hint).await?;
    let mut pip = bare(&partial.join("bin/python"), config);
    pip.args(["-m", "pip", "install", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:"]);
    // Whoever adds a function waits for this, also without a network.
    pip.args(["--disable-pip-version-check", "--no-cache-dir", "--require-hashes", "--retries=1"]);
    if let Some(index) = &config.index {
        pip.arg(format!("--index-url={index}"));
    }
    let pinned = partial.join("uv.txt");
    fs::write(&pinned, PINNED).map_err(Error::cache(&pinned))?;
    pip.arg("-r").arg(pinned);
    succeed(pip, "install it yourself, or check that the package index can be reached").await?;
    // Scripts of a moved virtual environment break, but of this one only the native program is used.
    fs::rename(&partial, &tool).map_err(Error::cache(&tool))
}

/// A name that nobody had: of an installation that was given up, a process may still be writing to its own.
fn partial(cache: &Cache) -> PathBuf {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let tried = TRIED.fetch_add(1, Ordering::Relaxed);
    cache.tool(&format!("{PARTIAL}{}-{tried}", std::process::id()))
}

/// What was given up before, as far as it lets itself be removed.
fn remove_leftovers(cache: &Cache) {
    let Ok(found) = fs::read_dir(cache.tool("")) else { return };
    for leftover in found.flatten().filter(|one| one.file_name().to_string_lossy().starts_with(PARTIAL)) {
        let _ = fs::remove_dir_all(leftover.path());
    }
}

async fn succeed(mut command: Command, hint: &str) -> Result<(), Error> {
    let failed = |details: String| Error::Uv { why: why(&details, hint), details };
    let Output { status, stdout, stderr } =
        command.output().await.map_err(|error| failed(error.to_string()))?;
    if status.success() {
        return Ok(());
    }
    Err(failed(String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()))
}

fn why(details: &str, hint: &str) -> String {
    let hint = match details.contains("DO NOT MATCH THE HASHES") {
        true => "the package that the index offers does not have the expected hash",
        false => hint,
    };
    format!("`uv` cannot be installed into the cache; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_that_was_given_up_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let given_up = partial(&cache);
        fs::create_dir_all(given_up.join("bin")).unwrap();
        assert_ne!(partial(&cache), given_up);
        remove_leftovers(&cache);
        assert!(!given_up.exists());
    }

    #[test]
    fn one_exact_version_is_pinned_with_its_hashes() {
        let numbers: Vec<u32> = version().split('.').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 3);
        let lines: Vec<&str> = PINNED.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines[0].starts_with("uv=="));
        assert!(lines[1..].iter().all(|line| line.starts_with("    --hash=sha256:")), "{lines:?}");
    }
}
