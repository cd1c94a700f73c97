//! What is known of an environment that was made: kept beside its packages, written last, so that a folder without it was not
//! finished.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::environment::lock::Package;
use crate::environment::seal::{self, Measure};

pub(super) const FILE: &str = "made.json";
pub(super) const PACKAGES: &str = "packages";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    pub id: String,
    /// The version of the interpreter it was made for.
    pub python: String,
    pub platform: String,
    /// The version of the `uv` that made it.
    pub uv: String,
    pub packages: Vec<Package>,
    /// Path files (`*.pth`) that packages brought. Cells do not honour them, so what relies on one may not work.
    pub path_files: Vec<String>,
    /// The modules each package provides.
    pub(super) modules: BTreeMap<String, Vec<String>>,
    pub(super) measure: Measure,
}

impl Made {
    pub fn bytes(&self) -> u64 {
        self.measure.bytes
    }

    pub(super) fn load(folder: &Path) -> Option<Made> {
        serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
    }

    /// What is in the folder, if all of it still is.
    pub(super) fn load_intact(folder: &Path) -> Option<Made> {
        let made = Made::load(folder)?;
        let found = seal::measure(&folder.join(PACKAGES)).ok()?;
        (found == made.measure).then_some(made)
    }
}
