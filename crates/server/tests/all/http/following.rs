//! A run's own stream. The clock stands, so nothing here is seen by looking again after a while: what happens has to ring.

use std::sync::Arc;

use model::run::RunState;
use serde_json::Value;
use store::testing::TestDatabase;
use tokio::sync::Notify;

use super::asking::Asker;
use super::streaming::Stream;
use crate::engine::script::{Stage, empty, function};

/// A stage with a function that prints, calls and emits, waits for the bell, and prints again.
async fn open(database: &TestDatabase) -> (Stage, Asker, Arc<Notify>) {
    let stage = Stage::open(database).await;
    stage.add(&[&function("talks", "")]).await;
    let bell = Arc::new(Notify::new());
    let waits = Arc::clone(&bell);
    stage.script.part("talks", move |_, asking| {
        let waits = Arc::clone(&waits);
        async move {
            asking.print("a");
            asking.call_begins(1);
            asking.verb("emit", vec![sandbox::Value::Str("x".to_owned())]).await.unwrap();
            waits.notified().await;
            asking.call_ends(1);
            asking.call(2);
            asking.print("b");
            Ok(1.into())
        }
    });
    let asker = Asker::of(&stage).await;
    (stage, asker, bell)
}

/// What is told, in a word each.
fn word((_, kind, data): &(String, String, Value)) -> String {
    match kind.as_str() {
        "state" => data["state"].as_str().unwrap().to_owned(),
        "printed" => data["text"].as_str().unwrap().to_owned(),
        "step" => data["verb"].as_str().unwrap().to_owned(),
        _ => format!("call {} {}", data["position"], data["duration_us"]),
    }
}

async fn words(stream: &mut Stream, until: &str) -> Vec<String> {
    let mut words = Vec::new();
    while let Some(told) = stream.next().await {
        words.push(word(&told));
        if words.last().is_some_and(|last| last == until) {
            break;
        }
    }
    words
}

store::on_both! {
    async fn a_run_that_goes_on_here_is_reported_as_it_happens(database: &TestDatabase) {
        let (stage, asker, bell) = open(database).await;
        let run = stage.queue("talks", empty()).await;
        let mut stream = Stream::open(&asker, &format!("/api/v1/runs/{}/stream", run.run_id), &[]).await;
        assert_eq!(words(&mut stream, "queued").await, ["queued"]);
        stage.work();
        let mut begun = words(&mut stream, "emit").await;
        // Whether the step or the print is seen first is chance.
        while begun.len() < 4 {
            begun.push(word(&stream.next().await.unwrap()));
        }
        begun.sort();
        assert_eq!(begun, ["a", "call 1 null", "emit", "running"]);
        bell.notify_one();
        let mut ended = words(&mut stream, "succeeded").await;
        assert_eq!(ended.pop().as_deref(), Some("succeeded"));
        ended.sort();
        assert_eq!(ended, ["b", "call 1 7", "call 2 7"]);
        assert_eq!(stream.next().await, None);
        stage.close().await;
    }

    async fn a_stream_of_a_run_goes_on_where_it_broke_off(database: &TestDatabase) {
        let (stage, asker, bell) = open(database).await;
        let run = stage.queue("talks", empty()).await;
        let path = format!("/api/v1/runs/{}/stream", run.run_id);
        bell.notify_one();
        stage.work();
        stage.until(run.run_id, RunState::Succeeded).await;
        let mut whole = Stream::open(&asker, &path, &[]).await;
        let mut all = Vec::new();
        while let Some(told) = whole.next().await {
            all.push(told);
        }
        let told: Vec<String> = all.iter().map(word).collect();
        assert_eq!(told, ["emit", "ab", "call 1 7", "call 2 7", "succeeded"]);
        for seen in 0..all.len() {
            let mut rest = Stream::open(&asker, &path, &[("last-event-id", &all[seen].0)]).await;
            assert_eq!(words(&mut rest, "").await, told[seen + 1..], "after {}", told[seen]);
        }
        let mut rest = Stream::open(&asker, &format!("{path}?after={}", all[3].0), &[]).await;
        assert_eq!(words(&mut rest, "").await, ["succeeded"]);
        let wrong = asker.ask("GET", &path, &[("last-event-id", "7")], None).await;
        assert_eq!(wrong.json["error"]["message"], "`7` is not a position in this stream");
        stage.close().await;
    }

    async fn whoever_does_not_read_slows_nobody_and_misses_nothing(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("floods", "")]).await;
        stage.script.part("floods", |_, asking| async move {
            for line in 0..20_000 {
                asking.print(&format!("line {line}\n"));
            }
            Ok(1.into())
        });
        let asker = Asker::of(&stage).await;
        let run = stage.queue("floods", empty()).await;
        let mut stream = Stream::open(&asker, &format!("/api/v1/runs/{}/stream", run.run_id), &[]).await;
        assert_eq!(words(&mut stream, "queued").await, ["queued"]);
        stage.work();
        stage.until(run.run_id, RunState::Succeeded).await;
        let told = words(&mut stream, "succeeded").await;
        let printed: String = told.into_iter().filter(|word| word.starts_with('l') || word.contains('\n')).collect();
        let expected: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
        assert!(printed == expected, "{} bytes of {}", printed.len(), expected.len());
        stage.close().await;
    }
}
