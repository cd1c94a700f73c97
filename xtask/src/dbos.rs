//! DBOS from PyPI, for benchmarks.

use crate::virtual_environment::VirtualEnvironment;

pub(crate) const DBOS: VirtualEnvironment = VirtualEnvironment {
    title: "DBOS",
    name: "dbos",
    version: "3.3.0",
    packages: &["dbos==3.3.0"],
    megabytes: 90,
};
