//! The certificates that cells check servers by, as a file without a name. Stage 1 copies it into the root it builds, so that
//! no cell has anything to do for it and nothing is left on the disk.

use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{MemfdFlags, memfd_create};

pub(crate) fn in_memory(pem: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create("certificates", MemfdFlags::CLOEXEC)?);
    file.write_all(pem.as_bytes())?;
    Ok(file)
}
