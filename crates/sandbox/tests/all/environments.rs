//! Environments made by the real `uv` from the real index, with small packages.

#![allow(clippy::unwrap_used, reason = "helpers of a test suite fail the test that called them")]

mod cached;
mod failing;
mod found;
mod made;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use selfmade_sandbox::Environment;
use selfmade_sandbox::environment::{
    Environments, EnvironmentsConfig, Error, PackagePolicy, ProblemKind, Progress, Requirements,
};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// Variables by which a machine tells clients how to reach the index.
const VARIABLES: [&str; 9] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_DEFAULT_INDEX",
];

/// A cache of its own, with the `uv` that all tests share.
struct Place {
    folder: TempDir,
    config: EnvironmentsConfig,
}

impl Place {
    async fn new() -> Place {
        let mut place = Place::without_uv();
        place.config.uv = Some(uv().await);
        place
    }

    fn without_uv() -> Place {
        // Beside the shared cache, because `/tmp` is where the root of a cell is built.
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let config = EnvironmentsConfig { uv: Some("/nowhere/uv".into()), ..config(folder.path()) };
        Place { folder, config }
    }

    fn with_policy(mut self, policy: PackagePolicy) -> Place {
        self.config.policy = policy;
        self
    }

    async fn open(&self) -> Environments {
        Environments::open(self.config.clone()).await.expect("the tests need Python")
    }

    async fn get(&self, requirements: &[&str]) -> Result<Arc<Environment>, Error> {
        self.open().await.get(&set(requirements)).await
    }

    async fn failed(&self, requirements: &[&str]) -> (ProblemKind, Option<String>, String) {
        let error = self.get(requirements).await.expect_err("it should have failed");
        assert!(error.details().is_some_and(|details| !details.is_empty()), "{error}");
        let sentence = error.to_string();
        match error {
            Error::Failed { problem, .. } => (problem.kind, problem.package, sentence),
            other => panic!("it failed otherwise: {other:?}"),
        }
    }

    fn cached(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }
}

fn config(cache: &Path) -> EnvironmentsConfig {
    EnvironmentsConfig {
        cache: cache.to_owned(),
        path: variable("PATH").expect("the tests need Python"),
        variables: variables(),
        ..EnvironmentsConfig::default()
    }
}

fn variables() -> BTreeMap<String, String> {
    let given = |name: &str| Some((name.to_owned(), variable(name)?.into_string().ok()?));
    VARIABLES.into_iter().filter_map(given).collect()
}

#[allow(clippy::disallowed_methods, reason = "how this machine finds Python and reaches the index")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The cache that all tests share and keep.
fn shared_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("environments")
}

/// An environment of the shared cache, made by the first that needs it, with these modules preloaded.
pub(crate) async fn shared(requirements: &[&str], preload: &[&str]) -> Arc<Environment> {
    let config = EnvironmentsConfig { path: path_without_uv(), ..config(&shared_cache()) };
    let environments = Environments::open(config).await.unwrap();
    let requirements = set(requirements).preloading(preload.iter().copied());
    environments.get(&requirements).await.expect("the tests need the package index")
}

/// The `uv` of the shared cache.
async fn uv() -> PathBuf {
    static UV: OnceCell<PathBuf> = OnceCell::const_new();
    UV.get_or_init(|| async {
        shared(&["six", "idna"], &[]).await;
        private_uv(&shared_cache())
    })
    .await
    .clone()
}

/// The `uv` that was installed into a cache.
fn private_uv(cache: &Path) -> PathBuf {
    let versions = std::fs::read_dir(cache.join("tool")).unwrap().map(|entry| entry.unwrap().path());
    versions.map(|version| version.join("bin/uv")).find(|uv| uv.is_file()).expect("it was installed")
}

fn path_without_uv() -> OsString {
    let path = variable("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).filter(|folder| !folder.join("uv").exists()).collect();
    std::env::join_paths(folders).unwrap()
}

fn set(requirements: &[&str]) -> Requirements {
    Requirements::parse(requirements).unwrap()
}

/// Keeps all it is told.
#[derive(Default)]
struct Heard(Mutex<Vec<Progress>>);

impl Heard {
    fn tell(&self, progress: Progress) {
        self.0.lock().unwrap().push(progress);
    }

    fn count(&self, wanted: impl Fn(&Progress) -> bool) -> usize {
        self.0.lock().unwrap().iter().filter(|progress| wanted(progress)).count()
    }
}
