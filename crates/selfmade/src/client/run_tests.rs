//! The tests that Functions carry.

use model::name::EntryName;
use serde_json::json;
use server::app::functions::run_tests::TestReport;

use super::Brain;
use crate::error::Error;

impl Brain {
    /// Of all Functions if none is named.
    pub(crate) async fn test(&self, names: &[EntryName], dependents: bool) -> Result<Vec<TestReport>, Error> {
        self.at(&["tests"]).json(&json!({ "names": names, "dependents": dependents })).post().await
    }
}
