use std::time::Duration;

use selfmade_sandbox::egress::{EgressLimits, EgressPolicy};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::world::{PATIENCE, World, connect, get, policy, read_all, rule, talk, tls};

fn limited(port: u16, limits: EgressLimits) -> EgressPolicy {
    EgressPolicy { limits, ..policy(&[format!("api.test:{port}")]) }
}

#[tokio::test]
async fn a_giant_head_is_refused() {
    let world = World::new();
    let way = world.serve(&policy(&["api.test".to_owned()]));
    let answer = get(&way, "http://api.test/", &format!("X-Big: {}\r\n", "x".repeat(1 << 20))).await;
    assert!(answer.starts_with("HTTP/1.1 431") || answer.is_empty(), "{answer}");
    let many = "X-Many: 1\r\n".repeat(500);
    let answer = get(&way, "http://api.test/", &many).await;
    assert!(answer.starts_with("HTTP/1.1 431") || answer.is_empty(), "{answer}");
    assert_eq!(rule(&world.record().await), "malformed");
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_head_is_dropped() {
    let world = World::new();
    let limits = EgressLimits { head_time: Duration::from_millis(50), ..EgressLimits::default() };
    let way = world.serve(&limited(80, limits));
    timeout(PATIENCE, talk(&way, "GET http://api.test/ HTTP/1.1\r\nX-Slow:")).await.unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_body_is_dropped() {
    let world = World::new();
    let server = world.http_server().await;
    let limits = EgressLimits { idle_time: Duration::from_millis(50), ..EgressLimits::default() };
    let way = world.serve(&limited(server.port, limits));
    let text = format!("POST http://api.test:{}/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", server.port);
    timeout(PATIENCE, talk(&way, &text)).await.unwrap();
    assert_eq!(timeout(PATIENCE, world.record()).await.unwrap().bytes_up, 3);
}

#[tokio::test]
async fn a_tunnel_in_which_nobody_speaks_is_closed() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let limits = EgressLimits { idle_time: Duration::from_secs(1), ..EgressLimits::default() };
    let way = world.serve(&limited(server.port, limits));
    let (_, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    let mut stream = tls(stream, "api.test", &world.test_root()).await.unwrap();
    timeout(PATIENCE, read_all(&mut stream)).await.unwrap();
}

#[tokio::test]
async fn a_connection_ends_after_its_total_time() {
    let world = World::new();
    let limits = EgressLimits { total_time: Duration::from_millis(50), ..EgressLimits::default() };
    let way = world.serve(&limited(80, limits));
    timeout(PATIENCE, talk(&way, "")).await.unwrap();
}

#[tokio::test]
async fn bytes_received_are_bounded_for_the_whole_job() {
    let world = World::new();
    let server = world.http_server().await;
    let way =
        world.serve(&limited(server.port, EgressLimits { bytes_down: 150_000, ..EgressLimits::default() }));
    let url = format!("http://api.test:{}/big", server.port);
    assert!(get(&way, &url, "").await.ends_with('x'));
    assert_eq!(world.record().await.bytes_down, 100_000);
    let answer = get(&way, &url, "").await;
    assert!(answer.len() < 60_000, "{}", answer.len());
    assert_eq!(rule(&world.record().await), "bytes");
}

#[tokio::test]
async fn bytes_sent_are_bounded_in_bodies_heads_and_tunnels() {
    let world = World::new();
    let server = world.http_server().await;
    let limits = EgressLimits { bytes_up: 1000, ..EgressLimits::default() };
    let way = world.serve(&limited(server.port, limits.clone()));
    let url = format!("http://api.test:{}/", server.port);
    let body = "y".repeat(2000);
    talk(&way, &format!("POST {url} HTTP/1.1\r\nConnection: close\r\nContent-Length: 2000\r\n\r\n{body}"))
        .await;
    assert_eq!(rule(&world.record().await), "bytes");
    let answer = get(&way, &url, &format!("X-Data: {body}\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert_eq!(rule(&world.record().await), "bytes");

    let server = world.https_server(&["api.test"]).await;
    let way = world.serve(&limited(server.port, limits));
    let (_, stream) = connect(&way, &format!("api.test:{}", server.port)).await;
    if let Ok(mut stream) = tls(stream, "api.test", &world.test_root()).await {
        let _ = stream.write_all(body.as_bytes()).await;
        read_all(&mut stream).await;
    }
    assert_eq!(rule(&world.record().await), "bytes");
}

#[tokio::test]
async fn more_connections_than_allowed_wait_for_one_to_close() {
    let world = World::new();
    let way = world.serve(&limited(80, EgressLimits { connections: 1, ..EgressLimits::default() }));
    let mut first = TcpStream::connect(way.at).await.unwrap();
    first.write_all(b"GET http://other.test/ HTTP/1.1\r\n\r\n").await.unwrap();
    first.readable().await.unwrap();
    let mut second = Box::pin(get(&way, "http://other.test/", ""));
    assert!(timeout(Duration::from_millis(100), &mut second).await.is_err());
    drop(first);
    assert!(timeout(PATIENCE, second).await.unwrap().starts_with("HTTP/1.1 403"));
}

#[tokio::test]
async fn the_end_of_the_job_closes_all_its_connections() {
    let world = World::new();
    let server = world.https_server(&["api.test"]).await;
    let way = world.serve(&limited(server.port, EgressLimits::default()));
    let (_, tunnel) = connect(&way, &format!("api.test:{}", server.port)).await;
    let mut tunnel = tls(tunnel, "api.test", &world.test_root()).await.unwrap();
    let mut waiting = TcpStream::connect(way.at).await.unwrap();
    waiting.write_all(b"GET http://other.test/ HTTP/1.1\r\n\r\n").await.unwrap();
    waiting.readable().await.unwrap();
    drop(way.guard);
    timeout(PATIENCE, read_all(&mut tunnel)).await.unwrap();
    timeout(PATIENCE, read_all(&mut waiting)).await.unwrap();
    let records = [world.record().await, world.record().await];
    assert!(records.iter().any(|record| record.scheme == "tunnel" && record.bytes_up > 0), "{records:?}");
    assert!(TcpStream::connect(way.at).await.is_err());
}
