//! Processes: forking, namespaces, descriptors at fixed numbers, processor time.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::checked;

/// Forks. Sound only while this process has one thread, which is why stage 1 is a fresh process; `Some` is the child's id.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: callers are stage 1 and the probe, which start no threads, so the child may go on as if nothing had happened.
    let pid = unsafe { libc::fork() };
    match checked(libc::c_long::from(pid))? {
        0 => Ok(None),
        _ => Ok(Some(pid)),
    }
}

/// Leaves the named namespaces for new ones.
pub(crate) fn unshare(flags: libc::c_int) -> io::Result<()> {
    // SAFETY: takes a number, touches no memory. `CLONE_FILES`, which could break descriptor ownership, is never passed.
    checked(libc::c_long::from(unsafe { libc::unshare(flags) })).map(drop)
}

pub(crate) fn set_host_name(name: &str) -> io::Result<()> {
    // SAFETY: the pointer and length describe `name`, which outlives the call.
    checked(libc::c_long::from(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) })).map(drop)
}

/// Gives a descriptor a number that survives exec. Whatever had the number before is closed.
pub(crate) fn place_at(fd: OwnedFd, number: RawFd) -> io::Result<()> {
    if fd.as_raw_fd() == number {
        rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::empty())?;
        let _stays_open = fd.into_raw_fd();
        return Ok(());
    }
    // SAFETY: stage 1 has closed every descriptor above 2 before it opens its own, and execs right after this.
    checked(libc::c_long::from(unsafe { libc::dup2(fd.as_raw_fd(), number) })).map(drop)
}

/// Closes every descriptor from `first` on.
pub(crate) fn close_all_from(first: RawFd) -> io::Result<()> {
    // SAFETY: called at the very start of stage 1, before any descriptor is owned by a Rust value.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) }).map(drop)
}

/// Processor time a live process has used, all its threads together.
pub(crate) fn cpu_time(pid: i32) -> io::Result<Duration> {
    // The kernel's encoding of "the processor clock of that process": the complement of its id, and 2 for precise time.
    let clock = (!pid << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    checked(libc::c_long::from(unsafe { libc::clock_gettime(clock, &raw mut time) }))?;
    Ok(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

/// The id of the process a pidfd stands for, in our own pid namespace. Kernels before 6.13 do not know the question.
pub(crate) fn pid_by_ioctl(pidfd: BorrowedFd<'_>) -> io::Result<i32> {
    /// The first version of `struct pidfd_info`: a mask of what is asked for, a cgroup, ids of processes and users, a status.
    #[repr(C)]
    struct Info {
        mask: u64,
        cgroup: u64,
        pid: i32,
        others: [u32; 11],
    }
    const GET_INFO: libc::Ioctl = 0xC040_FF0B_u32 as libc::Ioctl;
    const PID: u64 = 1;
    let mut info = Info { mask: PID, cgroup: 0, pid: 0, others: [0; 11] };
    // SAFETY: the kernel reads and writes 64 bytes there, which the number of the call says and the structure has.
    checked(libc::c_long::from(unsafe { libc::ioctl(pidfd.as_raw_fd(), GET_INFO, &raw mut info) }))?;
    if info.pid > 0 { Ok(info.pid) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Lets the runtime wait on a descriptor.
pub(crate) fn awaited(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, is ours alone, and keeps its number until it is dropped with the `AsyncFd`.
    unsafe { AsyncFd::register_with_interest(fd, interest) }.map_err(io::Error::from)
}
