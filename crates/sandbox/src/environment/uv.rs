//! The `uv` program: found where it was named or on the path, or else installed into the cache, once. Runs it with nothing but
//! the variables passed in, and turns what it writes into progress and problems.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, Command};

use crate::environment::cache::{Cache, Hold};
use crate::environment::config::EnvironmentsConfig;
use crate::environment::environments::Tell;
use crate::environment::error::Error;
use crate::environment::interpreter::Interpreter;
use crate::environment::problem;
use crate::environment::progress::{self, Progress};
use crate::environment::tool;

/// The oldest that is known to take an age for `--exclude-newer`.
const LEAST: [u32; 3] = [0, 10, 0];

pub(super) struct Uv {
    pub(super) program: PathBuf,
    pub(super) version: String,
    /// For all it is asked to do.
    options: Vec<String>,
    /// For what it does with packages.
    package_options: Vec<String>,
    config: EnvironmentsConfig,
    folder: PathBuf,
}

impl Uv {
    pub(super) async fn find(
        config: &EnvironmentsConfig,
        cache: &Cache,
        interpreter: &Interpreter,
        tell: &Tell<'_>,
    ) -> Result<Uv, Error> {
        let (program, version) = find(config, cache, interpreter, tell).await?;
        let package_options = package_options(config, interpreter);
        let (config, folder) = (config.clone(), cache.root.clone());
        Ok(Uv { program, version, options: options(cache), package_options, config, folder })
    }

    /// A command about packages: resolving, installing.
    pub(super) fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = self.plain_command(arguments);
        command.args(&self.package_options);
        command
    }

    /// A command about `uv` itself.
    pub(super) fn plain_command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = bare(&self.program, &self.config);
        // The cache folder has no project or settings in it that could be found from there.
        command.current_dir(&self.folder).args(arguments).args(&self.options);
        command
    }

    /// Takes these packages out of the downloads, and what nothing refers to.
    pub(super) async fn clean(&self, packages: &BTreeSet<String>) -> Result<(), Error> {
        if !packages.is_empty() {
            let mut clean = self.plain_command(["cache", "clean"]);
            clean.args(packages);
            self.run(clean, "", &|_| ()).await?;
        }
        self.run(self.plain_command(["cache", "prune"]), "", &|_| ()).await.map(drop)
    }

    /// What it wrote to its output, after reading `input`.
    pub(super) async fn run(
        &self,
        mut command: Command,
        input: &str,
        tell: &Tell<'_>,
    ) -> Result<String, Error> {
        let failed = |error: io::Error| Error::Uv {
            why: format!("`{}` cannot be run", self.program.display()),
            details: error.to_string(),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // It may end before it has read all; then its ending says why.
                let _ = stdin.write_all(input.as_bytes()).await;
            }
        };
        let read = async {
            let mut text = String::new();
            if let Some(mut stdout) = stdout {
                stdout.read_to_string(&mut text).await?;
            }
            Ok::<_, io::Error>(text)
        };
        let ((), text, details) = tokio::join!(write, read, listen(stderr, tell));
        let status = child.wait().await.map_err(failed)?;
        if status.success() {
            return text.map_err(failed);
        }
        Err(Error::Failed { problem: problem::read(&details), details })
    }
}

/// Collects what it says and tells what can be understood of it, line by line.
async fn listen(stderr: Option<ChildStderr>, tell: &Tell<'_>) -> String {
    let mut all = String::new();
    let Some(stderr) = stderr else { return all };
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(progress) = progress::read(&line) {
            tell(progress);
        }
        all.push_str(&line);
        all.push('\n');
    }
    all
}

fn options(cache: &Cache) -> Vec<String> {
    let downloads = format!("--cache-dir={}", cache.downloads().display());
    vec!["--no-config".to_owned(), "--no-python-downloads".to_owned(), "--color=never".to_owned(), downloads]
}

fn package_options(config: &EnvironmentsConfig, interpreter: &Interpreter) -> Vec<String> {
    let mut options = vec![format!("--python={}", interpreter.executable.display())];
    if config.offline {
        options.push("--offline".to_owned());
    }
    if let Some(index) = &config.index {
        options.push(format!("--default-index={index}"));
    }
    options
}

async fn find(
    config: &EnvironmentsConfig,
    cache: &Cache,
    interpreter: &Interpreter,
    tell: &Tell<'_>,
) -> Result<(PathBuf, String), Error> {
    if let Some(program) = &config.uv {
        let version = version(program, config).await.map_err(|details| Error::Uv {
            why: format!(
                "`{}` is not a `uv` of version 0.10 or newer; install one or name no `uv`",
                program.display()
            ),
            details,
        })?;
        return Ok((program.clone(), version));
    }
    for program in config.programs("uv") {
        if let Ok(version) = version(&program, config).await {
            return Ok((program, version));
        }
    }
    let program = tool::program(cache);
    if let Ok(version) = version(&program, config).await {
        return Ok((program, version));
    }
    if config.offline {
        let why = "`uv` is neither on the path nor in the cache, and is not fetched while offline; install it, or go \
                   online once";
        return Err(Error::Uv { why: why.to_owned(), details: String::new() });
    }
    let _hold = cache.hold("tool", Hold::Alone, tell).await?;
    // Another process may have installed it while we waited.
    if version(&program, config).await.is_err() {
        tell(Progress::InstallingUv);
        tool::install(config, cache, interpreter).await?;
    }
    let version = version(&program, config).await.map_err(|details| Error::Uv {
        why: "the `uv` that was installed into the cache does not run here; install `uv` and name it"
            .to_owned(),
        details,
    })?;
    Ok((program, version))
}

/// Its version, if it is one we can use.
async fn version(program: &Path, config: &EnvironmentsConfig) -> Result<String, String> {
    let output = bare(program, config).arg("--version").output().await.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(1).unwrap_or_default();
    let numbers: Vec<u32> = version.split('.').filter_map(|number| number.parse().ok()).collect();
    if numbers.as_slice() < LEAST.as_slice() {
        return Err(format!("it calls itself `{}`", text.trim()));
    }
    Ok(version.to_owned())
}

/// A program that dies with us, knows what was passed in, and reads nothing.
pub(super) fn bare(program: &Path, config: &EnvironmentsConfig) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", &config.path).envs(&config.variables);
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}
