//! The language model's server, as far as one request goes: OpenAI's API over HTTP/1.1, at any address.

use std::sync::Arc;
use std::sync::LazyLock;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::Value;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Which language model functions use.
#[derive(Clone, Debug)]
pub struct ModelConfig {
    /// `[model] url`: where the API begins, such as `http://127.0.0.1:11434/v1`; OpenAI's if absent.
    pub url: Option<String>,
    /// `[model] name`: asked for instead of what functions name.
    pub name: Option<String>,
    /// `[model] key`: the secret that is sent as the key.
    pub key: String,
}

impl Default for ModelConfig {
    fn default() -> ModelConfig {
        ModelConfig { url: None, name: None, key: "openai_api_key".to_owned() }
    }
}

const OPENAI: &str = "https://api.openai.com/v1";
/// A model may think for minutes before its first byte.
const PATIENCE: Duration = Duration::from_secs(600);
const CONNECTING: Duration = Duration::from_secs(10);
/// An answer is text.
const MOST_BYTES: usize = 16 << 20;
/// So much of a refusal is told.
const TOLD: usize = 500;

#[derive(Debug, Error)]
pub(crate) enum ModelError {
    #[error("`{0}` is no address of a server; write it as `http://127.0.0.1:11434/v1`")]
    Address(String),
    #[error("cannot reach `{host}`: {why}")]
    Unreachable { host: String, why: String },
    #[error("`{host}` took too long")]
    Slow { host: String },
    #[error("`{host}` answered {status}: {text}")]
    Refused { host: String, status: StatusCode, text: String },
    #[error("what `{host}` answered cannot be read: {why}")]
    Garbled { host: String, why: String },
}

/// Asks once. Whether to ask again is for whoever asks.
pub(crate) async fn ask(
    config: &ModelConfig,
    path: &str,
    key: Option<&SecretBox<Vec<u8>>>,
    body: &Value,
) -> Result<Value, ModelError> {
    let base = config.url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
    let address = format!("{base}/{path}");
    let place = Place::of(&address).ok_or_else(|| ModelError::Address(base.to_owned()))?;
    let mut request = Request::post(place.path.clone())
        .header(header::HOST, place.authority.clone())
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = key {
        let bearer = [b"Bearer ".as_slice(), key.expose_secret().trim_ascii()].concat();
        request = request.header(header::AUTHORIZATION, bearer);
    }
    let request = request
        .body(Full::new(Bytes::from(body.to_string())))
        .map_err(|_| ModelError::Address(base.to_owned()))?;
    let slow = |_| ModelError::Slow { host: place.authority.clone() };
    timeout(PATIENCE, exchange(&place, request)).await.map_err(slow)?
}

/// Where a request goes.
struct Place {
    tls: bool,
    host: String,
    port: u16,
    authority: String,
    path: String,
}

impl Place {
    fn of(address: &str) -> Option<Place> {
        let uri: Uri = address.parse().ok()?;
        let tls = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority()?;
        Some(Place {
            tls,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(if tls { 443 } else { 80 }),
            authority: authority.to_string(),
            path: uri.path_and_query()?.to_string(),
        })
    }

    fn unreachable(&self, why: &impl ToString) -> ModelError {
        ModelError::Unreachable { host: self.authority.clone(), why: why.to_string() }
    }
}

async fn exchange(place: &Place, request: Request<Full<Bytes>>) -> Result<Value, ModelError> {
    let connecting = timeout(CONNECTING, TcpStream::connect((place.host.as_str(), place.port))).await;
    let stream = connecting.map_err(|_| place.unreachable(&"it does not answer"))?;
    let stream = stream.map_err(|error| place.unreachable(&error))?;
    if !place.tls {
        return send(place, stream, request).await;
    }
    let name = ServerName::try_from(place.host.clone()).map_err(|error| place.unreachable(&error))?;
    let stream = TLS.connect(name, stream).await.map_err(|error| place.unreachable(&error))?;
    send(place, stream, request).await
}

async fn send<S>(place: &Place, stream: S, request: Request<Full<Bytes>>) -> Result<Value, ModelError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let opened = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = opened.map_err(|error| place.unreachable(&error))?;
    // Ends with the sender; what goes wrong is told to whoever waits for the answer.
    let driving = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(|error| place.unreachable(&error))?;
    let status = answer.status();
    let garbled = |why: String| ModelError::Garbled { host: place.authority.clone(), why };
    let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
    let body = body.map_err(|error| garbled(error.to_string()))?.to_bytes();
    driving.abort();
    if !status.is_success() {
        let text: String = String::from_utf8_lossy(&body).chars().take(TOLD).collect();
        return Err(ModelError::Refused { host: place.authority.clone(), status, text });
    }
    serde_json::from_slice(&body).map_err(|error| garbled(error.to_string()))
}

static TLS: LazyLock<TlsConnector> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().expect("ring offers the default versions");
    TlsConnector::from(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers one request with this, and tells what it was asked.
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

    #[tokio::test]
    async fn a_request_has_the_key_and_an_answer_is_read() {
        let (config, asked) = served("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\": 42}").await;
        let key = SecretBox::new(Box::new(b"sk-1\n".to_vec()));
        let answer = ask(&config, "chat/completions", Some(&key), &serde_json::json!({ "n": 1 })).await;
        assert_eq!(answer.unwrap()["a"], 42);
        let asked = asked.await.unwrap();
        assert!(asked.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("authorization: Bearer sk-1\r\n"), "{asked}");
    }

    #[tokio::test]
    async fn a_refusal_is_told_with_its_status_and_text() {
        let (config, _asked) = served("HTTP/1.1 401 No\r\ncontent-length: 7\r\n\r\nbad key").await;
        let error = ask(&config, "embeddings", None, &serde_json::json!({ "n": 1 })).await.unwrap_err();
        let host = config.url.as_deref().unwrap().trim_start_matches("http://").trim_end_matches("/v1/");
        assert_eq!(error.to_string(), format!("`{host}` answered 401 Unauthorized: bad key"));
    }

    #[test]
    fn an_address_says_where_to_connect_and_what_to_ask_for() {
        let told = |address: &str| {
            Place::of(address).map(|place| (place.tls, place.host, place.port, place.authority, place.path))
        };
        let expected = |tls, host: &str, port, authority: &str, path: &str| {
            Some((tls, host.to_owned(), port, authority.to_owned(), path.to_owned()))
        };
        assert_eq!(
            told("https://api.example/v1/x"),
            expected(true, "api.example", 443, "api.example", "/v1/x")
        );
        assert_eq!(told("http://[::1]:8080/x"), expected(false, "::1", 8080, "[::1]:8080", "/x"));
        for wrong in ["ftp://h/x", "h/x", "", "http:///x"] {
            assert!(told(wrong).is_none(), "{wrong}");
        }
    }
}
