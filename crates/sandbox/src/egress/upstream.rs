//! The proxy's own connections: to an address that was checked, with TLS checked by the usual roots.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hyper::client::conn::http1;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::gate::Gate;
use super::host::Host;
use super::idle::Idle;
use super::message::body::Body;
use super::message::head::Target;
use super::proxy::Shared;
use super::refusal::Refusal;

/// A kept connection is ready at once or not worth waiting for.
const REUSE_TIMEOUT: Duration = Duration::from_millis(50);

/// Resolves once, checks, and connects to what was checked: a second answer of the resolver could differ.
pub(super) async fn dial(
    shared: &Shared,
    gate: &Gate,
    target: &Target,
) -> Result<(TcpStream, SocketAddr), Refusal> {
    let host = target.host.clone();
    let found = addresses(shared, gate, &target.host).await?;
    let checked: Vec<IpAddr> =
        found.iter().copied().filter(|address| gate.may_connect(&host, *address)).collect();
    if let (true, Some(address)) = (checked.is_empty(), found.first()) {
        return Err(Refusal::Private { host, address: *address });
    }
    let mut why = "it has no address".to_owned();
    for address in checked {
        let address = SocketAddr::new(address.to_canonical(), target.port);
        match timeout(gate.limits.connect_time, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Small writes go out at once; a failure costs speed only.
                let _ = stream.set_nodelay(true);
                return Ok((stream, address));
            }
            Ok(Err(error)) => why = error.to_string(),
            Err(_) => "it did not answer in time".clone_into(&mut why),
        }
    }
    Err(Refusal::Unreachable { host, why })
}

async fn addresses(shared: &Shared, gate: &Gate, host: &Host) -> Result<Vec<IpAddr>, Refusal> {
    let name = match host {
        Host::Address(address) => return Ok(vec![*address]),
        Host::Name(name) => name.clone(),
    };
    let unknown = |why: String| Refusal::Unknown { host: host.clone(), why };
    match timeout(gate.limits.connect_time, shared.resolver.resolve(name)).await {
        Ok(found) => found.map_err(|error| unknown(error.to_string())),
        Err(_) => Err(unknown("the resolver did not answer in time".to_owned())),
    }
}

/// An HTTP connection, kept for the next request of the same client connection.
pub(super) struct Upstream {
    target: Target,
    pub(super) address: SocketAddr,
    sender: http1::SendRequest<Body>,
    /// Drives the connection for as long as it is held.
    _driver: AbortOnDropHandle<()>,
}

impl Upstream {
    pub(super) async fn open(shared: &Shared, gate: &Gate, target: &Target) -> Result<Upstream, Refusal> {
        let (stream, address) = dial(shared, gate, target).await?;
        let stream = Idle::new(stream, gate.limits.idle_time);
        let unreachable = |why: String| Refusal::Unreachable { host: target.host.clone(), why };
        let (sender, driver) = match target.tls {
            false => start(stream, gate).await.map_err(|error| unreachable(error.to_string()))?,
            true => {
                let name = server_name(&target.host).map_err(&unreachable)?;
                let handshake =
                    timeout(gate.limits.connect_time, shared.connector.connect(name, stream)).await;
                let stream = handshake
                    .map_err(|_| unreachable("the TLS handshake took too long".to_owned()))?
                    .map_err(|error: io::Error| unreachable(error.to_string()))?;
                start(stream, gate).await.map_err(|error| unreachable(error.to_string()))?
            }
        };
        Ok(Upstream { target: target.clone(), address, sender, _driver: driver })
    }

    /// Whether it can carry the next request to `target` right now.
    pub(super) async fn serves(&mut self, target: &Target) -> bool {
        self.target == *target && matches!(timeout(REUSE_TIMEOUT, self.sender.ready()).await, Ok(Ok(())))
    }

    /// Gives the request back if nothing of it was sent.
    pub(super) async fn send(
        &mut self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, (Refusal, Option<Request<Body>>)> {
        self.sender.try_send_request(request).await.map_err(|mut error| {
            let unsent = error.take_message();
            let why = error.into_error().to_string();
            (Refusal::Answer { host: self.target.host.clone(), why }, unsent)
        })
    }
}

fn server_name(host: &Host) -> Result<ServerName<'static>, String> {
    match host {
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|error| error.to_string()),
        Host::Address(address) => Ok(ServerName::from(*address)),
    }
}

async fn start<S>(stream: S, gate: &Gate) -> hyper::Result<(http1::SendRequest<Body>, AbortOnDropHandle<()>)>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_buf_size(gate.limits.head_bytes.max(super::proxy::SMALLEST_HEAD));
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
    let driver = tokio::spawn(async move {
        // Whoever waits for an answer is told of the failure through the sender.
        let _ = connection.await;
    });
    Ok((sender, AbortOnDropHandle::new(driver)))
}
