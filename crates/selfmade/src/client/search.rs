//! Search.

use server::search::Hit;

use super::Brain;
use crate::error::Error;

impl Brain {
    /// The best first.
    pub(crate) async fn search(&self, words: &str, limit: u32) -> Result<Vec<Hit>, Error> {
        self.at(&["search"]).query("q", words).query("limit", limit).get().await
    }

    pub(crate) async fn rebuild_search(&self) -> Result<(), Error> {
        self.at(&["search", "rebuild"]).post().await
    }
}
