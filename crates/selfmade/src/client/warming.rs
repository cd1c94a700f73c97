//! What Functions need to run.

use axum::http::Method;
use model::name::EntryName;
use serde_json::json;

use super::{Brain, Events};
use crate::error::Error;

impl Brain {
    /// Makes it ready, telling how far it is.
    pub(crate) async fn warm(&self, names: &[EntryName]) -> Result<Events<'_>, Error> {
        self.at(&["warm"]).json(&json!({ "names": names })).events(Method::POST).await
    }
}
