//! A client that keeps its connection.

use std::net::SocketAddr;

use anyhow::ensure;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

pub(super) struct Client {
    sending: SendRequest<Empty<Bytes>>,
    bearer: String,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr, token: &str) -> anyhow::Result<Client> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sending, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Client { sending, bearer: format!("Bearer {token}") })
    }

    pub(super) async fn get(&mut self, path: &str) -> anyhow::Result<Bytes> {
        let request = Request::get(path)
            .header("host", "localhost")
            .header("authorization", &self.bearer)
            .body(Empty::new())?;
        self.sending.ready().await?;
        let answer = self.sending.send_request(request).await?;
        let status = answer.status();
        let bytes = answer.into_body().collect().await?.to_bytes();
        ensure!(status == StatusCode::OK, "{path} answered {status}: {}", String::from_utf8_lossy(&bytes));
        Ok(bytes)
    }
}
