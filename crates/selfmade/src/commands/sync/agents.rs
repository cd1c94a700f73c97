//! The AGENTS.md of a synced folder: what coding agents need to know to work in it.

use std::path::Path;

use server::app::packs::TextFile;

use super::state::{SyncState, sha256};
use crate::brain_folder;
use crate::error::Error;

const NAME: &str = "AGENTS.md";
const TEXT: &str = include_str!("agents.md");

/// Writes it unless there is one that somebody else wrote or changed.
pub(super) fn write(folder: &Path, state: &mut SyncState) -> Result<(), Error> {
    if let Ok(present) = std::fs::read(folder.join(NAME))
        && state.agents.as_deref() != Some(sha256(&present).as_str())
    {
        return Ok(());
    }
    brain_folder::write(folder, &TextFile { path: NAME.to_owned(), bytes: TEXT.as_bytes().to_vec() })?;
    state.agents = Some(sha256(TEXT.as_bytes()));
    Ok(())
}
