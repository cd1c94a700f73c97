//! `/metrics`, as Prometheus would read it.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use model::access::token::TokenRole;
use serde_json::json;
use store::testing::TestDatabase;

use super::asking::{ADD, Asker, token};
use crate::engine::script::{Stage, raised};

/// The series by name and labels. Refuses what is not the format: a line before its head, a series twice, a value that is none.
fn series(text: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    let mut head = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            head = rest.split(' ').next().unwrap().to_owned();
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(name == head && ["counter", "gauge", "histogram"].contains(&kind), "{line}");
        } else {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(&head), "{line} is not under its head");
            assert!(found.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{line} is there twice");
        }
    }
    found
}

store::on_both! {
    async fn what_happened_is_counted(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD, "def fail(): pass\n"]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        stage.script.part("fail", |_, _| async { Err(raised("ValueError", "no")) });
        let asker = Asker::of(&stage).await;
        asker.post("/api/v1/runs", json!({ "function": "add", "input": { "a": 1, "b": 2 } })).await;
        asker.post("/api/v1/runs", json!({ "function": "fail" })).await;
        stage.queue("add", json!({ "a": 1, "b": 2 })).await;
        for place in ["a", "b"] {
            assert_eq!(asker.get(&format!("/nowhere/{place}")).await.status, StatusCode::NOT_FOUND);
        }
        asker.knock("BREW", "/nowhere", &[("host", "localhost")], None).await;
        let answer = asker.get("/metrics").await;
        assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
        let text = answer.json.as_str().unwrap();
        let found = series(text);
        let is = |name: &str, value: f64| assert_eq!(found.get(name), Some(&value), "{name} in {text}");
        is("selfmade_runs_begun_total", 2.0);
        is("selfmade_runs_ended_total{state=\"succeeded\"}", 1.0);
        is("selfmade_runs_ended_total{state=\"failed\"}", 1.0);
        is("selfmade_cells_ended_total{ending=\"returned\"}", 1.0);
        is("selfmade_cells_ended_total{ending=\"raised\"}", 1.0);
        is("selfmade_run_seconds_count", 2.0);
        is("selfmade_runs{state=\"queued\"}", 1.0);
        is("selfmade_http_requests_total{route=\"/api/v1/runs\",method=\"POST\",status=\"200\"}", 2.0);
        is("selfmade_http_requests_total{route=\"(none)\",method=\"GET\",status=\"404\"}", 2.0);
        is("selfmade_http_requests_total{route=\"(none)\",method=\"other\",status=\"404\"}", 1.0);
        assert!(found["selfmade_events_behind"] >= 3.0 && found["selfmade_store_batches_total"] >= 3.0, "{text}");
        assert!(!text.contains("add") && !text.contains("nowhere"), "names are no labels: {text}");
        stage.close().await;
    }

    async fn a_run_from_the_queue_is_timed_from_when_it_was_due(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[ADD]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        stage.queue("add", json!({ "a": 1, "b": 2 })).await;
        stage.ctx.clock.advance(std::time::Duration::from_secs(7));
        assert_eq!(server::engine::round(&stage.ctx).await.unwrap(), 1);
        stage.settle().await;
        let asker = Asker::of(&stage).await;
        let answer = asker.get("/metrics").await;
        let found = series(answer.json.as_str().unwrap());
        assert_eq!(found["selfmade_run_queue_seconds_bucket{le=\"5\"}"], 0.0);
        assert_eq!((found["selfmade_run_queue_seconds_bucket{le=\"10\"}"], found["selfmade_run_queue_seconds_sum"]), (1.0, 7.0));
        stage.close().await;
    }

    async fn metrics_take_a_token_for_the_whole_brain(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let mut asker = Asker::of(&stage).await;
        asker.token = token(&stage, "prometheus", TokenRole::Viewer, &[]).await;
        assert_eq!(asker.get("/metrics").await.status, StatusCode::OK);
        asker.token = token(&stage, "narrow", TokenRole::Admin, &["web.*"]).await;
        assert_eq!(asker.get("/metrics").await.code(), "forbidden");
        assert_eq!(asker.bare("GET", "/metrics", &[("host", "localhost")], None).await.code(), "unauthorized");
        stage.close().await;
    }
}
