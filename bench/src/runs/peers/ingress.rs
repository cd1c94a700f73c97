//! A caller over HTTP who keeps the connection.

use anyhow::{Context, ensure};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

pub(crate) struct Caller {
    connection: SendRequest<Full<Bytes>>,
    address: String,
}

impl Caller {
    pub(crate) async fn connect(port: u16) -> anyhow::Result<Caller> {
        let address = format!("127.0.0.1:{port}");
        let stream = TcpStream::connect(&address).await?;
        stream.set_nodelay(true)?;
        let (connection, driver) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(driver);
        Ok(Caller { connection, address })
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = Request::post(path)
            .header(HOST, &self.address)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body.to_string())))?;
        let response = self.connection.send_request(request).await?;
        let status = response.status();
        let answer = response.into_body().collect().await?.to_bytes();
        ensure!(status.is_success(), "`{path}` answered {status}: {}", String::from_utf8_lossy(&answer));
        serde_json::from_slice(&answer).context("the answer is no JSON")
    }
}
