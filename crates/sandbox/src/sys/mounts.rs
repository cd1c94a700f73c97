//! Attributes of mounts.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use super::checked;

/// What is switched on; nothing is ever switched off.
#[derive(Clone, Copy)]
pub(crate) struct MountAttributes(u64);

impl MountAttributes {
    pub(crate) const READ_ONLY: MountAttributes = MountAttributes(libc::MOUNT_ATTR_RDONLY);
    pub(crate) const NO_SUID: MountAttributes = MountAttributes(libc::MOUNT_ATTR_NOSUID);
    pub(crate) const NO_DEVICES: MountAttributes = MountAttributes(libc::MOUNT_ATTR_NODEV);
    pub(crate) const NO_EXEC: MountAttributes = MountAttributes(libc::MOUNT_ATTR_NOEXEC);

    pub(crate) const fn and(self, other: MountAttributes) -> MountAttributes {
        MountAttributes(self.0 | other.0)
    }
}

/// Sets attributes of a detached tree, on every mount in it.
pub(crate) fn set_tree_attributes(tree: BorrowedFd<'_>, set: MountAttributes) -> io::Result<()> {
    mount_setattr(tree.as_raw_fd(), c"", libc::AT_EMPTY_PATH | libc::AT_RECURSIVE, set)
}

/// Sets attributes of one mount.
pub(crate) fn set_mount_attributes(path: &CStr, set: MountAttributes) -> io::Result<()> {
    mount_setattr(libc::AT_FDCWD, path, 0, set)
}

fn mount_setattr(fd: RawFd, path: &CStr, flags: libc::c_int, set: MountAttributes) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set.0, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: path and attributes outlive the call, and the size is that of the structure.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            fd,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
    .map(drop)
}
