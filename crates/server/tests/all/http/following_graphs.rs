//! What a follower of a graph sees: each node as it begins, each value that leaves it, and its end, live and after a reconnection.

use std::sync::Arc;

use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::sync::Notify;

use super::asking::{Asker, open};
use super::streaming::Stream;
use crate::engine::graphs::graph;
use crate::engine::script::{Stage, function};

/// What is told, in a few words.
fn word((_, kind, data): &(String, String, Value)) -> String {
    match kind.as_str() {
        "state" => data["state"].as_str().unwrap().to_owned(),
        "node" => format!("{} {}", data["node"].as_str().unwrap(), data["state"].as_str().unwrap()),
        "output" => format!(
            "{}.{} = {}",
            data["node"].as_str().unwrap(),
            data["pin"].as_str().unwrap(),
            data["value"]
        ),
        kind => kind.to_owned(),
    }
}

/// `slow` waits for the bell beside `in`, `add` and `out`.
async fn staged(database: &TestDatabase) -> (Stage, Asker, Arc<Notify>) {
    let (stage, asker) = open(database).await;
    stage.add(&[&function("slow", "n")]).await;
    let bell = Arc::new(Notify::new());
    let waits = Arc::clone(&bell);
    stage.script.part("slow", move |_, _| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Ok("done".into())
        }
    });
    let mut content = graph(
        &[
            ("in", "@input", json!({"name": "n"})),
            ("slow", "slow", json!({})),
            ("sum", "add", json!({"b": 1})),
            ("out", "@output", json!({"name": "out"})),
        ],
        &["in.output -> slow.n", "in.output -> sum.a", "sum.output -> out.value"],
    );
    content.as_object_mut().unwrap().shift_remove("kind");
    asker.put("/api/v1/graphs/both", json!({ "graph": content })).await;
    (stage, asker, bell)
}

async fn until(stream: &mut Stream, last: &str) -> (Vec<String>, String) {
    let (mut words, mut place) = (Vec::new(), String::new());
    while let Some(told) = stream.next().await {
        words.push(word(&told));
        place = told.0;
        if words.last().is_some_and(|word| word == last) {
            break;
        }
    }
    (words, place)
}

store::on_both! {
    async fn every_node_is_reported_as_it_begins_gives_values_and_ends(database: &TestDatabase) {
        let (stage, asker, bell) = staged(database).await;
        stage.work();
        let run = stage.queue("both", json!({ "n": 2 })).await.run_id;
        let path = format!("/api/v1/runs/{run}/stream");
        let mut stream = Stream::open(&asker, &path, &[]).await;
        // A node that goes on holds up nothing of what is told of others.
        let (words, place) = until(&mut stream, "out succeeded").await;
        let at = |words: &[String], wanted: &str| words.iter().position(|word| word == wanted).unwrap_or_else(|| panic!("{wanted} in {words:?}"));
        for pair in [["in running", "in succeeded"], ["in succeeded", "slow running"], ["in.output = 2", "sum running"], ["sum running", "sum.output = 3"], ["sum.output = 3", "sum succeeded"], ["sum succeeded", "out running"]] {
            assert!(at(&words, pair[0]) < at(&words, pair[1]), "{pair:?} in {words:?}");
        }
        assert!(!words.iter().any(|word| word == "slow succeeded"));
        drop(stream);
        bell.notify_one();
        stage.until(run, model::run::RunState::Succeeded).await;
        // Whoever comes back goes on without a gap and without a repeat.
        let mut again = Stream::open(&asker, &path, &[("last-event-id", &place)]).await;
        let (rest, _) = until(&mut again, "succeeded").await;
        assert_eq!(rest, ["slow.output = \"done\"", "slow succeeded", "succeeded"]);
        assert_eq!(again.next().await, None);
        // From any place on the rest is the same as at the first time.
        let mut whole = Stream::open(&asker, &path, &[]).await;
        let mut all = Vec::new();
        while let Some(told) = whole.next().await {
            all.push((told.0.clone(), word(&told)));
        }
        for at in 0..all.len() - 1 {
            let mut part = Stream::open(&asker, &path, &[("last-event-id", &all[at].0)]).await;
            let mut told = Vec::new();
            while let Some(event) = part.next().await {
                told.push(word(&event));
            }
            let mut expected: Vec<String> = all[at + 1..].iter().map(|(_, word)| word.clone()).collect();
            // Begins of a batch are told before the journal that follows them, so only what is told counts, not when.
            expected.sort();
            told.sort();
            assert_eq!(told, expected, "after {}", all[at].1);
        }
        stage.close().await;
    }

    async fn many_executions_are_reported_page_by_page(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let content = json!({
            "nodes": [
                {"id": "in", "block": "@input", "input": {"name": "items"}},
                {"id": "each", "block": "@iterate"},
                {"id": "store", "block": "@store"},
                {"id": "all", "block": "@collect"},
                {"id": "out", "block": "@output", "input": {"name": "out"}},
            ],
            "links": [
                {"from": "in", "from_pin": "output", "to": "each", "to_pin": "items"},
                {"from": "each", "from_pin": "item", "to": "store", "to_pin": "input"},
                {"from": "store", "from_pin": "output", "to": "all", "to_pin": "item"},
                {"from": "all", "from_pin": "output", "to": "out", "to_pin": "value"},
            ],
        });
        let put = asker.put("/api/v1/graphs/many", json!({ "graph": content })).await;
        assert_eq!(put.status, axum::http::StatusCode::OK, "{put:?}");
        let items: Vec<u32> = (0..700).collect();
        let run = stage.start("many", json!({ "items": items })).await.unwrap();
        let mut stream = Stream::open(&asker, &format!("/api/v1/runs/{}/stream", run.run_id), &[]).await;
        let (mut begun, mut ended, mut outputs) = (0, 0, 0);
        while let Some((_, kind, data)) = stream.next().await {
            match (kind.as_str(), data["state"].as_str(), data["node"].as_str()) {
                ("node", Some("running"), Some("store")) => begun += 1,
                ("node", Some("succeeded"), Some("store")) => ended += 1,
                ("output", _, Some("store")) => outputs += 1,
                _ => {}
            }
        }
        assert_eq!((begun, ended, outputs), (700, 700, 700));
        stage.close().await;
    }
}
