//! The brain as files.

use model::revision::Revision;
use serde_json::json;
use server::app::changesets::Applied;
use server::app::packs::TextFile;
use server::http::{Exported, FileBody};

use super::Brain;
use crate::error::Error;

impl Brain {
    pub(crate) async fn export(&self, at: Option<Revision>) -> Result<Exported, Error> {
        self.at(&["export"]).maybe("revision", at).get().await
    }

    pub(crate) async fn import(
        &self,
        files: Vec<TextFile>,
        prune: bool,
        force: bool,
    ) -> Result<Applied, Error> {
        let files: Vec<FileBody> = files.into_iter().map(FileBody::from).collect();
        let asked = self.at(&["import"]).maybe("force", force.then_some(true));
        asked.json(&json!({ "files": files, "prune": prune })).post().await
    }
}
