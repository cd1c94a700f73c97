//! Streams end with the token or the session they were opened with; the work they tell of goes on.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::http::StatusCode;
use model::access::token::TokenRole;
use model::ids::RunId;
use model::run::RunState;
use serde_json::{Value, json};
use server::app::{runs, schedules, sessions, tokens};
use store::testing::TestDatabase;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::asking::{ADD, Answer, Asker, read, token};
use crate::engine::script::Stage;
use crate::world::ME;

/// Every route that answers with a stream, and what makes it one.
const STREAMS: [(&str, &str); 8] = [
    ("GET", "/api/v1/events"),
    ("GET", "/api/v1/runs/endings"),
    ("GET", "/api/v1/runs/{run_id}/stream"),
    ("POST", "/api/v1/runs"),
    ("POST", "/api/v1/runs/{run_id}/rerun"),
    ("POST", "/api/v1/runs/{run_id}/replay"),
    ("POST", "/api/v1/schedules/{name}/run"),
    ("POST", "/api/v1/warm"),
];

fn body(path: &str) -> Option<Value> {
    match path {
        "/api/v1/runs" => Some(json!({ "function": "add", "input": { "a": 1, "b": 2 } })),
        "/api/v1/warm" => Some(json!({ "names": ["add"] })),
        _ => None,
    }
}

/// A brain whose `add` never ends, with a run of it that ended before, one that goes on, and a schedule for it.
async fn open(database: &TestDatabase) -> (Stage, Arc<Asker>, RunId, RunId) {
    let stage = Stage::open(database).await;
    stage.add(&[ADD]).await;
    stage.script.part("add", |_, _| async { Ok(3.into()) });
    let ended = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap().run_id;
    stage.script.part("add", |_, _| std::future::pending());
    stage.script.never_ready.store(true, Ordering::SeqCst);
    let content = json!({ "times": { "cron": "0 9 * * *" }, "target": "add", "input": { "a": 1, "b": 2 } });
    schedules::put(&stage.ctx, &ME, "daily".parse().unwrap(), serde_json::from_value(content).unwrap())
        .await
        .unwrap();
    let going_on = stage.queue("add", json!({ "a": 1, "b": 2 })).await.run_id;
    stage.work();
    stage.until(going_on, RunState::Running).await;
    let asker = Arc::new(Asker::of(&stage).await);
    (stage, asker, ended, going_on)
}

/// Asks on a task of its own, and reads until the answer ends. The second value arrives once the stream is open.
fn listen(
    asker: &Arc<Asker>,
    method: &'static str,
    path: String,
    credential: (&'static str, String),
) -> (JoinHandle<Answer>, oneshot::Receiver<()>) {
    let asker = Arc::clone(asker);
    let (opened, is_open) = oneshot::channel();
    let listening = tokio::spawn(async move {
        let headers = [
            ("host", "localhost"),
            ("accept", "text/event-stream"),
            ("origin", "http://localhost"),
            (credential.0, credential.1.as_str()),
        ];
        let what = body(path.as_str());
        let answer = asker.knock(method, &path, &headers, what).await;
        // Not every test waits for the head of the answer.
        let _ = opened.send(());
        read(answer).await
    });
    (listening, is_open)
}

/// Lets every task do what it can without time passing.
async fn settled() {
    for _ in 0..20_000 {
        tokio::task::yield_now().await;
    }
}

/// Moves the clock until it ends, but not while a call to the database is under way. What the listener looks at may have been read just
/// before, so once may not be enough.
async fn ends(stage: &Stage, listening: JoinHandle<Answer>) -> Answer {
    while !listening.is_finished() {
        stage.ctx.store.quiet().await;
        stage.ctx.clock.advance(Duration::from_secs(5));
        settled().await;
    }
    listening.await.unwrap()
}

store::on_both! {
    async fn every_stream_ends_with_its_token(database: &TestDatabase) {
        let (stage, asker, ended, going_on) = open(database).await;
        for (number, (method, path)) in STREAMS.into_iter().enumerate() {
            let name = format!("t{number}");
            let bearer = format!("Bearer {}", token(&stage, &name, TokenRole::Admin, &[]).await);
            let run = if path.ends_with("/stream") { going_on } else { ended };
            let address = path.replace("{run_id}", &run.to_string()).replace("{name}", "daily");
            let executed = stage.executions();
            let (listening, _) = listen(&asker, method, address, ("authorization", bearer));
            while !is_begun(&stage, path, executed) {
                tokio::task::yield_now().await;
            }
            settled().await;
            stage.ctx.clock.advance(Duration::from_secs(60));
            settled().await;
            assert!(!listening.is_finished(), "{method} {path} ends while its token is valid");
            tokens::remove(&stage.ctx, &ME, &name).await.unwrap();
            let answer = ends(&stage, listening).await;
            assert!(!answer.json.to_string().contains("event: done"), "{method} {path}: {answer:?}");
        }
        let run = runs::get(&stage.ctx, &ME, going_on).await.unwrap();
        assert_eq!(run.state, RunState::Running, "the run that was looked on at goes on");
        stage.close().await;
    }

    async fn whoever_waits_for_a_run_is_told_nothing_of_it_without_a_token(database: &TestDatabase) {
        let (stage, asker, ..) = open(database).await;
        for (name, path) in [("a", "/api/v1/runs"), ("b", "/babyagi/api/execute/add")] {
            let bearer = format!("Bearer {}", token(&stage, name, TokenRole::Runner, &[]).await);
            let executed = stage.executions();
            let (waiting, body) = (Arc::clone(&asker), body(path).unwrap_or(json!({ "a": 1, "b": 2 })));
            let waiting = tokio::spawn(async move {
                let headers = [("host", "localhost"), ("authorization", bearer.as_str()), ("prefer", "wait=3600")];
                waiting.bare("POST", path, &headers, Some(body)).await
            });
            while stage.executions() == executed {
                tokio::task::yield_now().await;
            }
            tokens::remove(&stage.ctx, &ME, name).await.unwrap();
            let answer = ends(&stage, waiting).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{answer:?}");
        }
        stage.close().await;
    }

    async fn a_stream_ends_with_its_session(database: &TestDatabase) {
        let (stage, asker, ..) = open(database).await;
        let path = asker.door.sign_in_path().unwrap();
        let signed_in = asker.bare("GET", &path, &[("host", "localhost")], None).await;
        let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
        let (listening, is_open) = listen(&asker, "GET", "/api/v1/events".to_owned(), ("cookie", cookie));
        is_open.await.unwrap();
        settled().await;
        assert!(!listening.is_finished());
        let all = sessions::list(&stage.ctx, &ME).await.unwrap();
        sessions::end(&stage.ctx, &ME, &all[0].name).await.unwrap();
        assert_eq!(ends(&stage, listening).await.status, StatusCode::OK);
        stage.close().await;
    }
}

/// Whether what the stream tells of has begun.
fn is_begun(stage: &Stage, path: &str, executed: usize) -> bool {
    match path {
        "/api/v1/runs"
        | "/api/v1/runs/{run_id}/rerun"
        | "/api/v1/runs/{run_id}/replay"
        | "/api/v1/schedules/{name}/run" => stage.executions() > executed,
        "/api/v1/warm" => stage.script.prepared.load(Ordering::SeqCst) > 0,
        _ => true,
    }
}

#[test]
fn every_stream_of_the_description_is_among_those_that_end() {
    let document = serde_json::to_value(server::http::document()).unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let streams = operation["responses"]["200"]["content"].get("text/event-stream").is_some();
            let route = (method.to_uppercase(), path.as_str());
            let is_listed =
                STREAMS.iter().any(|(method, path)| (*method, *path) == (route.0.as_str(), route.1));
            assert!(
                !streams || is_listed,
                "{route:?} streams, and nothing shows that it ends with its token"
            );
        }
    }
}
