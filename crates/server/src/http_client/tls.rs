//! TLS of outgoing connections: rustls, the public certificate authorities, and those the operator adds.

use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::error::BoxError;

/// Made when the first server is asked over TLS: reading all authorities takes milliseconds that most commands do not need to spend.
pub(super) struct Tls {
    extra_roots_pem: String,
    connector: OnceLock<TlsConnector>,
}

impl Tls {
    pub(super) fn new(extra_roots_pem: String) -> Tls {
        Tls { extra_roots_pem, connector: OnceLock::new() }
    }

    pub(super) async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, BoxError> {
        let name = ServerName::try_from(host.to_owned())?;
        Ok(self.connector()?.connect(name, stream).await?)
    }

    fn connector(&self) -> Result<&TlsConnector, BoxError> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector);
        }
        let connector = TlsConnector::from(Arc::new(client_config(&self.extra_roots_pem)?));
        Ok(self.connector.get_or_init(|| connector))
    }
}

fn client_config(extra_roots_pem: &str) -> Result<ClientConfig, BoxError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(sandbox::egress::trusted_roots(extra_roots_pem)?)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
