//! Presets: named inputs of functions and graphs.

use model::name::EntryName;
use serde_json::{Map, Value, json};
use server::app::presets::PresetView;

use super::Brain;
use super::paging::listed;
use crate::error::Error;

impl Brain {
    /// By what they are for and by name: of one function or graph, or of all.
    pub(crate) async fn presets(
        &self,
        callable: Option<&EntryName>,
        limit: u32,
    ) -> Result<Vec<PresetView>, Error> {
        Ok(listed(|| self.at(&["presets"]).maybe("callable", callable), limit).await?.items)
    }

    pub(crate) async fn preset(&self, callable: &EntryName, name: &str) -> Result<PresetView, Error> {
        self.at(&["presets", callable.as_str(), name]).get().await
    }

    pub(crate) async fn put_preset(
        &self,
        callable: &EntryName,
        name: &str,
        input: &Map<String, Value>,
    ) -> Result<PresetView, Error> {
        self.at(&["presets", callable.as_str(), name]).json(&json!({ "input": input })).put().await
    }

    pub(crate) async fn remove_preset(&self, callable: &EntryName, name: &str) -> Result<(), Error> {
        self.at(&["presets", callable.as_str(), name]).delete().await
    }
}
