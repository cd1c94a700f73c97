//! A language model on loopback that answers at once, and says how much it read and wrote.

use std::sync::Arc;
use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// As many tokens as the request allows are written, and this many are read.
pub(super) const READ: u64 = 20;

#[derive(Clone)]
pub(super) struct ModelServer {
    pub(super) url: String,
    /// What it was asked.
    asked: Arc<Mutex<Vec<Value>>>,
    /// So many requests are never answered.
    silent: Arc<Mutex<usize>>,
    heard: Arc<Notify>,
}

impl ModelServer {
    pub(super) async fn start() -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server =
            ModelServer { url, asked: Arc::default(), silent: Arc::default(), heard: Arc::default() };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                tokio::spawn(async move { serving.answer(stream).await });
            }
        });
        server
    }

    /// Does not answer the next requests.
    pub(super) fn keep_silent(&self, requests: usize) {
        *self.silent.lock().unwrap() = requests;
    }

    pub(super) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns when it has been asked once more.
    pub(super) async fn is_asked(&self) {
        self.heard.notified().await;
    }

    async fn answer(&self, mut stream: TcpStream) {
        let (mut read, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let request = loop {
                if let Some(request) = whole(&mut read) {
                    break request;
                }
                match stream.read(&mut piece).await {
                    Ok(0) | Err(_) => return,
                    Ok(count) => read.extend_from_slice(&piece[..count]),
                }
            };
            let written = request["max_tokens"].as_u64().unwrap_or(7);
            self.asked.lock().unwrap().push(request);
            self.heard.notify_one();
            let is_silent = {
                let mut silent = self.silent.lock().unwrap();
                let is_silent = *silent > 0;
                *silent = silent.saturating_sub(1);
                is_silent
            };
            if is_silent {
                std::future::pending::<()>().await;
            }
            let body = json!({
                "choices": [{ "message": { "role": "assistant", "content": "yes" } }],
                "usage": { "prompt_tokens": READ, "completion_tokens": written, "total_tokens": READ + written },
            })
            .to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            if stream.write_all((head + &body).as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// The body of a request that has arrived, which is taken away.
fn whole(read: &mut Vec<u8>) -> Option<Value> {
    let text = String::from_utf8_lossy(read).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.to_ascii_lowercase();
    let length = length
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok())?;
    let request = serde_json::from_str(body.get(..length)?).unwrap();
    read.drain(..head.len() + 4 + length);
    Some(request)
}
