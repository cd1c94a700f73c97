//! Environments: an interpreter and the packages functions find in it. [`Environment`] is what a zygote needs to know of one;
//! [`Environments`] makes them with `uv` from requirements, each once, and keeps them in a cache folder.
//!
//! While an environment is made no code of its packages runs, unless the policy allows building from source. Inside cells the
//! interpreter runs without `site`, and the packages' folder is only appended to `sys.path`: path files (`*.pth`) are not
//! honoured. [`Made::path_files`] names those that a set brings along.

mod build;
mod cache;
mod config;
mod environments;
mod error;
mod interpreter;
mod lock;
mod made;
mod policy;
mod preload;
mod problem;
mod progress;
mod prune;
mod requirements;
mod seal;
mod tool;
mod usage;
mod uv;

use std::hash::{Hash, Hasher};
use std::path::PathBuf;

pub use self::config::EnvironmentsConfig;
pub use self::environments::Environments;
pub use self::error::Error;
pub use self::interpreter::Interpreter;
pub use self::lock::Package;
pub use self::made::Made;
pub use self::policy::{PackagePolicy, Rule};
pub use self::problem::{Problem, ProblemKind};
pub use self::progress::Progress;
pub use self::prune::{Keep, Pruned};
pub use self::requirements::Requirements;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Two environments with the same id have the same packages for the same interpreter.
    pub id: String,
    /// The interpreter, as a path that is shown.
    pub python: PathBuf,
    /// Files and folders shown read-only inside cells, at the same paths: the interpreter's prefix and the packages.
    pub shown: Vec<PathBuf>,
    /// Put on `sys.path` after the standard library.
    pub site_packages: Vec<PathBuf>,
    /// Modules the zygote imports, so that cells are born with them.
    pub preload: Vec<String>,
}

impl Hash for Environment {
    /// The id stands for all but what is preloaded.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
        self.preload.hash(state);
    }
}
