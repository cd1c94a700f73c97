//! An environment: an interpreter and the packages functions find in it. Here is what a zygote needs to know of one; making
//! one from requirements is not this file's business.

use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Two environments with the same id are the same.
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
