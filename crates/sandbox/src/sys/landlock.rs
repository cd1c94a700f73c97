//! Landlock: a ruleset is built once and kept as a descriptor that every cell restricts itself with.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use super::checked;

const CREATE_RULESET_VERSION: libc::c_uint = 1;
const RULE_PATH_BENEATH: libc::c_int = 1;
const RULE_NET_PORT: libc::c_int = 2;

/// The version the kernel speaks, or why it speaks none.
pub(crate) fn landlock_version() -> io::Result<i64> {
    // SAFETY: with this flag the kernel reads no memory.
    checked(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, CREATE_RULESET_VERSION)
    })
}

#[repr(C)]
struct Attributes {
    files: u64,
    network: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathRule {
    allowed: u64,
    parent: RawFd,
}

#[repr(C)]
struct PortRule {
    allowed: u64,
    port: u64,
}

pub(crate) struct Ruleset(OwnedFd);

impl Ruleset {
    /// `size` is how much of the attributes this kernel's version knows.
    pub(crate) fn new(files: u64, network: u64, scoped: u64, size: usize) -> io::Result<Ruleset> {
        let attributes = Attributes { files, network, scoped };
        let size = size.min(size_of::<Attributes>());
        // SAFETY: the kernel reads at most `size` bytes of `attributes`; the answer is a new descriptor that we alone own.
        let fd = checked(unsafe {
            libc::syscall(libc::SYS_landlock_create_ruleset, &raw const attributes, size, 0)
        })?;
        // SAFETY: as above.
        Ok(Ruleset(unsafe { OwnedFd::from_raw_fd(i32::try_from(fd).map_err(io::Error::other)?) }))
    }

    pub(crate) fn allow_beneath(&self, parent: BorrowedFd<'_>, allowed: u64) -> io::Result<()> {
        let rule = PathRule { allowed, parent: parent.as_raw_fd() };
        self.add(RULE_PATH_BENEATH, (&raw const rule).cast())
    }

    pub(crate) fn allow_port(&self, port: u16, allowed: u64) -> io::Result<()> {
        let rule = PortRule { allowed, port: u64::from(port) };
        self.add(RULE_NET_PORT, (&raw const rule).cast())
    }

    fn add(&self, kind: libc::c_int, rule: *const libc::c_void) -> io::Result<()> {
        // SAFETY: `rule` points to the structure that belongs to `kind`, alive in the caller.
        checked(unsafe { libc::syscall(libc::SYS_landlock_add_rule, self.0.as_raw_fd(), kind, rule, 0) })
            .map(drop)
    }
}

impl From<Ruleset> for OwnedFd {
    fn from(ruleset: Ruleset) -> OwnedFd {
        ruleset.0
    }
}
