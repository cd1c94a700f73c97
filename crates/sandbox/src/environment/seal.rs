//! Makes a finished folder of packages read-only for everybody, counts what is in it, and takes such a folder away. Links are
//! never followed: what a package brings may point anywhere.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// How much is in a folder. A folder whose files were lost or cut short, as after a power failure, has another measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Measure {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

pub(super) fn seal(folder: &Path) -> io::Result<Measure> {
    let measure = walk(folder, &|path, mode| {
        // Cells may run as another user, whatever our own umask is. Nothing keeps a set-user-id bit.
        let sealed = if mode & 0o111 == 0 { 0o444 } else { 0o555 };
        fs::set_permissions(path, Permissions::from_mode(sealed))
    })?;
    Ok(measure)
}

pub(super) fn measure(folder: &Path) -> io::Result<Measure> {
    walk(folder, &|_, _| Ok(()))
}

/// Removes a folder, sealed or not.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    open(folder)?;
    fs::remove_dir_all(folder)
}

fn open(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open(&entry.path())?;
        }
    }
    Ok(())
}

/// Visits files and folders, a folder after what is in it.
fn walk(folder: &Path, visit: &dyn Fn(&Path, u32) -> io::Result<()>) -> io::Result<Measure> {
    let mut measure = Measure::default();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        if found.is_dir() {
            let inner = walk(&entry.path(), visit)?;
            measure.files += inner.files;
            measure.bytes += inner.bytes;
        } else if found.is_file() {
            visit(&entry.path(), found.permissions().mode())?;
            measure.files += 1;
            measure.bytes += found.len();
        }
    }
    visit(folder, 0o755)?;
    Ok(measure)
}
