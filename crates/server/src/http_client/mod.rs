//! The one client of outgoing HTTP: language models, trace collectors, and the servers that a command line talks to.
//!
//! Connections are pooled for each server. TLS is rustls with the public certificate authorities and those of the operator. Every
//! exchange has [`Limits`]: how long to wait for the head of the answer, how long between two pieces of its body, and how large the
//! body may be. Redirects are not followed, so credentials reach the server they are meant for and no other. No proxy is used unless
//! one is configured; the variables of the environment do not count.
//!
//! What functions in cells send does not come through here: that is the egress proxy of `sandbox`.

mod body;
mod connector;
mod error;
mod limits;
mod lines;
mod retry;
mod socket;
mod sse;
mod tls;

use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::http::uri::Scheme;
use hyper::{HeaderMap, Request, Response, StatusCode, Uri, header};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, timeout_at};

pub use self::body::ResponseBody;
use self::connector::Connector;
pub use self::error::HttpError;
pub use self::limits::Limits;
pub use self::lines::{LineError, LineReader};
pub use self::retry::retry_after;
pub use self::sse::{SseEvent, SseReader};

/// Shorter than most servers keep a connection that nobody uses, so that few requests meet one that is being closed.
const KEPT: Duration = Duration::from_secs(30);
/// For each server; models are asked in parallel.
const KEPT_CONNECTIONS: usize = 16;
const USER_AGENT: &str = concat!("selfmade/", env!("CARGO_PKG_VERSION"));

/// What is configured about outgoing requests.
#[derive(Clone, Debug, Default)]
pub struct HttpClientConfig {
    /// `extra_roots`: certificate authorities that are trusted beside the public ones, in PEM.
    pub extra_roots_pem: String,
    /// `http_proxy`: requests go through this proxy, except to this machine.
    pub proxy: Option<Uri>,
}

/// Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct HttpClient {
    pool: Client<Connector, Body>,
}

/// An answer that has been read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl HttpClient {
    pub fn new(config: HttpClientConfig) -> HttpClient {
        let pool = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEPT)
            .pool_max_idle_per_host(KEPT_CONNECTIONS)
            .build(Connector::new(config));
        HttpClient { pool }
    }

    /// Sends a request to an absolute URL. The answer's body comes piece by piece, within the limits.
    pub async fn send(
        &self,
        mut request: Request<Body>,
        limits: Limits,
    ) -> Result<Response<ResponseBody>, HttpError> {
        let host = host_of(request.uri())?;
        request.headers_mut().insert(header::USER_AGENT, header::HeaderValue::from_static(USER_AGENT));
        let deadline = limits.total.map(|total| Instant::now() + total);
        let head_by = Instant::now() + limits.first_byte.min(limits.total.unwrap_or(Duration::MAX));
        match timeout_at(head_by, self.exchange(request)).await {
            Err(_) => Err(HttpError::NoAnswer { host, limit: limits.first_byte }),
            Ok(Err(error)) => Err(HttpError::exchange(host, error)),
            Ok(Ok(response)) => {
                let (head, body) = response.into_parts();
                Ok(Response::from_parts(head, ResponseBody::new(body, host, limits, deadline)?))
            }
        }
    }

    /// Sends a request and reads the whole answer.
    pub async fn fetch(&self, request: Request<Body>, limits: Limits) -> Result<Answer, HttpError> {
        let (head, body) = self.send(request, limits).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(Answer { status: head.status, headers: head.headers, body })
    }

    /// What was never sent because its pooled connection had been closed is sent again by the pool, whatever it is. A connection that
    /// is closed after the request was written leaves open whether the server acted on it, so only a request that changes nothing is
    /// repeated then, once.
    async fn exchange(
        &self,
        request: Request<Body>,
    ) -> Result<Response<hyper::body::Incoming>, hyper_util::client::legacy::Error> {
        let repeat = retry::copy_of_safe(&request);
        let answered = self.pool.request(request).await;
        match (answered, repeat) {
            (Err(error), Some(repeat)) if retry::was_closed(&error) => self.pool.request(repeat).await,
            (answered, _) => answered,
        }
    }
}

/// `host` or `host:port` of an absolute URL that this client can ask.
fn host_of(url: &Uri) -> Result<String, HttpError> {
    let is_http = url.scheme() == Some(&Scheme::HTTP) || url.scheme() == Some(&Scheme::HTTPS);
    match url.authority() {
        // Credentials belong into headers: a URL is shown and logged.
        Some(authority) if is_http && !authority.as_str().contains('@') => Ok(authority.to_string()),
        _ => Err(HttpError::InvalidUrl),
    }
}
