//! Finds cargo's extra tools, and installs the ones that are missing into the cache, never into the user's home.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::paths::Paths;
use crate::process;

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// What is installed when the machine has none.
    pub(crate) version: &'static str,
    /// Older ones, found on the machine, are passed over.
    pub(crate) oldest: (u32, u32),
    /// Features and the like for `cargo install`.
    pub(crate) flags: &'static [&'static str],
}

impl Tool {
    /// The tool's binary: the machine's own if it is new enough, else the cached one, else a new one in the cache.
    pub(crate) fn find_or_install(&self, paths: &Paths) -> Result<PathBuf> {
        let tools = paths.cache().join("tools");
        let cached = tools.join("bin").join(self.name);
        let known = [process::on_path(self.name), Some(cached.clone())];
        if let Some(binary) = known.into_iter().flatten().find(|binary| self.is_new_enough(binary)) {
            return Ok(binary);
        }
        eprintln!("installing {} {} into {}; this happens once", self.name, self.version, tools.display());
        // A debug build without debug information takes the least time, and the tool runs for seconds only.
        let build = tools.join("build");
        let mut install = paths.cargo();
        install.args(["install", self.name, "--version", self.version, "--locked", "--debug"]);
        install.args(self.flags).arg("--root").arg(&tools).arg("--target-dir").arg(&build);
        install.env("CARGO_PROFILE_DEV_DEBUG", "0");
        process::run(&mut install)
            .with_context(|| format!("cannot install {0}; install it with `cargo install {0}`", self.name))?;
        fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))?;
        Ok(cached)
    }

    fn is_new_enough(&self, binary: &PathBuf) -> bool {
        let version = process::read(Command::new(binary).arg("--version"));
        version.ok().and_then(|line| parse(&line)).is_some_and(|found| found >= self.oldest)
    }
}

/// The major and minor version in a line such as `cargo-deny 0.20.2`.
fn parse(line: &str) -> Option<(u32, u32)> {
    let mut parts = line.split_whitespace().nth(1)?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_tells_its_version_in_the_second_word() {
        assert_eq!(parse("cargo-deny 0.20.2"), Some((0, 20)));
        assert_eq!(parse("cargo-nextest 0.9.100 (abc 2026-01-01)\nrelease: 0.9.100"), Some((0, 9)));
        assert_eq!(parse("unknown"), None);
    }
}
