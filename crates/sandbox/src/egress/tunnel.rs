//! CONNECT: a tunnel that carries TLS to the host that was asked for and to no other, or, for hosts that a sealed secret is for, TLS that
//! ends at the proxy, whoever has the secret.

use std::io;
use std::sync::{Arc, PoisonError};

use hyper::body::{Body as HttpBody, Incoming};
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::server::Acceptor;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::LazyConfigAcceptor;

use super::exchange::Connection;
use super::gate::Gate;
use super::host::Host;
use super::idle::Idle;
use super::message::body::{self, Body};
use super::message::head::{self, Target};
use super::record::{Direction, Entry};
use super::refusal::Refusal;
use super::upstream::dial;

/// A hello is a few hundred bytes, some kilobytes with post-quantum keys.
const LONGEST_HELLO: usize = 32 * 1024;
const PIECE: usize = 16 * 1024;
/// A fatal alert, `unrecognized_name`, as TLS clients understand it before a handshake.
const ALERT: [u8; 7] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70];

/// What a connection becomes after its CONNECT was answered.
pub(super) struct Tunnel {
    upgrade: OnUpgrade,
    target: Target,
    entry: Arc<Entry>,
    /// The other end, or none where TLS ends here.
    upstream: Option<TcpStream>,
}

impl Connection {
    pub(super) async fn connect(
        &self,
        mut request: Request<Incoming>,
        entry: &Arc<Entry>,
    ) -> Result<Response<Body>, Refusal> {
        let upgrade = hyper::upgrade::on(&mut request);
        let (head, body) = request.into_parts();
        let target = Target::of_connect(&head)?;
        entry.asked(&target, "tunnel", "");
        head::check(&head, &target)?;
        if !body.is_end_stream() {
            return Err(Refusal::Malformed { why: "a CONNECT has no body" });
        }
        entry.allowed(self.gate.admit(&target.host, target.port)?);
        let upstream = match self.gate.seals.are_for(&target.host) {
            true => None,
            false => {
                let (stream, address) = dial(&self.shared, &self.gate, &target).await?;
                entry.connected(address);
                Some(stream)
            }
        };
        entry.answered(200);
        self.watch.framing().stop();
        let tunnel = Tunnel { upgrade, target, entry: entry.clone(), upstream };
        *self.tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(tunnel);
        Ok(Response::new(body::of_text(String::new())))
    }
}

impl Tunnel {
    pub(super) async fn run(self, connection: &Connection) {
        let Ok(upgraded) = self.upgrade.await else { return };
        let client = TokioIo::new(upgraded);
        match self.upstream {
            Some(stream) => {
                let stream = Idle::new(stream, connection.gate.limits.idle_time);
                if let Err(refusal) =
                    relay(client, stream, &self.target.host, &connection.gate, &self.entry).await
                {
                    self.entry.stopped(&refusal);
                }
            }
            None => end_tls(client, self.target, self.entry, connection).await,
        }
    }
}

/// Ends TLS here with a certificate for this host, and serves what is inside.
async fn end_tls<S>(client: S, target: Target, entry: Arc<Entry>, connection: &Connection)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let head_time = connection.gate.limits.head_time;
    let not_tls = Refusal::NotTls { host: target.host.clone() };
    let start = match timeout(head_time, LazyConfigAcceptor::new(Acceptor::default(), client)).await {
        Ok(Ok(start)) => start,
        _ => return entry.stopped(&not_tls),
    };
    if !names(start.client_hello().server_name(), &target.host) {
        return entry.stopped(&Refusal::ServerName { host: target.host });
    }
    let config = match connection.shared.authority.leaf(&target.host, (connection.shared.clock)()) {
        Ok(config) => config,
        Err(error) => {
            tracing::warn!("cannot end TLS for `{}`: {error}", target.host);
            return entry.stopped(&Refusal::Answer { host: target.host, why: error.to_string() });
        }
    };
    match timeout(head_time, start.into_stream(config)).await {
        Ok(Ok(stream)) => {
            // The requests inside have their own entries.
            drop(entry);
            connection.serve_inside(target, stream).await;
        }
        Ok(Err(error)) => entry
            .stopped(&Refusal::Answer { host: target.host, why: format!("no TLS with the cell: {error}") }),
        Err(_) => entry.stopped(&Refusal::Cut),
    }
}

/// Checks the first words of the client, then carries bytes both ways until both sides are done.
async fn relay<C, S>(mut client: C, server: S, host: &Host, gate: &Gate, entry: &Entry) -> Result<(), Refusal>
where
    C: AsyncRead + AsyncWrite + Unpin,
    S: AsyncRead + AsyncWrite + Unpin,
{
    let hello = match timeout(gate.limits.head_time, read_hello(&mut client, host)).await {
        Ok(Ok(hello)) => hello,
        stopped => {
            // The client may be gone.
            let _ = client.write_all(&ALERT).await;
            return Err(stopped.map_or(Refusal::Cut, |hello| hello.err().unwrap_or(Refusal::Cut)));
        }
    };
    let (mut from_client, mut to_client) = split(client);
    let (mut from_server, mut to_server) = split(server);
    let up = async {
        pass(&hello, &mut to_server, Direction::Up, gate, entry).await?;
        copy(&mut from_client, &mut to_server, Direction::Up, gate, entry).await
    };
    let down = copy(&mut from_server, &mut to_client, Direction::Down, gate, entry);
    tokio::try_join!(up, down).map(|_| ()).map_err(|stop| match stop {
        Stop::Refused(refusal) => refusal,
        Stop::Failed(error) => Refusal::Answer { host: host.clone(), why: error.to_string() },
    })
}

/// Reads up to the end of the TLS hello and checks the name in it.
async fn read_hello<C: AsyncRead + Unpin>(client: &mut C, host: &Host) -> Result<Vec<u8>, Refusal> {
    let not_tls = || Refusal::NotTls { host: host.clone() };
    let mut acceptor = Acceptor::default();
    let mut hello = Vec::new();
    let mut piece = [0; 4096];
    while hello.len() < LONGEST_HELLO {
        let length = client.read(&mut piece).await.map_err(|_| Refusal::Cut)?;
        if length == 0 {
            return Err(Refusal::Cut);
        }
        hello.extend_from_slice(&piece[..length]);
        let mut unread = &piece[..length];
        while !unread.is_empty() {
            if acceptor.read_tls(&mut unread).map_err(|_| not_tls())? == 0 {
                return Err(not_tls());
            }
        }
        match acceptor.accept() {
            Ok(None) => {}
            Ok(Some(accepted)) if names(accepted.client_hello().server_name(), host) => return Ok(hello),
            Ok(Some(_)) => return Err(Refusal::ServerName { host: host.clone() }),
            Err(_) => return Err(not_tls()),
        }
    }
    Err(not_tls())
}

/// Whether a hello asks for this host: by its name, or by nothing where it is an address.
fn names(server_name: Option<&str>, host: &Host) -> bool {
    match (server_name, host) {
        (None, Host::Address(_)) => true,
        (Some(name), Host::Name(_)) => Host::read(name).as_ref() == Some(host),
        _ => false,
    }
}

enum Stop {
    Refused(Refusal),
    Failed(io::Error),
}

async fn copy<R, W>(from: &mut R, to: &mut W, way: Direction, gate: &Gate, entry: &Entry) -> Result<(), Stop>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece).await.map_err(Stop::Failed)? {
            0 => return to.shutdown().await.map_err(Stop::Failed),
            length => pass(&piece[..length], to, way, gate, entry).await?,
        }
    }
}

async fn pass<W>(piece: &[u8], to: &mut W, way: Direction, gate: &Gate, entry: &Entry) -> Result<(), Stop>
where
    W: AsyncWrite + Unpin,
{
    let bytes = u64::try_from(piece.len()).unwrap_or(u64::MAX);
    gate.charge(way, bytes).map_err(Stop::Refused)?;
    entry.count(way, bytes);
    to.write_all(piece).await.map_err(Stop::Failed)?;
    to.flush().await.map_err(Stop::Failed)
}
