//! Bodies that are read and written while the other side still works on them.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use futures_util::stream;
use server::http_client::SseReader;
use tokio::sync::{Notify, mpsc};

use super::servers::{Connection, Server, answer};
use super::{LIMITS, client, get, post};

#[tokio::test]
async fn an_answer_is_read_while_the_server_still_makes_it() {
    let read = Arc::new(Notify::new());
    let go_on = Arc::clone(&read);
    let server = Server::start(async move |mut connection: Connection| {
        connection.request().await;
        connection.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await;
        for number in 1..=3 {
            connection.write(&format!("data: {number}\n\n")).await;
            // The next one is made when this one was read.
            go_on.notified().await;
        }
    })
    .await;
    let response = client().send(get(&server.url("/")), LIMITS).await.unwrap();
    let mut events = SseReader::new(response.into_body(), 1 << 10);
    let mut heard = Vec::new();
    while let Some(event) = events.next().await.unwrap() {
        heard.push(event.data);
        read.notify_one();
    }
    assert_eq!(heard, ["1", "2", "3"]);
}

#[tokio::test]
async fn a_request_is_sent_while_it_is_still_being_made() {
    let (tell, mut arrived) = mpsc::unbounded_channel();
    let server = Server::start(async move |mut connection: Connection| {
        let head = connection.request().await;
        assert_eq!(head.header("transfer-encoding"), Some("chunked"));
        // A chunk is a line with its size, and its bytes; the last is empty.
        while connection.line().await.unwrap() != "0" {
            tell.send(connection.line().await.unwrap()).unwrap();
        }
        connection.write(&answer("thanks")).await;
    })
    .await;
    let (make, made) = mpsc::unbounded_channel::<Bytes>();
    let pieces =
        stream::unfold(
            made,
            |mut made| async move { Some((Ok::<Bytes, Infallible>(made.recv().await?), made)) },
        );
    let url = server.url("/");
    let sending =
        tokio::spawn(async move { client().fetch(post(&url, Body::from_stream(pieces)), LIMITS).await });
    for piece in ["one", "two"] {
        make.send(Bytes::from(piece)).unwrap();
        assert_eq!(arrived.recv().await.unwrap(), piece);
    }
    drop(make);
    assert_eq!(sending.await.unwrap().unwrap().body, "thanks");
}
