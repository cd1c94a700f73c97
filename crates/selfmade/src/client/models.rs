//! Language models.

use model::llm::LlmName;
use server::app::models::{ModelView, NewModel, TestedModel};
use server::llm::FoundServer;

use super::Brain;
use crate::error::Error;

impl Brain {
    pub(crate) async fn models(&self) -> Result<Vec<ModelView>, Error> {
        self.at(&["models"]).get().await
    }

    pub(crate) async fn model(&self, name: &LlmName) -> Result<ModelView, Error> {
        self.at(&["models", name.as_str()]).get().await
    }

    /// What listens on the usual ports of the server's machine.
    pub(crate) async fn found_models(&self) -> Result<Vec<FoundServer>, Error> {
        self.at(&["models", "found"]).get().await
    }

    pub(crate) async fn put_model(&self, name: &LlmName, new: &NewModel) -> Result<ModelView, Error> {
        self.at(&["models", name.as_str()]).json(new).put().await
    }

    pub(crate) async fn test_model(&self, name: &LlmName) -> Result<TestedModel, Error> {
        self.at(&["models", name.as_str(), "test"]).post().await
    }

    pub(crate) async fn remove_model(&self, name: &LlmName) -> Result<(), Error> {
        self.at(&["models", name.as_str()]).delete().await
    }
}
