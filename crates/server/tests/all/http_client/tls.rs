//! Servers that are known by their certificates, and those that are not.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use server::http_client::{HttpClient, HttpClientConfig, HttpError};

use super::servers::{Connection, Server, answer};
use super::{LIMITS, client, get};

/// A certificate authority that nobody knows unless told.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Authority {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "authority of the tests");
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// How a server shows that it has this name.
    pub(crate) fn server_config(&self, name: &str) -> Arc<rustls::ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        Arc::new(config.unwrap())
    }

    /// What those who trust it are told.
    pub(crate) fn client_config(&self) -> HttpClientConfig {
        HttpClientConfig { extra_roots_pem: self.0.pem(), ..HttpClientConfig::default() }
    }

    fn client(&self) -> HttpClient {
        HttpClient::new(self.client_config())
    }
}

async fn secure_server(authority: &Authority, name: &str) -> (Server, String) {
    let serve = async |mut connection: Connection| {
        while let Some(request) = connection.try_request().await {
            connection.write(&answer(request.path())).await;
        }
    };
    let server = Server::start_with(Some(authority.server_config(name)), serve).await;
    let url = format!("https://localhost:{}/private", server.address.port());
    (server, url)
}

#[tokio::test]
async fn a_server_whose_authority_is_trusted_is_asked_over_tls() {
    let authority = Authority::new();
    let (mut server, url) = secure_server(&authority, "localhost").await;
    let client = authority.client();
    for _ in 0..3 {
        assert_eq!(client.fetch(get(&url), LIMITS).await.unwrap().body, "/private");
    }
    assert_eq!(server.connections(), 1, "a connection with TLS is pooled too");
}

#[tokio::test]
async fn a_server_whose_authority_is_not_trusted_is_refused() {
    let (_server, url) = secure_server(&Authority::new(), "localhost").await;
    for client in [client(), Authority::new().client()] {
        let error = client.fetch(get(&url), LIMITS).await.unwrap_err();
        assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
        let shown = error.in_full();
        assert!(shown.contains("invalid peer certificate: "), "{shown}");
    }
}

#[tokio::test]
async fn a_server_with_another_name_is_refused() {
    let authority = Authority::new();
    let (_server, url) = secure_server(&authority, "elsewhere.example").await;
    let shown = authority.client().fetch(get(&url), LIMITS).await.unwrap_err().in_full();
    assert!(shown.contains("certificate not valid for name \"localhost\""), "{shown}");
}

#[tokio::test]
async fn a_server_without_tls_is_not_asked_in_the_open_instead() {
    let server = Server::start(async |mut connection: Connection| {
        connection.write("HTTP/1.1 400 Bad Request\r\n\r\n").await;
    })
    .await;
    let url = format!("https://localhost:{}/", server.address.port());
    let error = client().fetch(get(&url), LIMITS).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
}

#[tokio::test]
async fn what_is_no_certificate_is_named_as_the_cause() {
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let (_server, url) = secure_server(&Authority::new(), "localhost").await;
    let config = HttpClientConfig { extra_roots_pem: pem.to_owned(), ..HttpClientConfig::default() };
    let shown = HttpClient::new(config).fetch(get(&url), LIMITS).await.unwrap_err().in_full();
    assert!(shown.contains("an extra root certificate cannot be used"), "{shown}");
}
