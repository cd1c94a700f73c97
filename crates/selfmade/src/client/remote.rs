//! A server, asked over HTTP/1.1, with TLS where its address says so. One connection is kept for the next request; a stream has
//! one of its own.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderValue, Method, Request, Response, Uri, header};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use secrecy::{ExposeSecret, SecretString};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_rustls::TlsConnector;

use crate::error::Error;

/// A machine that is there takes a connection much sooner.
const CONNECT: Duration = Duration::from_secs(10);
/// What is only read is answered sooner; a stream says that it is alive every 15 seconds.
const ANSWER: Duration = Duration::from_secs(60);
/// Tests of a large pack may take long, and are waited for.
const WORK: Duration = Duration::from_secs(3600);

pub(crate) struct Remote {
    pub(crate) url: String,
    scheme: Scheme,
    authority: Authority,
    /// What stands before the paths of the API, behind a proxy.
    prefix: String,
    token: Option<HeaderValue>,
    /// The process that serves the brain of this data folder, if we found it there.
    pub(crate) found: Option<u32>,
    kept: Mutex<Option<SendRequest<Body>>>,
}

impl Remote {
    pub(crate) fn new(url: &str, token: Option<&SecretString>) -> Result<Remote, Error> {
        let (scheme, authority, prefix) = parts(url)?;
        let token = token.map(bearer).transpose()?;
        Ok(Remote {
            url: url.trim_end_matches('/').to_owned(),
            scheme,
            authority,
            prefix,
            token,
            found: None,
            kept: Mutex::new(None),
        })
    }

    /// Whether others on the way could read the token.
    pub(crate) fn is_open(&self) -> bool {
        let host = self.authority.host().trim_start_matches('[').trim_end_matches(']');
        let here = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        self.scheme == Scheme::HTTP && !here && self.token.is_some()
    }

    pub(super) async fn ask(
        &self,
        mut request: Request<Body>,
        keeps_open: bool,
    ) -> Result<Response<Body>, Error> {
        self.complete(&mut request);
        let limit = if *request.method() == Method::GET || keeps_open { ANSWER } else { WORK };
        let mut kept = if keeps_open { None } else { self.kept().await };
        loop {
            let is_fresh = kept.is_none();
            let mut sender = match kept.take() {
                Some(kept) => kept,
                None => self.connected().await?,
            };
            let sent = within(limit, sender.try_send_request(request)).await;
            match sent.ok_or_else(|| self.silent(limit))? {
                Ok(response) => {
                    if !keeps_open {
                        *self.kept.lock().await = Some(sender);
                    }
                    return Ok(response.map(Body::new));
                }
                Err(mut error) => match error.take_message() {
                    // It was closed before anything was sent, so nothing is done twice.
                    Some(unsent) if !is_fresh => request = unsent,
                    _ => return Err(self.unreachable(error.into_error())),
                },
            }
        }
    }

    /// Waits for the next piece of a stream.
    pub(super) async fn in_time<T>(&self, next: impl Future<Output = T>) -> Result<T, Error> {
        within(ANSWER, next).await.ok_or_else(|| self.silent(ANSWER))
    }

    fn complete(&self, request: &mut Request<Body>) {
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        *request.uri_mut() = format!("{}{target}", self.prefix).parse().unwrap_or_default();
        let headers = request.headers_mut();
        if let Ok(host) = HeaderValue::from_str(self.authority.as_str()) {
            headers.insert(header::HOST, host);
        }
        headers.extend(self.token.clone().map(|token| (header::AUTHORIZATION, token)));
        headers.insert(
            header::USER_AGENT,
            HeaderValue::from_static(concat!("selfmade/", env!("CARGO_PKG_VERSION"))),
        );
    }

    /// The connection of the request before, if it is still good.
    async fn kept(&self) -> Option<SendRequest<Body>> {
        let mut kept = self.kept.lock().await.take()?;
        kept.ready().await.ok().map(|()| kept)
    }

    async fn connected(&self) -> Result<SendRequest<Body>, Error> {
        let port = self.authority.port_u16().unwrap_or(if self.scheme == Scheme::HTTPS { 443 } else { 80 });
        let host = self.authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let connecting = async {
            let stream = TcpStream::connect((host.as_str(), port)).await?;
            // Small requests leave at once.
            stream.set_nodelay(true)?;
            Ok::<TcpStream, std::io::Error>(stream)
        };
        let stream = within(CONNECT, connecting).await.ok_or_else(|| self.silent(CONNECT))?;
        let stream = stream.map_err(|source| self.unreachable(source))?;
        if self.scheme == Scheme::HTTP {
            return self.shaken(stream).await;
        }
        let name = ServerName::try_from(host).map_err(|source| self.unreachable(source))?;
        let trust = trust().map_err(|source| self.unreachable(source))?;
        let connecting = TlsConnector::from(Arc::new(trust)).connect(name, stream);
        let stream = within(CONNECT, connecting).await.ok_or_else(|| self.silent(CONNECT))?;
        self.shaken(stream.map_err(|source| self.unreachable(source))?).await
    }

    async fn shaken<S>(&self, stream: S) -> Result<SendRequest<Body>, Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = shaken.map_err(|source| self.unreachable(source))?;
        // How it ends is told to whoever waits for an answer.
        tokio::spawn(connection);
        Ok(sender)
    }

    fn unreachable(&self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::Unreachable { server: self.url.clone(), source: Box::new(source) }
    }

    fn silent(&self, limit: Duration) -> Error {
        Error::Silent { server: self.url.clone(), seconds: limit.as_secs() }
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit, work).await.ok()
}

fn parts(url: &str) -> Result<(Scheme, Authority, String), Error> {
    let wrong = || Error::Input {
        problem: format!("`{url}` is no address of a server"),
        hint: "write for example `http://127.0.0.1:7333` or `https://brain.example`".to_owned(),
    };
    let parts = url.parse::<Uri>().map_err(|_| wrong())?.into_parts();
    let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else { return Err(wrong()) };
    let path = parts.path_and_query.as_ref().map_or("/", |target| target.path());
    let is_plain = parts.path_and_query.as_ref().is_none_or(|target| target.query().is_none());
    if !is_plain || authority.as_str().contains('@') || ![Scheme::HTTP, Scheme::HTTPS].contains(&scheme) {
        return Err(wrong());
    }
    // People copy the address of the API itself.
    let path = path.trim_end_matches('/');
    Ok((scheme, authority, path.strip_suffix("/api/v1").unwrap_or(path).to_owned()))
}

fn bearer(token: &SecretString) -> Result<HeaderValue, Error> {
    let text = format!("Bearer {}", token.expose_secret());
    let mut value = HeaderValue::from_str(&text).map_err(|_| Error::Input {
        problem: "the token has characters that no token has".to_owned(),
        hint: "give it as `selfmade token add` printed it".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The authorities that browsers trust.
fn trust() -> Result<rustls::ClientConfig, rustls::Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host_and_perhaps_a_path_before_the_api() {
        let taken = |url: &str| {
            parts(url).map(|(scheme, authority, prefix)| format!("{scheme} {authority} {prefix}")).ok()
        };
        assert_eq!(taken("http://127.0.0.1:7333").unwrap(), "http 127.0.0.1:7333 ");
        assert_eq!(taken("https://brain.example/").unwrap(), "https brain.example ");
        assert_eq!(taken("https://example.org/brain/api/v1/").unwrap(), "https example.org /brain");
        for wrong in
            ["", "brain.example", "localhost:7333", "ftp://x", "http://a@b", "http://a/?b", "http://"]
        {
            assert!(taken(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_token_is_sent_in_the_open_only_to_this_machine() {
        let open = |url: &str| Remote::new(url, Some(&SecretString::from("t"))).unwrap().is_open();
        assert!(open("http://brain.example") && open("http://10.0.0.5:7333"));
        assert!(!open("https://brain.example") && !open("http://localhost:1") && !open("http://[::1]:7333"));
        assert!(!Remote::new("http://brain.example", None).unwrap().is_open(), "there is none to read");
    }
}
