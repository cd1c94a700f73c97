//! The namespaces of the zygote, and the user it runs as inside them.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::process::{DumpableBehavior, getegid, geteuid, set_dumpable_behavior};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::stage1::plan::Plan;
use crate::stage1::{Step, StepError, root};
use crate::sys;

pub(super) const ALL: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// Afterwards this process sees only what the plan shows, and what it forks next is process 1.
pub(super) fn enter(plan: &Plan, certificates: Option<&File>) -> Result<(), StepError> {
    // The new root has no `/proc`, and the maps are written after it may be gone.
    let proc =
        openat(rustix::fs::CWD, "/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .step("open `/proc`")?;
    let is_root = geteuid().is_root();
    // Root builds the view first, as itself: the interpreter may lie where an ordinary user cannot look.
    if is_root && sys::unshare(libc::CLONE_NEWNS).is_ok() {
        root::build(plan, certificates)?;
        drop_user(plan.user)?;
        enter_all(&proc)?;
    } else {
        if is_root {
            drop_user(plan.user)?;
        }
        enter_all(&proc)?;
        root::build(plan, certificates)?;
    }
    sys::set_host_name("cell").step("set the host name")
}

fn enter_all(proc: &OwnedFd) -> Result<(), StepError> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    sys::unshare(ALL).step("enter new user, mount, pid, net, ipc and uts namespaces")?;
    write(proc, "self/setgroups", "deny")?;
    write(proc, "self/uid_map", &format!("0 {user} 1"))?;
    write(proc, "self/gid_map", &format!("0 {group} 1"))
}

fn write(proc: &OwnedFd, name: &str, text: &str) -> Result<(), StepError> {
    let fd = openat(proc.as_fd(), name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
        .step(format!("open `/proc/{name}`"))?;
    File::from(fd).write_all(text.as_bytes()).step(format!("write `{text}` to `/proc/{name}`"))
}

fn drop_user(user: u32) -> Result<(), StepError> {
    let (uid, gid) = (rustix::fs::Uid::from_raw(user), rustix::fs::Gid::from_raw(user));
    set_thread_groups(&[]).step("leave all groups")?;
    set_thread_res_gid(gid, gid, gid).step(format!("become group {user}"))?;
    set_thread_res_uid(uid, uid, uid).step(format!("become user {user}"))?;
    // Changing the user hides `/proc/self` from its owner until this is set again.
    set_dumpable_behavior(DumpableBehavior::Dumpable).step("become visible in `/proc` again")
}
