//! The certificate authorities that servers are checked by: the public ones, those the operator adds, and for cells ours.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

use super::authority::AuthorityError;

/// What our own connections are checked by: the proxy's, and those of whoever runs it.
pub fn trusted_roots(extra_pem: &str) -> Result<RootCertStore, AuthorityError> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(TLS_SERVER_ROOT_CERTS.iter().cloned());
    for root in CertificateDer::pem_slice_iter(extra_pem.as_bytes()) {
        let unreadable = |why: String| AuthorityError::ExtraRoot { why };
        let root = root.map_err(|error| unreadable(error.to_string()))?;
        store.add(root).map_err(|error| unreadable(error.to_string()))?;
    }
    Ok(store)
}

/// What programs in a cell check by: they meet our own authority for some hosts and public ones for the rest.
pub(super) fn bundle(extra_pem: &str, own_pem: &str) -> String {
    let public: String = TLS_SERVER_ROOT_CERTS.iter().map(|root| pem(root)).collect();
    format!("{own_pem}\n{public}{extra_pem}")
}

fn pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines = text.as_bytes().chunks(64).map(|line| format!("{}\n", String::from_utf8_lossy(line)));
    format!("-----BEGIN CERTIFICATE-----\n{}-----END CERTIFICATE-----\n", lines.collect::<String>())
}
