//! Packs.

use model::pack::Pack;
use serde::Serialize;
use server::app::packs::Loaded;
use server::http::FileBody;

use super::Brain;
use crate::error::Error;

/// What shall be loaded, and how.
#[derive(Debug, Serialize)]
pub(crate) struct PackLoad {
    pub(crate) name: String,
    pub(crate) origin: String,
    pub(crate) files: Vec<FileBody>,
    /// What is put before each name.
    pub(crate) prefix: String,
    pub(crate) replace: bool,
}

impl Brain {
    pub(crate) async fn packs(&self) -> Result<Vec<Pack>, Error> {
        self.at(&["packs"]).get().await
    }

    pub(crate) async fn load(&self, pack: &PackLoad, force: bool) -> Result<Loaded, Error> {
        self.at(&["packs"]).maybe("force", force.then_some(true)).json(pack).post().await
    }
}
