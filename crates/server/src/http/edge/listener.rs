//! Connections: limited in number, with a time limit for the head of each request, and drained when the server stops.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use sandbox::CancellationToken;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::prompt::prompt;
use crate::http::request::caller::Peer;
use crate::http::state::Door;

/// Heads are not larger than this.
const HEAD_BYTES: usize = 64 << 10;
/// How long answers that are under way have when the server stops.
const DRAIN: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, Error)]
#[error("cannot listen on `{address}`: {source}")]
pub struct BindError {
    address: String,
    source: std::io::Error,
}

/// A place where connections arrive.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    pub address: SocketAddr,
}

pub async fn bind(address: &str) -> Result<Listener, BindError> {
    let failed = |source| BindError { address: address.to_owned(), source };
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    let address = socket.local_addr().map_err(failed)?;
    Ok(Listener { socket, address })
}

/// Serves until it is stopped, and then finishes requests in progress.
pub async fn serve(listener: Listener, door: Door) {
    let config = door.config().clone();
    let (stop, clock) = (door.stop().clone(), door.ctx().clock.clone());
    let metrics = Arc::clone(&door.ctx().metrics);
    let router = crate::http::router(door.clone());
    let places = Arc::new(Semaphore::new(config.connections));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.socket.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = stop.cancelled() => break,
            next = next => next,
        };
        match accepted {
            Ok((stream, peer)) => {
                let answering = answer(stream, peer, router.clone(), config.head_timeout, stop.clone());
                let metrics = Arc::clone(&metrics);
                metrics.connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    prompt(answering).await;
                    metrics.connections.fetch_sub(1, Ordering::Relaxed);
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!("cannot accept a connection: {error}");
                // Out of descriptors, most likely; some may be free again soon.
                clock.wait_until(clock.now() + PAUSE).await;
            }
        }
    }
    drop(listener);
    let all = u32::try_from(config.connections).unwrap_or(u32::MAX);
    // Whoever has not read its answer by then does not get it.
    let ended = async { tokio::join!(places.acquire_many(all), door.sockets_closed()) };
    let _ = tokio::time::timeout(DRAIN, ended).await;
}

/// One connection, from its first request to its last.
async fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    head_timeout: Duration,
    stop: CancellationToken,
) {
    // Small answers leave at once.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip()));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // A client that breaks off is no news.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
