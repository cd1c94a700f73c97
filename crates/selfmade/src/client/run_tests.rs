//! The tests that Functions carry.

use model::ids::RunId;
use model::name::EntryName;
use serde_json::json;
use server::app::changesets::Applied;
use server::app::functions::mutants::MutantReport;
use server::app::functions::run_tests::TestReport;

use super::Brain;
use crate::error::Error;

impl Brain {
    /// The same on mutants.
    pub(crate) async fn test_mutants(&self, names: &[EntryName]) -> Result<Vec<MutantReport>, Error> {
        self.at(&["tests", "mutants"]).json(&json!({ "names": names })).post().await
    }

    /// Makes a test of a recorded Run.
    pub(crate) async fn test_of_run(&self, run: RunId, name: Option<&str>) -> Result<Applied, Error> {
        self.at(&["runs", &run.to_string(), "test"]).json(&json!({ "name": name })).post().await
    }

    /// Of all Functions if none is named.
    pub(crate) async fn test(&self, names: &[EntryName], dependents: bool) -> Result<Vec<TestReport>, Error> {
        self.at(&["tests"]).json(&json!({ "names": names, "dependents": dependents })).post().await
    }
}
