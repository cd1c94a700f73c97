//! How much room folders take on the disk: every file once, however many names it has. Environments and downloads share theirs.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A block of `st_blocks`, whatever the file system's own blocks are.
const BLOCK: u64 = 512;

#[derive(Default)]
pub(super) struct Usage {
    seen: HashSet<(u64, u64)>,
    pub(super) bytes: u64,
}

impl Usage {
    /// Adds a folder, or nothing if it is not there. What vanishes meanwhile takes no room.
    pub(super) fn add(&mut self, folder: &Path) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let found = match entry.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found?,
            };
            if self.seen.insert((found.dev(), found.ino())) {
                self.bytes += found.blocks() * BLOCK;
            }
            if found.is_dir() {
                self.add(&entry.path())?;
            }
        }
        Ok(())
    }
}
