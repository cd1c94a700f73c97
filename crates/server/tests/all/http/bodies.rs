//! Bodies: nothing is read of one before its caller is judged, and what is large goes through a file.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_util::stream;
use model::access::token::TokenRole;
use serde_json::{Value, json};
use server::http::HttpConfig;
use store::testing::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::access::{TABLE, address};
use super::asking::{ADD, Asker, read, token};
use super::listening::listen;
use crate::engine::script::Stage;

/// What these do it to stands in their bodies, so of whoever has the role they are read.
const NAMED_IN_THE_BODY: [&str; 8] = [
    "/api/v1/changesets",
    "/api/v1/changesets/register",
    "/api/v1/runs",
    "/api/v1/tests",
    "/api/v1/tests/mutants",
    "/api/v1/warm",
    "/autogpt/api/graphs",
    "/autogpt/api/templates",
];

const CHUNK: usize = 16 << 10;

/// A body without an end that counts what is taken of it.
fn endless() -> (Body, Arc<AtomicUsize>) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let chunks = stream::repeat_with(move || {
        counted.fetch_add(CHUNK, Ordering::SeqCst);
        Ok::<Bytes, Infallible>(Bytes::from_static(&[b' '; CHUNK]))
    });
    (Body::from_stream(chunks), taken)
}

fn small() -> HttpConfig {
    HttpConfig { body_bytes: 4 * CHUNK, upload_bytes: 64 * CHUNK, ..HttpConfig::default() }
}

fn headers(bearer: &str) -> Vec<(&str, &str)> {
    let mut headers = vec![("host", "localhost"), ("content-type", "application/json")];
    if !bearer.is_empty() {
        headers.push(("authorization", bearer));
    }
    headers
}

fn pack(text: &str) -> Value {
    json!({ "name": "p", "files": [{ "path": "p.py", "text": text }] })
}

/// With so much of a comment that it does not stay in memory.
fn large_pack() -> Value {
    let decorated = "import selfmade\n\n\n@selfmade.function()\ndef big(): pass\n";
    pack(&format!("{decorated}# {}\n", "x".repeat(8 * CHUNK)))
}

store::on_both! {
    async fn nothing_is_read_of_a_body_whose_sender_is_refused(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD, "def sink(x=None): pass\n"]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap().run_id;
        super::hooks::wait_for(&stage, "add", "sink", None).await;
        let asker = Asker::with(&stage, small()).await;
        let mut bearers = vec![("nobody", String::new()), ("admin", format!("Bearer {}", asker.token))];
        for role in [TokenRole::Viewer, TokenRole::Runner, TokenRole::Builder] {
            bearers.push((role.as_str(), format!("Bearer {}", token(&stage, role.as_str(), role, &[]).await)));
        }
        bearers.push(("other", format!("Bearer {}", token(&stage, "other", TokenRole::Admin, &["mail.*"]).await)));
        let mut refused = 0;
        for line in TABLE.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (method, path) = (words[0], words[1]);
            for word in &words[2..] {
                let (kind, verdict) = word.split_once('=').unwrap();
                if verdict == "yes" || (kind == "other" && NAMED_IN_THE_BODY.contains(&path)) {
                    continue;
                }
                let bearer = &bearers.iter().find(|(known, _)| *known == kind).unwrap().1;
                let (body, taken) = endless();
                let response = asker.request(method, &address(path, run), &headers(bearer), body).await;
                assert_eq!(taken.load(Ordering::SeqCst), 0, "{method} {path} as {kind}: {}", response.status());
                refused += 1;
            }
        }
        assert!(refused > 150, "{refused}");
        stage.close().await;
    }

    async fn no_more_is_read_of_a_body_than_it_may_have(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::with(&stage, small()).await;
        let bearer = format!("Bearer {}", asker.token);
        for (path, most) in [("/api/v1/runs", small().body_bytes), ("/api/v1/packs", small().upload_bytes)] {
            let (body, taken) = endless();
            let answer = read(asker.request("POST", path, &headers(&bearer), body).await).await;
            assert_eq!(answer.code(), "too_large", "{path}");
            assert!(taken.load(Ordering::SeqCst) <= most + 2 * CHUNK, "{path}: {taken:?}");
        }
        let far = format!("{}", small().upload_bytes + 1);
        let stated = [headers(&bearer), vec![("content-length", far.as_str())]].concat();
        let (body, taken) = endless();
        let stated = asker.request("POST", "/api/v1/secrets/x", &stated, body).await;
        assert_eq!((stated.status(), taken.load(Ordering::SeqCst)), (StatusCode::METHOD_NOT_ALLOWED, 0));
        assert_eq!(stated.headers()["connection"], "close", "what is not read ends the connection");
        stage.close().await;
    }

    async fn a_large_upload_goes_through_a_file_of_which_nothing_stays(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::with(&stage, small()).await;
        let loaded = asker.post("/api/v1/packs", large_pack()).await;
        assert_eq!(loaded.status, StatusCode::OK, "{loaded:?}");
        let uploads = stage.home().join("uploads");
        assert!(uploads.is_dir(), "it was too large for memory");
        assert_eq!(std::fs::read_dir(uploads).unwrap().count(), 0);
        stage.close().await;
    }

    async fn only_so_many_uploads_are_taken_at_once(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let config = HttpConfig { uploads: 1, body_timeout: Duration::from_millis(100), ..small() };
        let asker = Arc::new(Asker::with(&stage, config).await);
        let bearer = format!("Bearer {}", asker.token);
        // The first has its place and does not send.
        let (sender, slow) = tokio::sync::mpsc::channel::<Result<Bytes, Infallible>>(1);
        let slow = Body::from_stream(stream::unfold(slow, |mut slow| async move { Some((slow.recv().await?, slow)) }));
        let (first, key) = (Arc::clone(&asker), bearer.clone());
        let first = tokio::spawn(async move { read(first.request("POST", "/api/v1/packs", &headers(&key), slow).await).await });
        sender.send(Ok(Bytes::from_static(b" "))).await.unwrap();
        sender.reserve().await.unwrap();
        let (body, taken) = endless();
        let second = read(asker.request("POST", "/api/v1/packs", &headers(&bearer), body).await).await;
        assert_eq!((second.status, second.code(), second.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, "too_many_uploads", "10"));
        assert_eq!(taken.load(Ordering::SeqCst), 0);
        sender.send(Ok(pack("").to_string().into())).await.unwrap();
        drop(sender);
        assert_ne!(first.await.unwrap().status, StatusCode::SERVICE_UNAVAILABLE);
        let third = asker.post("/api/v1/packs", large_pack()).await;
        assert_eq!(third.status, StatusCode::OK, "the place is free again: {third:?}");
        stage.close().await;
    }

    async fn only_so_many_large_bodies_of_one_caller_are_taken_at_once(database: &TestDatabase) {
        const AT_ONCE: usize = 4;
        let stage = Stage::open(database).await;
        let asker = Arc::new(Asker::of(&stage).await);
        let narrow = format!("Bearer {}", token(&stage, "narrow", TokenRole::Builder, &["web.*"]).await);
        let mut senders = Vec::new();
        let mut first = Vec::new();
        for _ in 0..AT_ONCE {
            let (sender, slow) = tokio::sync::mpsc::channel::<Result<Bytes, Infallible>>(1);
            let slow = Body::from_stream(stream::unfold(slow, |mut slow| async move { Some((slow.recv().await?, slow)) }));
            let (asker, key) = (Arc::clone(&asker), narrow.clone());
            first.push(tokio::spawn(async move {
                read(asker.request("POST", "/api/v1/runs", &headers(&key), slow).await).await
            }));
            // It has its place once its body is taken.
            sender.send(Ok(Bytes::from_static(b" "))).await.unwrap();
            sender.reserve().await.unwrap();
            senders.push(sender);
        }
        let admin = format!("Bearer {}", asker.token);
        let (body, _) = endless();
        let other = read(asker.request("POST", "/api/v1/runs", &headers(&admin), body).await).await;
        assert_eq!(other.code(), "too_large", "another caller has places of its own");
        let (body, taken) = endless();
        let (again, key) = (Arc::clone(&asker), narrow.clone());
        let one_more = tokio::spawn(async move { read(again.request("POST", "/api/v1/runs", &headers(&key), body).await).await });
        for _ in 0..20 {
            let small = r#"{"function": "mail.send"}"#.to_owned();
            let small = asker.send("POST", "/api/v1/runs", &headers(&narrow), small).await;
            assert_eq!(small.status, StatusCode::FORBIDDEN, "a small body needs no place");
        }
        assert_eq!(taken.load(Ordering::SeqCst), 0, "it waits for a place");
        drop(senders);
        assert_eq!(one_more.await.unwrap().code(), "too_large", "it has one");
        for first in first {
            assert_eq!(first.await.unwrap().code(), "bad_json");
        }
        stage.close().await;
    }

    async fn over_a_socket_a_refusal_does_not_wait_for_the_body(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let token = token(&stage, "v", TokenRole::Viewer, &[]).await;
        let listening = listen(&stage, HttpConfig::default()).await;
        let head = format!(
            "POST /api/v1/packs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n"
        );
        let mut stream = TcpStream::connect(listening.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
        // Whoever sends all the same cannot get rid of it: what the kernel holds is all that arrives.
        let mut stream = TcpStream::connect(listening.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut sent = 0;
        while stream.write_all(&[b' '; CHUNK]).await.is_ok() {
            sent += CHUNK;
        }
        assert!(sent < 32 << 20, "{sent} bytes were taken");
        stage.close().await;
    }
}
