//! What folder and brain were when they were last in sync, kept in the folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::ids::BrainId;
use model::sync::Synced;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::files;

/// Hidden, so that no command takes it for a part of the brain.
const FILE: &str = ".selfmade-sync.json";

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct SyncState {
    brain_id: BrainId,
    /// SHA-256 of the AGENTS.md that was written, to know whether it is still ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) agents: Option<String>,
    pub(super) entries: BTreeMap<String, Synced>,
}

impl SyncState {
    /// A folder that was never synced has no entry in common with the brain.
    pub(super) fn read(folder: &Path, brain_id: BrainId) -> Result<SyncState, Error> {
        let path = path(folder);
        if !path.is_file() {
            return Ok(SyncState { brain_id, agents: None, entries: BTreeMap::new() });
        }
        let state: SyncState =
            serde_json::from_slice(&files::read(&path)?).map_err(|error| Error::Input {
                problem: format!("`{}` cannot be read: {error}", path.display()),
                hint: "delete it: the next sync compares the files themselves, and shows what differs"
                    .to_owned(),
            })?;
        if state.brain_id != brain_id {
            return Err(Error::Input {
                problem: format!("`{}` was synced with another brain", folder.display()),
                hint: format!(
                    "choose that brain or another folder; or delete `{}` to compare the files with this one",
                    path.display()
                ),
            });
        }
        Ok(state)
    }

    /// The old one stays until the new one is complete.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = path(folder);
        let partial = path.with_extension("part");
        let mut text = serde_json::to_string_pretty(self).map_err(|source| Error::Json { source })?;
        text.push('\n');
        std::fs::write(&partial, text).map_err(|source| Error::write(&partial, source))?;
        std::fs::rename(&partial, &path).map_err(|source| Error::write(&path, source))
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
