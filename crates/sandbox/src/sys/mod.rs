//! The system calls that neither the standard library nor `rustix` offers as safe functions. This is the only module with
//! `unsafe`; each block says why it is sound. What the calls are used for is decided by their callers.

#![allow(unsafe_code)]

mod landlock;
mod mounts;
mod process;
mod seccomp;

pub(crate) use landlock::{Ruleset, landlock_version};
pub(crate) use mounts::{MountAttributes, set_mount_attributes, set_tree_attributes};
pub(crate) use process::{
    awaited, close_all_from, cpu_time, fork, pid_by_ioctl, place_at, set_host_name, unshare,
};
pub(crate) use seccomp::{Instruction, install_filter, seccomp_available};

use std::io;

/// Turns the answer of a raw system call into a result.
fn checked(answer: libc::c_long) -> io::Result<libc::c_long> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}
