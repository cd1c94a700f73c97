//! The certificate authority of this installation. Only cells trust it, and only the proxy has its key: made once, kept in one
//! file that its owner alone can read. It signs a certificate for each host whose TLS ends at the proxy.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use thiserror::Error;
use zeroize::Zeroizing;

use super::host::Host;

const FILE: &str = "egress-authority.pem";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Long, because nothing but deleting the file renews it.
const AUTHORITY_LIFE: Duration = Duration::from_secs(20 * 365 * 24 * 60 * 60);
/// Leaves are made again each day and live for a week, so that a cell's clock may differ.
const LEAF_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// More hosts than this with sealed secrets at once are not expected; then all are made again.
const MOST_LEAVES: usize = 1024;

#[derive(Debug, Error)]
pub enum AuthorityError {
    #[error("cannot store the certificate authority in `{path}`")]
    File { path: PathBuf, source: io::Error },
    #[error(
        "`{path}` can be read by others; make it readable by its owner only (chmod 600), or delete it to create a new one"
    )]
    Exposed { path: PathBuf },
    #[error("`{path}` does not contain a certificate and its key; delete it to create a new one")]
    Unreadable { path: PathBuf },
    #[error("cannot make a certificate: {why}")]
    Make { why: String },
    #[error("an extra root certificate cannot be used: {why}")]
    ExtraRoot { why: String },
}

pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate_pem: String,
    provider: Arc<CryptoProvider>,
    leaves: Mutex<HashMap<Host, (SystemTime, Arc<ServerConfig>)>>,
}

impl Authority {
    pub(super) fn open(
        folder: &Path,
        now: SystemTime,
        provider: Arc<CryptoProvider>,
    ) -> Result<Authority, AuthorityError> {
        let path = folder.join(FILE);
        if !path.exists() {
            create(folder, &path, now)?;
        }
        let (key, certificate_pem) = read(&path)?;
        Ok(Authority {
            issuer: Issuer::new(params(), key),
            certificate_pem,
            provider,
            leaves: Mutex::default(),
        })
    }

    pub(super) fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// How TLS for this host is ended.
    pub(super) fn leaf(&self, host: &Host, now: SystemTime) -> Result<Arc<ServerConfig>, AuthorityError> {
        let mut leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, config)) = leaves.get(host) {
            // A clock that went back makes a new one too.
            if now.duration_since(*made).is_ok_and(|age| age < DAY) {
                return Ok(config.clone());
            }
        }
        let config = Arc::new(self.sign(host, now)?);
        if leaves.len() >= MOST_LEAVES {
            leaves.clear();
        }
        leaves.insert(host.clone(), (now, config.clone()));
        Ok(config)
    }

    fn sign(&self, host: &Host, now: SystemTime) -> Result<ServerConfig, AuthorityError> {
        let name = match host {
            Host::Name(name) => name.clone(),
            Host::Address(address) => address.to_string(),
        };
        let mut params = CertificateParams::new(vec![name]).map_err(make_failed)?;
        params.distinguished_name.push(DnType::CommonName, "selfmade egress");
        params.not_before = (now - DAY).into();
        params.not_after = (now + LEAF_LIFE).into();
        params.use_authority_key_identifier_extension = true;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // A key for each, because the serial number is made from it and must not come twice.
        let key = KeyPair::generate().map_err(make_failed)?;
        let leaf = params.signed_by(&key, &self.issuer).map_err(make_failed)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(self.provider.clone())
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], key))
            .map_err(|error| AuthorityError::Make { why: error.to_string() })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// The same each time but for the dates, so that key and these are enough to sign with.
fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "selfmade egress authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn create(folder: &Path, path: &Path, now: SystemTime) -> Result<(), AuthorityError> {
    let key = KeyPair::generate().map_err(make_failed)?;
    let mut params = params();
    params.not_before = (now - DAY).into();
    params.not_after = (now + AUTHORITY_LIFE).into();
    let certificate = params.self_signed(&key).map_err(make_failed)?;
    let text = Zeroizing::new(format!("{}{}", key.serialize_pem(), certificate.pem()));
    let failed = |source| AuthorityError::File { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let draft = folder.join(format!("{FILE}.{}", std::process::id()));
    // One that a process of the same number left behind when it died.
    let _ = fs::remove_file(&draft);
    let written = write_private(&draft, &text).and_then(|()| fs::hard_link(&draft, path));
    // The draft is only a name by now, or incomplete.
    let _ = fs::remove_file(&draft);
    match written {
        // Another process was faster; its authority is as good.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.exists() => Ok(()),
        written => written.map_err(failed),
    }
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn read(path: &Path) -> Result<(KeyPair, String), AuthorityError> {
    let failed = |source| AuthorityError::File { path: path.to_owned(), source };
    if fs::metadata(path).map_err(failed)?.mode() & 0o077 != 0 {
        return Err(AuthorityError::Exposed { path: path.to_owned() });
    }
    let text = Zeroizing::new(fs::read_to_string(path).map_err(failed)?);
    let unreadable = || AuthorityError::Unreadable { path: path.to_owned() };
    let (key, certificate) = text.split_at(text.find("-----BEGIN CERTIFICATE").ok_or_else(unreadable)?);
    CertificateDer::from_pem_slice(certificate.as_bytes()).map_err(|_| unreadable())?;
    Ok((KeyPair::from_pem(key).map_err(|_| unreadable())?, certificate.to_owned()))
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn make_failed(error: rcgen::Error) -> AuthorityError {
    AuthorityError::Make { why: error.to_string() }
}
