//! Requests that the server or its command line makes: one connection each, an answer of bounded size, within a stated time.

use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

/// No answer that is waited for is larger.
const ANSWER_BYTES: usize = 1 << 20;

#[derive(Debug, Error)]
pub enum OutgoingError {
    #[error("cannot connect to {address}: {source}")]
    Connect { address: String, source: std::io::Error },
    #[error("the answer of {address} cannot be read: {detail}")]
    Exchange { address: String, detail: String },
    #[error("{address} did not answer within {} s", .time.as_secs())]
    Slow { address: String, time: Duration },
}

pub(crate) type Answer = (StatusCode, Bytes);

/// Sends a request over TCP to `host:port` and reads the answer to its end.
pub(crate) async fn send(
    address: &str,
    request: Request<Full<Bytes>>,
    time: Duration,
) -> Result<Answer, OutgoingError> {
    let sending = async {
        let failed = |source| OutgoingError::Connect { address: address.to_owned(), source };
        let stream = tokio::net::TcpStream::connect(address).await.map_err(failed)?;
        exchange(address, stream, request).await
    };
    let slow = || OutgoingError::Slow { address: address.to_owned(), time };
    tokio::time::timeout(time, sending).await.unwrap_or_else(|_| Err(slow()))
}

pub(crate) async fn exchange(
    address: &str,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<Answer, OutgoingError> {
    let failed = |detail: String| OutgoingError::Exchange { address: address.to_owned(), detail };
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| failed(error.to_string()))?;
    let connection = tokio::spawn(connection);
    let answer = async {
        let response = sender.send_request(request).await.map_err(|error| failed(error.to_string()))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES).collect().await;
        Ok((head.status, body.map_err(|error| failed(error.to_string()))?.to_bytes()))
    };
    let answer = answer.await;
    connection.abort();
    answer
}
