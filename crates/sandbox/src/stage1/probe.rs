//! Which layers this machine offers, found out by trying each in a process that is thrown away.

use std::io;

use rustix::process::{Pid, WaitOptions, waitpid};
use serde::{Deserialize, Serialize};

use crate::stage1::namespaces;
use crate::sys;

/// What was tried, and the error number of what failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) what: String,
    pub(crate) error: Option<String>,
}

/// Prints the findings as JSON on standard output.
pub(super) fn report() -> i32 {
    let findings = findings();
    match serde_json::to_writer(io::stdout(), &findings) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn findings() -> Vec<Finding> {
    let mut all = vec![
        finding("user namespace", || in_child(|| sys::unshare(libc::CLONE_NEWUSER))),
        finding("landlock", || sys::landlock_version().map(drop)),
        finding("seccomp", sys::seccomp_available),
        finding("pidfd", || {
            rustix::process::pidfd_open(rustix::process::getpid(), rustix::process::PidfdFlags::empty())
                .map(drop)
                .map_err(io::Error::from)
        }),
    ];
    let others = [
        ("mount namespace", libc::CLONE_NEWNS),
        ("pid namespace", libc::CLONE_NEWPID),
        ("net namespace", libc::CLONE_NEWNET),
        ("ipc namespace", libc::CLONE_NEWIPC),
        ("uts namespace", libc::CLONE_NEWUTS),
    ];
    for (name, flag) in others {
        all.push(finding(name, || in_child(|| sys::unshare(libc::CLONE_NEWUSER | flag))));
    }
    all.push(finding("all namespaces", || in_child(|| sys::unshare(namespaces::ALL))));
    all
}

fn finding(what: &str, attempt: impl FnOnce() -> io::Result<()>) -> Finding {
    Finding { what: what.to_owned(), error: attempt().err().map(|error| error.to_string()) }
}

/// Tries in a child, which hands the error number back as its exit status.
fn in_child(attempt: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    match sys::fork()? {
        None => {
            let status = attempt().err().map_or(0, |error| error.raw_os_error().unwrap_or(1));
            std::process::exit(status);
        }
        Some(pid) => {
            let ended = waitpid(Pid::from_raw(pid), WaitOptions::empty())?;
            match ended.and_then(|(_, status)| status.exit_status()) {
                Some(0) => Ok(()),
                Some(number) => Err(io::Error::from_raw_os_error(number)),
                None => Err(io::Error::other("the attempt was killed")),
            }
        }
    }
}
