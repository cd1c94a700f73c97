//! Opens connections for the pool: straight to the server or through the proxy, with TLS where the URL says so.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper::http::uri::Scheme;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::TokioIo;
use tower::Service;

use super::HttpClientConfig;
use super::error::BoxError;
use super::socket::Socket;
use super::tls::Tls;

/// A machine that is there takes a connection, and shakes hands for TLS, much sooner.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub(super) struct Connector {
    tcp: HttpConnector,
    tls: Arc<Tls>,
    proxy: Option<Uri>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl Connector {
    pub(super) fn new(config: HttpClientConfig) -> Connector {
        let mut tcp = HttpConnector::new();
        // TLS comes on top.
        tcp.enforce_http(false);
        // Small requests leave at once.
        tcp.set_nodelay(true);
        // Spread over the addresses of a name, so that one that is dead costs only its share.
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        Connector { tcp, tls: Arc::new(Tls::new(config.extra_roots_pem)), proxy: config.proxy }
    }

    async fn connect(mut self, url: Uri) -> Result<Socket, BoxError> {
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_tls = url.scheme() == Some(&Scheme::HTTPS);
        let stream = match self.proxy.take().filter(|_| !is_this_machine(&host)) {
            Some(proxy) => Tunnel::new(proxy, self.tcp).call(with_port(&url)?).await?,
            None => self.tcp.call(url).await?,
        };
        let stream = stream.into_inner();
        if is_tls {
            return Ok(Socket::Tls(Box::new(self.tls.connect(&host, stream).await?)));
        }
        Ok(Socket::Plain(stream))
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Socket>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<TokioIo<Socket>, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        let connecting = self.clone().connect(url);
        Box::pin(async move {
            match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
                Ok(socket) => socket.map(TokioIo::new),
                Err(_) => {
                    Err(format!("it accepts no connection within {} s", CONNECT_TIMEOUT.as_secs()).into())
                }
            }
        })
    }
}

/// A proxy is of no use for what runs beside us, and could not reach it.
fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// `CONNECT` names the port in any case.
fn with_port(url: &Uri) -> Result<Uri, BoxError> {
    let port = url.port_u16().unwrap_or(if url.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 });
    let host = url.host().unwrap_or_default();
    Ok(Uri::builder().scheme("http").authority(format!("{host}:{port}")).path_and_query("/").build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_on_this_machine_is_asked_without_a_proxy() {
        for here in ["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1"] {
            assert!(is_this_machine(here), "{here}");
        }
        for elsewhere in ["10.0.0.1", "localhost.example", "example.com", "::2"] {
            assert!(!is_this_machine(elsewhere), "{elsewhere}");
        }
    }
}
