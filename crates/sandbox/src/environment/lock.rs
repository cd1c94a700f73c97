//! A lock: all packages of a requirement set with their versions and hashes, decided once and kept, so that the same
//! requirements mean the same files from then on.

use std::fs;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::environment::cache::{Cache, write_whole};
use crate::environment::config::EnvironmentsConfig;
use crate::environment::environments::Tell;
use crate::environment::error::Error;
use crate::environment::interpreter::Interpreter;
use crate::environment::progress::Progress;
use crate::environment::requirements::{Requirements, normalized};
use crate::environment::uv::Uv;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
}

pub(super) struct Lock {
    pub(super) text: String,
    pub(super) packages: Vec<Package>,
}

impl Lock {
    /// What decides the outcome of resolving, apart from the day.
    pub(super) fn key(
        requirements: &Requirements,
        interpreter: &Interpreter,
        config: &EnvironmentsConfig,
    ) -> String {
        let policy = &config.policy;
        digest(&[
            &requirements.text(),
            &interpreter.tag(),
            config.index.as_deref().unwrap_or_default(),
            &policy.minimum_age_days.to_string(),
            if policy.allow_source { "source" } else { "wheels" },
        ])
    }

    pub(super) fn load(cache: &Cache, key: &str) -> Option<Lock> {
        Lock::parse(fs::read_to_string(cache.lock(key)).ok()?).ok()
    }

    /// Every lock that was ever stored and can be read.
    pub(super) fn all(cache: &Cache) -> Result<Vec<Lock>, Error> {
        let folder = cache.locks();
        let entries = fs::read_dir(&folder).map_err(Error::cache(&folder))?;
        let texts = entries.flatten().filter_map(|entry| fs::read_to_string(entry.path()).ok());
        Ok(texts.filter_map(|text| Lock::parse(text).ok()).collect())
    }

    pub(super) fn store(&self, cache: &Cache, key: &str) -> Result<(), Error> {
        let path = cache.lock(key);
        write_whole(&path, &self.text).map_err(Error::cache(&path))
    }

    pub(super) async fn resolve(
        uv: &Uv,
        requirements: &Requirements,
        config: &EnvironmentsConfig,
        tell: &Tell<'_>,
    ) -> Result<Lock, Error> {
        tell(Progress::Resolving);
        let mut command = uv.command(["pip", "compile", "-"]);
        command.args(["--generate-hashes", "--no-header", "--no-annotate"]);
        if !config.policy.allow_source {
            command.arg("--no-build");
        }
        if config.policy.minimum_age_days > 0 {
            command.args(["--exclude-newer", &format!("{} days", config.policy.minimum_age_days)]);
        }
        Lock::parse(uv.run(command, &requirements.text(), tell).await?)
    }

    /// What makes an environment the one it is.
    pub(super) fn environment_id(&self, interpreter: &Interpreter) -> String {
        digest(&[&interpreter.tag(), &self.text])
    }

    fn parse(text: String) -> Result<Lock, Error> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '#']));
        let packages = lines.map(|line| package(line).ok_or_else(|| not_understood(line)));
        let packages = packages.collect::<Result<_, _>>()?;
        Ok(Lock { text, packages })
    }
}

/// An environment without packages.
pub(super) fn bare_id(interpreter: &Interpreter) -> String {
    digest(&[&interpreter.tag(), ""])
}

fn package(line: &str) -> Option<Package> {
    let (name, rest) = line.split_once("==")?;
    let version = rest.split([' ', ';', '\\']).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.[],".contains(c);
    let name = name.chars().all(plain).then(|| name.split('[').next())??;
    Some(Package { name: normalized(name), version: version.to_owned() })
}

fn not_understood(line: &str) -> Error {
    Error::Uv { why: "the lock file that `uv` wrote cannot be parsed".to_owned(), details: line.to_owned() }
}

/// Each part with its length before it, so that no two lists of parts are the same bytes.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::{Lock, digest};

    #[test]
    fn a_lock_names_its_packages() {
        let text = "attrs==26.1.0 \\\n    --hash=sha256:c6 \\\n    --hash=sha256:d0\nZope.X[a]==3.20\n";
        let lock = Lock::parse(text.to_owned()).unwrap();
        let names: Vec<_> = lock.packages.iter().map(|p| (p.name.as_str(), p.version.as_str())).collect();
        assert_eq!(names, [("attrs", "26.1.0"), ("zope-x", "3.20")]);
    }

    #[test]
    fn a_lock_with_an_address_is_refused() {
        assert!(Lock::parse("six @ https://example.com/six==1.whl\n".to_owned()).is_err());
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}
