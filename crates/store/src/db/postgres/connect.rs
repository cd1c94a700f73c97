//! From the URL of a server to connections.
//!
//! `sslmode` is `disable`, `prefer` (the default) or `require`. `sslrootcert=FILE` says which authorities to trust; the
//! driver does not know this parameter. With it the server's name and certificate are always verified, so `verify-ca` and
//! `verify-full` mean the same as `require`. Without it `prefer` connects unencrypted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Error;

/// A batch occupies a connection for a few milliseconds; more connections than this cost the server more than they
/// give, and several of us may share it.
const CONNECTIONS: usize = 16;
/// How long to wait for a free connection, and for a new one, before saying that there is none.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long sent data may stay unacknowledged before a connection counts as dead.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

/// How connections to a server are made.
pub(super) struct Connector {
    pub(super) config: Config,
    /// Absent for connections in the clear.
    pub(super) tls: Option<MakeRustlsConnect>,
    /// Host, port and database, for messages.
    pub(super) server: String,
}

impl Connector {
    pub(super) fn from_url(url: &str) -> Result<Connector, Error> {
        let (mut config, authority) = parse(url)?;
        let server = describe(&config);
        configure(&mut config);
        let tls = match (config.get_ssl_mode(), authority) {
            (SslMode::Disable, _) | (SslMode::Prefer, None) => {
                config.ssl_mode(SslMode::Disable);
                None
            }
            (_, Some(file)) => Some(tls(&file)?),
            (_, None) => return Err(Error::NoCertificates { mode: "require".to_owned() }),
        };
        Ok(Connector { config, tls, server })
    }

    pub(super) fn pool(&self) -> Result<Pool, Error> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match &self.tls {
            None => Manager::from_config(self.config.clone(), NoTls, recycling),
            Some(tls) => Manager::from_config(self.config.clone(), tls.clone(), recycling),
        };
        Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CONNECT_TIMEOUT))
            .create_timeout(Some(CONNECT_TIMEOUT))
            .build()
            .map_err(|error| Error::Url { detail: error.to_string() })
    }
}

/// Host, port and database of a URL; nothing else of it, because passwords hide in more than one place.
pub(crate) fn describe_url(url: &str) -> String {
    parse(url).map_or_else(|_| "PostgreSQL at an unreadable URL".to_owned(), |(config, _)| describe(&config))
}

fn parse(url: &str) -> Result<(Config, Option<PathBuf>), Error> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut authority = None;
    let mut kept = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslrootcert", file)) => authority = Some(PathBuf::from(file)),
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(pair),
        }
    }
    let config: Config = format!("{base}?{}", kept.join("&")).parse().map_err(|error| unreadable(&error))?;
    if config.get_hosts().is_empty() {
        return Err(Error::Url { detail: "it names no host".to_owned() });
    }
    Ok((config, authority))
}

/// The driver names the parameter at fault, not its value.
fn unreadable(error: &tokio_postgres::Error) -> Error {
    let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    Error::Url { detail: reason }
}

fn describe(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
        let port = ports.get(index).or(ports.first()).unwrap_or(&5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(folder) => format!("{}:{port}", folder.display()),
        }
    });
    let hosts = hosts.collect::<Vec<_>>().join(",");
    let database = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
    format!("`{hosts}`, database `{database}`")
}

fn configure(config: &mut Config) {
    // Sent with the first message of a connection, so it costs no round trip.
    let options = [config.get_options().unwrap_or_default(), "-c search_path=selfmade"].join(" ");
    config.options(options.trim());
    if config.get_application_name().is_none() {
        config.application_name("selfmade");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
}

fn tls(file: &Path) -> Result<MakeRustlsConnect, Error> {
    let refused = |detail: String| Error::Certificates { path: file.to_owned(), detail };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| refused(error.to_string()))? {
        let certificate = certificate.map_err(|error| refused(error.to_string()))?;
        roots.add(certificate).map_err(|error| refused(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(refused("it holds no certificate".to_owned()));
    }
    // Named here rather than installed for the process: a library leaves that to `main`.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
