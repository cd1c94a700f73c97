//! Starts other programs and turns how they ended into errors. Which program, and why, is the caller's business.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, iter};

use anyhow::{Context, Result, ensure};

/// Runs a command with its output on the screen.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    ensure!(status.success(), "`{}` ended with {status}", shown(command));
    Ok(())
}

/// Runs a command and returns what it wrote to standard output, without the last line break.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start `{}`", shown(command)))?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`{}` ended with {}: {}",
        shown(command),
        output.status,
        told.trim_end()
    );
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// Whether a command can be started and ends well; what it writes is thrown away.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Where a program lies, if it is on the `PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The command as one would type it, for messages.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
