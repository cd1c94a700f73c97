//! The brain as files.

use std::collections::BTreeMap;

use model::revision::Revision;
use model::version::VersionNumber;
use serde_json::json;
use server::app::changesets::Applied;
use server::app::packs::TextFile;
use server::http::{Exported, FileBody};

use super::Brain;
use crate::error::Error;

/// What the brain does with the files of a folder.
#[derive(Debug, Default)]
pub(crate) struct FolderImport {
    pub(crate) files: Vec<TextFile>,
    pub(crate) prune: bool,
    pub(crate) removed: Vec<String>,
    pub(crate) expected: BTreeMap<String, Option<VersionNumber>>,
    pub(crate) force: bool,
}

impl Brain {
    pub(crate) async fn export(&self, at: Option<Revision>) -> Result<Exported, Error> {
        self.at(&["export"]).maybe("revision", at).get().await
    }

    pub(crate) async fn import(&self, import: &FolderImport) -> Result<Applied, Error> {
        let files: Vec<FileBody> = import.files.iter().cloned().map(FileBody::from).collect();
        let expected =
            import.expected.iter().map(|(path, version)| json!({ "path": path, "version": version }));
        let body = json!({
            "files": files, "prune": import.prune, "removed": import.removed,
            "expected": expected.collect::<Vec<_>>(),
        });
        self.at(&["import"]).maybe("force", import.force.then_some(true)).json(&body).post().await
    }
}
