//! Connections that are used again, and what happens when the server closes one.

use std::sync::Arc;

use tokio::sync::Notify;

use super::servers::{Connection, Server, answer};
use super::{LIMITS, client, get, post};

/// Answers whatever comes, with the body that came.
async fn echo(mut connection: Connection) {
    while let Some(request) = connection.try_request().await {
        connection.write(&answer(&String::from_utf8_lossy(&request.body))).await;
    }
}

#[tokio::test]
async fn requests_one_after_the_other_share_a_connection() {
    let mut server = Server::start(echo).await;
    let client = client();
    for body in ["one", "two", "three"] {
        let answer = client.fetch(post(&server.url("/"), body), LIMITS).await.unwrap();
        assert_eq!(answer.body, body);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_nobody_used_it_is_replaced() {
    let closed = Arc::new(Notify::new());
    let close = Arc::clone(&closed);
    let mut server = Server::start(async move |mut connection: Connection| {
        let request = connection.request().await;
        connection.write(&answer(&String::from_utf8_lossy(&request.body))).await;
        connection.close().await;
        close.notify_one();
    })
    .await;
    let client = client();
    // Whatever it is: it was not sent on the old connection, so sending it on a new one is safe.
    for body in ["one", "two", "three"] {
        let answer = client.fetch(post(&server.url("/"), body), LIMITS).await.unwrap();
        assert_eq!(answer.body, body);
        closed.notified().await;
    }
    assert_eq!(server.connections(), 3);
}

/// Answers one request, takes another on the same connection, and closes it without an answer.
async fn answers_once(mut connection: Connection) {
    connection.request().await;
    connection.write(&answer("first")).await;
    connection.request().await;
    connection.reset();
}

#[tokio::test]
async fn a_request_that_changes_nothing_is_repeated_when_its_connection_is_closed() {
    let mut server = Server::start(answers_once).await;
    let client = client();
    for _ in 0..2 {
        assert_eq!(client.fetch(get(&server.url("/")), LIMITS).await.unwrap().body, "first");
    }
    assert_eq!(server.connections(), 2, "the second request was sent on both");
}

#[tokio::test]
async fn a_request_that_may_have_been_acted_on_is_not_repeated() {
    let mut server = Server::start(answers_once).await;
    let client = client();
    assert_eq!(client.fetch(post(&server.url("/"), "1"), LIMITS).await.unwrap().body, "first");
    let error = client.fetch(post(&server.url("/"), "2"), LIMITS).await.unwrap_err();
    assert!(matches!(error, server::http_client::HttpError::Closed { .. }), "{error:?}");
    assert_eq!(server.connections(), 1);
}
