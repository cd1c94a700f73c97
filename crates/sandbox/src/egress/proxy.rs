//! The proxy people hold, and its accepting: one task for each job, whose end closes every connection of the job.

use std::any::Any;
use std::io;
use std::net::TcpListener as StdListener;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ClientConfig;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;

use super::authority::{Authority, AuthorityError};
use super::exchange::Connection;
use super::gate::Gate;
use super::policy::EgressPolicy;
use super::record::EgressLog;
use super::resolve::Resolver;
use super::{Egress, roots};

/// The HTTP library refuses a smaller buffer.
pub(super) const SMALLEST_HEAD: usize = 8192;
/// Accepting fails for want of file descriptors, say; trying again at once would only burn time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What a proxy is made of.
pub struct ProxyConfig {
    /// Where the certificate authority is kept, and made at the first start.
    pub folder: PathBuf,
    pub log: Arc<dyn EgressLog>,
    pub resolver: Arc<dyn Resolver>,
    pub clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// Authorities to trust besides the public ones, for the proxy and for cells: PEM, or empty.
    pub extra_roots_pem: String,
}

/// Serves all cells of an installation.
pub struct Proxy {
    shared: Arc<Shared>,
    bundle: String,
}

/// What all connections of a proxy share.
pub(super) struct Shared {
    pub(super) log: Arc<dyn EgressLog>,
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    pub(super) authority: Authority,
    pub(super) connector: TlsConnector,
}

impl Proxy {
    pub fn new(config: ProxyConfig) -> Result<Proxy, AuthorityError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let authority = Authority::open(&config.folder, (config.clock)(), provider.clone())?;
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| AuthorityError::Make { why: error.to_string() })?
            .with_root_certificates(roots::trusted_roots(&config.extra_roots_pem)?)
            .with_no_client_auth();
        client.alpn_protocols = vec![b"http/1.1".to_vec()];
        let bundle = roots::bundle(&config.extra_roots_pem, authority.certificate_pem());
        let connector = TlsConnector::from(Arc::new(client));
        let ProxyConfig { log, resolver, clock, .. } = config;
        Ok(Proxy { shared: Arc::new(Shared { log, resolver, clock, authority, connector }), bundle })
    }

    /// The certificate of this installation's authority.
    pub fn ca_certificate_pem(&self) -> &str {
        self.shared.authority.certificate_pem()
    }
}

impl Egress for Proxy {
    /// Fails if the policy cannot be read, or outside a runtime.
    fn serve(&self, listener: OwnedFd, policy: &EgressPolicy) -> io::Result<Box<dyn Any + Send>> {
        let gate = Arc::new(Gate::new(policy)?);
        let runtime = tokio::runtime::Handle::try_current().map_err(io::Error::other)?;
        let listener = StdListener::from(listener);
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let accepting = runtime.spawn(accept(self.shared.clone(), gate, listener));
        Ok(Box::new(AbortOnDropHandle::new(accepting)))
    }

    fn ca_bundle_pem(&self) -> &str {
        &self.bundle
    }
}

async fn accept(shared: Arc<Shared>, gate: Arc<Gate>, listener: TcpListener) {
    let slots = Arc::new(Semaphore::new(gate.limits.connections.max(1)));
    // Dropped together with this task, which ends all connections.
    let mut connections = JoinSet::new();
    while let Ok(slot) = slots.clone().acquire_owned().await {
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                let connection = Connection::new(shared.clone(), gate.clone());
                let most = gate.limits.total_time;
                connections.spawn(async move {
                    // Whatever was under way is recorded when it is dropped.
                    let _ = timeout(most, connection.serve(stream)).await;
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!("cannot accept a connection of a cell: {error}");
                let _ = timeout(ACCEPT_PAUSE, std::future::pending::<()>()).await;
            }
        }
    }
}
