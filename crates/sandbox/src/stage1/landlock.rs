//! The landlock ruleset of cells: read and execute what is shown, write only what is their own.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::stage1::plan::{PRIVATE, Plan};
use crate::stage1::{Step, StepError};
use crate::sys::{Ruleset, landlock_version};

/// Where the zygote finds the ruleset. The Python side has the same number.
pub(super) const FD: i32 = 3;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const CONNECT_TCP: u64 = 1 << 1;
const SCOPE_ALL: u64 = 0b11;

/// All rights over files that a version knows.
fn files_known(version: i64) -> u64 {
    let count = match version {
        1 => 13,
        2 => 14,
        3 | 4 => 15,
        _ => 16,
    };
    (1 << count) - 1
}

/// How many bytes of attributes a version reads.
fn attribute_bytes(version: i64) -> usize {
    match version {
        1..=3 => 8,
        4 | 5 => 16,
        _ => 24,
    }
}

pub(super) fn ruleset(plan: &Plan) -> Result<Ruleset, StepError> {
    let version = landlock_version().step("ask for landlock")?;
    let files = files_known(version);
    let size = attribute_bytes(version);
    let ruleset = Ruleset::new(files, CONNECT_TCP, SCOPE_ALL, size).step("make a landlock ruleset")?;
    for path in &plan.shown {
        allow(&ruleset, path, READ_FILE | READ_DIR | EXECUTE)?;
    }
    for path in ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"] {
        allow(&ruleset, Path::new(path), READ_FILE | WRITE_FILE)?;
    }
    if plan.layers.namespaces {
        allow(&ruleset, Path::new("/etc"), READ_FILE | READ_DIR)?;
        allow(&ruleset, Path::new("/dev"), READ_DIR)?;
        allow(&ruleset, Path::new(PRIVATE), files & !EXECUTE)?;
    }
    if size > 8 {
        ruleset.allow_port(plan.proxy_port, CONNECT_TCP).step("allow the proxy's port")?;
    }
    Ok(ruleset)
}

fn allow(ruleset: &Ruleset, path: &Path, rights: u64) -> Result<(), StepError> {
    let name = || format!("allow `{}`", path.display());
    let fd = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).step(name())?;
    let directory = rustix::fs::fstat(&fd).step(name())?.st_mode & libc::S_IFMT == libc::S_IFDIR;
    // The kernel refuses rights over directories for a file.
    let rights = if directory { rights } else { rights & !READ_DIR };
    ruleset.allow_beneath(fd.as_fd(), rights).step(name())
}
