//! A client that keeps its connection.

use std::net::SocketAddr;

use anyhow::ensure;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

pub(super) struct Client {
    sending: SendRequest<Full<Bytes>>,
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
        self.ask(Method::GET, path, Bytes::new()).await
    }

    pub(super) async fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Bytes> {
        self.ask(Method::POST, path, body.to_string().into()).await
    }

    async fn ask(&mut self, method: Method, path: &str, body: Bytes) -> anyhow::Result<Bytes> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("authorization", &self.bearer)
            .header("content-type", "application/json")
            .body(Full::new(body))?;
        self.sending.ready().await?;
        let answer = self.sending.send_request(request).await?;
        let status = answer.status();
        let bytes = answer.into_body().collect().await?.to_bytes();
        ensure!(status == StatusCode::OK, "{path} answered {status}: {}", String::from_utf8_lossy(&bytes));
        Ok(bytes)
    }
}
