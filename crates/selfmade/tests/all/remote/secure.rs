//! Servers that are asked over TLS.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConnection, StreamOwned};

use crate::command::Place;

/// A server with a certificate of an authority that nobody knows, and the authority in PEM. To whatever is asked it has no answer but
/// that the token is wrong.
fn secure_server() -> (String, String) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "authority of the tests");
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .map(Arc::new)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // Whoever does not know the authority leaves at once.
            let _ = refuse(StreamOwned::new(connection, stream.unwrap()));
        }
    });
    (url, authority.pem())
}

fn refuse(mut stream: impl Read + Write) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.extend(byte);
    }
    let body = r#"{"error": {"code": "unauthorized", "message": "a valid token is required"}}"#;
    write!(stream, "HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

#[test]
fn a_server_is_trusted_by_the_authority_of_its_certificate() {
    let (url, pem) = secure_server();
    let mut place = Place::without_home().option("--server", &url);
    place.file("ours.pem", pem);
    let stranger = place.run(&["fn", "list"]);
    assert!(stranger.starts_with("exit: 6"), "{stranger}");
    assert!(stranger.contains("caused by: invalid peer certificate: UnknownIssuer"), "{stranger}");
    let roots = place.path("ours.pem");
    place.set("SELFMADE_EXTRA_ROOTS", roots.to_str().unwrap());
    let known = place.run(&["fn", "list"]);
    assert!(known.starts_with("exit: 5") && known.contains("a valid token is required"), "{known}");
}
