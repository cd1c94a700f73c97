//! Makes one environment: packages are installed into a folder with another name, sealed, described, and put in place with one
//! rename. Whoever calls holds the making of it.

use std::fs;
use std::io;
use std::path::Path;

use tokio::process::Command;

use crate::environment::cache::{Cache, write_whole};
use crate::environment::config::EnvironmentsConfig;
use crate::environment::environments::Tell;
use crate::environment::error::Error;
use crate::environment::interpreter::Interpreter;
use crate::environment::lock::Lock;
use crate::environment::made::{FILE, Made, PACKAGES};
use crate::environment::preload;
use crate::environment::seal::{self, Measure};
use crate::environment::uv::Uv;

pub(super) struct Build<'a> {
    pub(super) id: &'a str,
    pub(super) lock: &'a Lock,
    pub(super) uv: &'a Uv,
    pub(super) cache: &'a Cache,
    pub(super) config: &'a EnvironmentsConfig,
    pub(super) interpreter: &'a Interpreter,
}

impl Build<'_> {
    pub(super) async fn make(&self, tell: &Tell<'_>) -> Result<(), Error> {
        clear(self.cache, self.id)?;
        let place = self.cache.environment(self.id);
        // Named after us: an installer that outlived a killed process may still write to the folder named after that one.
        let partial = self.cache.environments().join(format!("{}.partial-{}", self.id, std::process::id()));
        let packages = partial.join(PACKAGES);
        fs::create_dir_all(&packages).map_err(Error::cache(&packages))?;
        let installed = self.install(&packages, tell).await;
        if installed.is_err() {
            // The reason for the failure matters more than a folder that the next build clears anyway.
            let _ = seal::remove(&partial);
        }
        installed?;
        let made = self.description();
        let finish = move || finish(&partial, &place, made);
        let finished = tokio::task::spawn_blocking(finish).await.map_err(io::Error::other).flatten();
        finished.map_err(Error::cache(&self.cache.environments()))
    }

    /// From the downloads alone if they are enough, which spares asking the index about every package.
    async fn install(&self, packages: &Path, tell: &Tell<'_>) -> Result<(), Error> {
        let cached = self.uv.run(self.command(packages, true), &self.lock.text, tell).await;
        if cached.is_ok() || self.config.offline {
            return cached.map(drop);
        }
        self.uv.run(self.command(packages, false), &self.lock.text, tell).await.map(drop)
    }

    fn command(&self, packages: &Path, offline: bool) -> Command {
        let mut command = self.uv.command(["pip", "install", "--require-hashes", "--no-deps", "-r", "-"]);
        // A cell cannot keep what it compiles, so every one of them would compile what it imports again.
        command.arg("--compile-bytecode").arg("--target").arg(packages);
        if !self.config.policy.allow_source {
            command.arg("--no-build");
        }
        if offline && !self.config.offline {
            command.arg("--offline");
        }
        command
    }

    fn description(&self) -> Made {
        Made {
            id: self.id.to_owned(),
            python: self.interpreter.version(),
            platform: self.interpreter.platform.clone(),
            uv: self.uv.version.clone(),
            packages: self.lock.packages.clone(),
            path_files: Vec::new(),
            modules: Default::default(),
            measure: Measure::default(),
        }
    }
}

/// Takes away what an earlier attempt left, and what is in place but not whole.
pub(super) fn clear(cache: &Cache, id: &str) -> Result<(), Error> {
    let folder = cache.environments();
    let clear = || {
        for entry in fs::read_dir(&folder)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let ours =
                name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with(".partial-"));
            if ours {
                seal::remove(&folder.join(name.as_ref()))?;
            }
        }
        Ok(())
    };
    clear().map_err(Error::cache(&folder))
}

fn finish(partial: &Path, place: &Path, mut made: Made) -> io::Result<()> {
    let packages = partial.join(PACKAGES);
    // The installer's own lock, which everybody could write to.
    match fs::remove_file(packages.join(".lock")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    made.path_files = path_files(&packages)?;
    made.modules = preload::modules(&packages);
    made.measure = seal::seal(&packages)?;
    write_whole(&partial.join(FILE), &serde_json::to_string_pretty(&made)?)?;
    fs::rename(partial, place)
}

fn path_files(packages: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(packages)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".pth") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
