//! Where things are: the repository's root, the folder for what xtask makes, and cargo.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

pub(crate) struct Paths {
    root: PathBuf,
    cache: PathBuf,
}

impl Paths {
    pub(crate) fn find() -> Result<Paths> {
        // Cargo says at run time which manifest it runs. What was true when compiling is only the second choice,
        // because several checkouts may share one target folder and with it this binary.
        let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().context("xtask must lie in a folder of the workspace")?;
        // The binary is `<target>/debug/xtask`, wherever the target folder was configured to be.
        let binary = env::current_exe().context("cannot tell where xtask itself lies")?;
        let target = binary.ancestors().nth(2).context("xtask must be run by `cargo xtask`")?;
        Ok(Paths { root: root.to_owned(), cache: target.join("xtask") })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What xtask downloads and installs is kept here, and can be deleted at any time.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// What `cargo build` makes of a package of that name.
    pub(crate) fn binary(&self, name: &str) -> PathBuf {
        self.cache.with_file_name("debug").join(name).with_extension(env::consts::EXE_EXTENSION)
    }

    /// A cargo command that starts at the root.
    pub(crate) fn cargo(&self) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.root);
        // `cargo run` told us about xtask's own package. Passed on, that would make build scripts that watch
        // these variables run again whenever `cargo xtask test` and a plain `cargo build` take turns.
        for (name, _) in env::vars_os().filter(|(name, _)| is_about_a_package(&name.to_string_lossy())) {
            cargo.env_remove(name);
        }
        cargo
    }
}

fn is_about_a_package(variable: &str) -> bool {
    let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
    prefixes.iter().any(|prefix| variable.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_user_are_not_taken_for_facts_about_a_package() {
        assert!(is_about_a_package("CARGO_PKG_NAME") && is_about_a_package("CARGO_MANIFEST_DIR"));
        assert!(!is_about_a_package("CARGO_TARGET_DIR") && !is_about_a_package("CARGO_BUILD_JOBS"));
    }
}
