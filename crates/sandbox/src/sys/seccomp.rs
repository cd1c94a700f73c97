//! Seccomp: installing a finished filter. What is in it is decided by `stage1::filter`.

use std::io;

use super::checked;

/// One instruction of a filter, as the kernel reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) code: u16,
    pub(crate) if_true: u8,
    pub(crate) if_false: u8,
    pub(crate) operand: u32,
}

#[repr(C)]
struct Program {
    length: u16,
    filter: *const Instruction,
}

const SET_MODE_FILTER: libc::c_uint = 1;
const GET_ACTION_AVAIL: libc::c_uint = 2;

/// Filters every later system call of this process and of all it starts.
pub(crate) fn install_filter(filter: &[Instruction]) -> io::Result<()> {
    let length = u16::try_from(filter.len()).map_err(io::Error::other)?;
    let program = Program { length, filter: filter.as_ptr() };
    // SAFETY: the program describes `filter`, which outlives the call; the kernel copies it.
    checked(unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, 0, &raw const program) }).map(drop)
}

/// Whether the kernel can filter and kill by filter.
pub(crate) fn seccomp_available() -> io::Result<()> {
    let action: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    // SAFETY: the kernel reads one number from `action`.
    checked(unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &raw const action) }).map(drop)
}
