//! The language model's server, as far as one request goes: OpenAI's API, at any address.

use std::time::Duration;

use hyper::{Request, StatusCode, header};
use model::budget::Price;
use secrecy::{ExposeSecret, SecretBox};
use serde_json::Value;
use thiserror::Error;

use crate::http_client::{HttpClient, HttpError, Limits};

/// Which language model functions use.
#[derive(Clone, Debug)]
pub struct ModelConfig {
    /// `[model] url`: where the API begins, such as `http://127.0.0.1:11434/v1`; OpenAI's if absent.
    pub url: Option<String>,
    /// `[model] name`: asked for instead of what functions name.
    pub name: Option<String>,
    /// `[model] key`: the secret that is sent as the key.
    pub key: String,
    /// `[model] price`: what it costs, if that is known.
    pub price: Option<Price>,
}

impl Default for ModelConfig {
    fn default() -> ModelConfig {
        ModelConfig { url: None, name: None, key: "openai_api_key".to_owned(), price: None }
    }
}

const OPENAI: &str = "https://api.openai.com/v1";
/// A model may think for minutes before its first byte.
const TIMEOUT: Duration = Duration::from_secs(600);
/// An answer is text.
const ANSWER_BYTES: u64 = 16 << 20;
/// How much of a refusal is shown.
const REFUSAL_CHARACTERS: usize = 500;

#[derive(Debug, Error)]
pub(crate) enum ModelError {
    #[error("`{0}` is not the URL of a server; write it as `http://127.0.0.1:11434/v1`")]
    Url(String),
    #[error("{}", .0.in_full())]
    Http(#[from] HttpError),
    #[error("`{url}` answered {status}: {text}")]
    Refused { url: String, status: StatusCode, text: String },
    #[error("the response of `{url}` is not JSON: {source}")]
    NotJson { url: String, source: serde_json::Error },
}

/// Asks once. Whether to ask again is for the caller to decide.
pub(crate) async fn ask(
    client: &HttpClient,
    config: &ModelConfig,
    path: &str,
    key: Option<&SecretBox<Vec<u8>>>,
    body: &Value,
) -> Result<Value, ModelError> {
    let base = config.url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
    let url = format!("{base}/{path}");
    let mut request = Request::post(&url).header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = key {
        let bearer = [b"Bearer ".as_slice(), key.expose_secret().trim_ascii()].concat();
        request = request.header(header::AUTHORIZATION, bearer);
    }
    let request = request.body(body.to_string().into()).map_err(|_| ModelError::Url(base.to_owned()))?;
    let answer = match client.fetch(request, Limits::whole(TIMEOUT, ANSWER_BYTES)).await {
        Err(HttpError::InvalidUrl) => return Err(ModelError::Url(base.to_owned())),
        answer => answer?,
    };
    if !answer.status.is_success() {
        let text = String::from_utf8_lossy(&answer.body).chars().take(REFUSAL_CHARACTERS).collect();
        return Err(ModelError::Refused { url, status: answer.status, text });
    }
    serde_json::from_slice(&answer.body).map_err(|source| ModelError::NotJson { url, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http_client::HttpClientConfig;

    /// Answers one request with this, and returns the request.
    async fn served(answer: &'static str) -> (ModelConfig, tokio::task::JoinHandle<String>) {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Some(format!("http://{}/v1/", listener.local_addr().unwrap()));
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut read, mut piece) = (Vec::new(), [0; 1024]);
            while !read.ends_with(b"{\"n\":1}") {
                let count = stream.read(&mut piece).await.unwrap();
                read.extend_from_slice(&piece[..count]);
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8(read).unwrap()
        });
        (ModelConfig { url, ..ModelConfig::default() }, asked)
    }

    async fn asked(
        config: &ModelConfig,
        path: &str,
        key: Option<&SecretBox<Vec<u8>>>,
    ) -> Result<Value, ModelError> {
        let client = HttpClient::new(HttpClientConfig::default());
        ask(&client, config, path, key, &serde_json::json!({ "n": 1 })).await
    }

    #[tokio::test]
    async fn a_request_has_the_key_and_an_answer_is_read() {
        let (config, request) = served("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\": 42}").await;
        let key = SecretBox::new(Box::new(b"sk-1\n".to_vec()));
        let answer = asked(&config, "chat/completions", Some(&key)).await;
        assert_eq!(answer.unwrap()["a"], 42);
        let request = request.await.unwrap();
        assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
        assert!(request.contains("authorization: Bearer sk-1\r\n"), "{request}");
    }

    #[tokio::test]
    async fn a_refusal_is_shown_with_its_status_and_text() {
        let (config, _request) = served("HTTP/1.1 401 No\r\ncontent-length: 7\r\n\r\nbad key").await;
        let error = asked(&config, "embeddings", None).await.unwrap_err();
        let base = config.url.as_deref().unwrap();
        assert_eq!(error.to_string(), format!("`{base}embeddings` answered 401 Unauthorized: bad key"));
    }

    #[tokio::test]
    async fn a_url_that_names_no_server_is_refused() {
        for wrong in ["ftp://h/x", "h/x", "", "http:///x", "http://me:hunter2@h/v1"] {
            let config = ModelConfig { url: Some(wrong.to_owned()), ..ModelConfig::default() };
            assert!(matches!(asked(&config, "embeddings", None).await, Err(ModelError::Url(_))), "{wrong}");
        }
    }
}
