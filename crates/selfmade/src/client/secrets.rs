//! Secrets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::access::secret::Secret;
use secrecy::{ExposeSecret, SecretBox};
use serde_json::json;

use super::Brain;
use crate::error::Error;

impl Brain {
    pub(crate) async fn secrets(&self) -> Result<Vec<Secret>, Error> {
        self.at(&["secrets"]).get().await
    }

    /// As it was sealed, where no hosts are named.
    pub(crate) async fn set_secret(
        &self,
        name: &str,
        value: &SecretBox<Vec<u8>>,
        hosts: Option<&[String]>,
    ) -> Result<(), Error> {
        let mut body = match std::str::from_utf8(value.expose_secret()) {
            Ok(text) => json!({ "value": text }),
            Err(_) => json!({ "base64": STANDARD.encode(value.expose_secret()) }),
        };
        if let Some(hosts) = hosts {
            body["hosts"] = json!(hosts);
        }
        self.at(&["secrets", name]).json(&body).put().await
    }

    pub(crate) async fn remove_secret(&self, name: &str) -> Result<(), Error> {
        self.at(&["secrets", name]).delete().await
    }
}
