//! What answers on the usual ports of this machine. Nothing is asked unless somebody wants to know.

use std::time::Duration;

use axum::body::Body;
use futures_util::future::join_all;
use hyper::Request;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::http_client::{HttpClient, Limits};

/// Where servers of models listen unless they are told otherwise.
const USUAL: &[(&str, u16)] = &[
    ("Ollama", 11434),
    ("LM Studio", 1234),
    ("llama.cpp", 8080),
    ("vLLM", 8000),
    ("Jan", 1337),
    ("GPT4All", 4891),
];
const TIMEOUT: Duration = Duration::from_secs(2);
const ANSWER_BYTES: u64 = 1 << 20;
/// More are of no use to whoever chooses.
const SHOWN: usize = 50;

/// A server on this machine that lists models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FoundServer {
    /// What usually listens there.
    pub server: String,
    pub base_url: String,
    /// The ids of its models.
    pub models: Vec<String>,
}

pub(crate) async fn find(client: &HttpClient) -> Vec<FoundServer> {
    let asked = USUAL.iter().map(|(server, port)| async move {
        let base_url = format!("http://127.0.0.1:{port}/v1");
        let models = models(client, &base_url).await?;
        Some(FoundServer { server: (*server).to_owned(), base_url, models })
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// What else may listen there does not answer with a list of ids.
pub(super) async fn models(client: &HttpClient, base_url: &str) -> Option<Vec<String>> {
    let request = Request::get(format!("{base_url}/models")).body(Body::empty()).ok()?;
    let answer = client.fetch(request, Limits::whole(TIMEOUT, ANSWER_BYTES)).await.ok()?;
    if !answer.status.is_success() {
        return None;
    }
    let list: Value = serde_json::from_slice(&answer.body).ok()?;
    let items = list.get("data")?.as_array()?;
    let ids: Option<Vec<String>> =
        items.iter().take(SHOWN).map(|item| Some(item.get("id")?.as_str()?.to_owned())).collect();
    ids
}
