//! What environments are made with. Values are passed in; nothing is read from the process's own environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::environment::policy::PackagePolicy;

#[derive(Clone, Debug, Default)]
pub struct EnvironmentsConfig {
    /// The folder for environments, locks, downloads and a private `uv`. Several processes may share it.
    pub cache: PathBuf,
    /// The interpreter; absent is the first good one on `path`.
    pub python: Option<PathBuf>,
    /// The `uv` program; absent is the one on `path`, or else one installed into the cache.
    pub uv: Option<PathBuf>,
    /// Where programs are looked for, in the form of `PATH`.
    pub path: OsString,
    /// Variables for `uv` and `pip`, which get no others: proxies, certificates.
    pub variables: BTreeMap<String, String>,
    /// The package index; absent is PyPI.
    pub index: Option<String>,
    /// Use the cache alone, never the network.
    pub offline: bool,
    pub policy: PackagePolicy,
}

impl EnvironmentsConfig {
    /// Programs of this name on `path`, in its order.
    pub(super) fn programs<'a>(&'a self, name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        std::env::split_paths(&self.path)
            .filter(|folder| folder.is_absolute())
            .map(move |folder| folder.join(name))
            .filter(|program| is_program(program))
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
