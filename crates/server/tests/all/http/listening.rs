//! Real connections: bodies that are too large or too slow, heads that never end, and the end of the server.

use std::net::SocketAddr;
use std::time::Duration;

use sandbox::CancellationToken;
use server::http::{Door, HttpConfig, bind, serve};
use store::testing::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::engine::script::Stage;

pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) served: JoinHandle<()>,
}

pub(crate) async fn listen(stage: &Stage, config: HttpConfig) -> Listening {
    let stop = CancellationToken::new();
    let listener = bind("127.0.0.1:0").await.unwrap();
    let address = listener.address;
    let served = tokio::spawn(serve(listener, Door::new(stage.ctx.clone(), config, stop.clone())));
    Listening { address, stop, served }
}

/// Sends a text and reads until the server closes.
async fn exchange(address: SocketAddr, text: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A server that closes while we send resets the connection.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

store::on_both! {
    async fn requests_are_answered_until_the_server_stops(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let listening = listen(&stage, HttpConfig::default()).await;
        let answer = exchange(listening.address, "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("\"ok\":true"), "{answer}");
        let idle = TcpStream::connect(listening.address).await.unwrap();
        listening.stop.cancel();
        listening.served.await.unwrap();
        assert!(TcpStream::connect(listening.address).await.is_err());
        drop(idle);
        stage.close().await;
    }

    async fn a_head_that_never_ends_is_cut_off(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let config = HttpConfig { head_timeout: Duration::from_millis(50), ..HttpConfig::default() };
        let listening = listen(&stage, config).await;
        let answer = exchange(listening.address, "GET /api/v1/health HTTP/1.1\r\nHost: loc").await;
        assert!(!answer.contains("200 OK"), "{answer}");
        let large = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(200_000));
        let answer = exchange(listening.address, &large).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
        stage.close().await;
    }

    async fn a_body_that_is_too_large_or_too_slow_is_refused(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let config = HttpConfig { body_bytes: 1_000, body_timeout: Duration::from_millis(50), ..HttpConfig::default() };
        let token = super::asking::token(&stage, "t", model::access::token::TokenRole::Admin, &[]).await;
        let listening = listen(&stage, config).await;
        let head = format!("POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        let large = format!("{head}Content-Length: 2000\r\n\r\n{}", "1".repeat(2_000));
        assert!(exchange(listening.address, &large).await.contains("\"too_large\""));
        let slow = format!("{head}Content-Length: 20\r\n\r\n{{");
        let answer = exchange(listening.address, &slow).await;
        assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("\"too_slow\""), "{answer}");
        stage.close().await;
    }
}
