//! What stage 1 is told for one environment: what the interpreter needs to see, and how it is started.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::doctor::Layers;
use crate::environment::Environment;
use crate::python;
use crate::stage1::plan::{CERTIFICATES, PLACE, Plan};

/// Shared libraries and time zones. Whole folders instead of the libraries a probe of the interpreter happens to map:
/// extension modules of packages bring needs that no probe knows, and what lies there is readable by everybody anyway.
const SYSTEM: [&str; 7] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/ssl/openssl.cnf",
];

/// Isolated, without site and its path files, without writing bytecode, in UTF-8.
const FLAGS: [&str; 6] = ["-I", "-S", "-B", "-X", "utf8", "-c"];

pub(super) fn plan(config: &Config, layers: Layers, environment: &Environment, certificates: bool) -> Plan {
    let mut arguments: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
    arguments.push(python::START.to_owned());
    Plan {
        python: environment.python.clone(),
        arguments,
        variables: variables(certificates),
        shown: shown(environment),
        layers,
        user: config.user,
        proxy_port: config.proxy_port,
        files_bytes: config.files_bytes,
    }
}

fn variables(certificates: bool) -> Vec<(String, String)> {
    let home = format!("{PLACE}/home");
    let tmp = format!("{PLACE}/tmp");
    let mut variables = vec![
        ("HOME", home.as_str()),
        ("TMPDIR", tmp.as_str()),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PATH", ""),
        // Threads that a library starts while the zygote loads it would be lost in every fork.
        ("OPENBLAS_NUM_THREADS", "1"),
        ("OMP_NUM_THREADS", "1"),
        ("MKL_NUM_THREADS", "1"),
    ];
    if certificates {
        // Some packages read the certificates when they are loaded. The zygote forgets it after that.
        variables.push(("SSL_CERT_FILE", CERTIFICATES));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Every path once, and none inside another.
fn shown(environment: &Environment) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).filter(|path| exists(path)).collect();
    paths.extend(environment.shown.iter().cloned());
    paths.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !kept.iter().any(|outer| path.starts_with(outer) && !outer.is_symlink()) {
            kept.push(path);
        }
    }
    kept
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
