//! A client on a thread of its own, as one in another process is, and the least that can answer it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, spawn_blocking};

/// As long as the answer to a small run.
const NOTHING: &str = "HTTP/1.1 200 OK\r\ncontent-length: 700\r\n\r\n";

pub(super) struct Wire {
    stream: TcpStream,
}

impl Wire {
    pub(super) async fn connect(address: SocketAddr) -> anyhow::Result<Wire> {
        let stream = spawn_blocking(move || TcpStream::connect(address)).await??;
        stream.set_nodelay(true)?;
        Ok(Wire { stream })
    }

    /// Sends a request, and reads the answer to its end. Says how long that took, and what the body is.
    pub(super) async fn ask(mut self, request: Arc<[u8]>) -> anyhow::Result<(Wire, Duration, Vec<u8>)> {
        spawn_blocking(move || {
            let begun = Instant::now();
            self.stream.write_all(&request)?;
            let body = self.answer()?;
            Ok((self, begun.elapsed(), body))
        })
        .await?
    }

    fn answer(&mut self) -> anyhow::Result<Vec<u8>> {
        let (mut read, mut buffer) = (Vec::new(), [0; 16 << 10]);
        loop {
            let size = self.stream.read(&mut buffer)?;
            ensure!(size > 0, "the connection was closed");
            read.extend_from_slice(&buffer[..size]);
            if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
                let body = end + 4;
                if read.len() >= body + length(&read[..end])? {
                    return Ok(read.split_off(body));
                }
            }
        }
    }
}

fn length(head: &[u8]) -> anyhow::Result<usize> {
    let head = str::from_utf8(head)?.to_ascii_lowercase();
    let stated = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    Ok(stated.context("the answer does not say how long it is")?.trim().parse()?)
}

/// Answers whatever comes with the same bytes, on the runtime that the door is on.
pub(super) async fn nothing() -> anyhow::Result<(SocketAddr, JoinHandle<()>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let answering = tokio::spawn(async move {
        let Ok((mut stream, _)) = listener.accept().await else { return };
        // Small answers leave at once, as they do from the door.
        let _ = stream.set_nodelay(true);
        let (answer, mut buffer) = (format!("{NOTHING}{:700}", ""), [0; 16 << 10]);
        while let Ok(1..) = stream.read(&mut buffer).await {
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    Ok((address, answering))
}
