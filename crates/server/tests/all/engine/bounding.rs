//! Bounds: what one run can make the server store is bounded, and the function reads why.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::content::Content;
use model::input::json_size::json_size;
use model::run::RunState;
use model::run::bounds::RunBounds;
use model::run::retention::RetentionPolicy;
use model::trigger::TriggerContent;
use sandbox::{HostError, Value};
use serde_json::json;
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::operations::retention;
use server::app::runs::{replay, resume};
use server::app::{changesets, runs};
use server::triggers;
use store::on_both;
use store::testing::TestDatabase;

use super::graphs::{graph, put};
use super::script::{Stage, empty, function, raised};
use crate::world::{ME, name};

const MEGABYTE: usize = 1 << 20;

async fn bounded(database: &TestDatabase, bounds: RunBounds) -> Stage {
    let stage = Stage::configured(database, |config| config.engine.bounds = bounds).await;
    stage.add(&[&function("f", "")]).await;
    stage
}

fn refusal(answer: Result<Value, HostError>) -> String {
    match answer.unwrap_err() {
        HostError::Refused(why) | HostError::Failed(why) | HostError::Exhausted(why) => why,
    }
}

/// What the events of functions and the journals of all runs take in the database.
async fn stored_bytes(stage: &Stage) -> u64 {
    let events = stage.ctx.store.events_after(0, 10_000).await.unwrap();
    let custom = events.iter().filter(|event| event.fact.kind.to_string().starts_with("custom."));
    let mut bytes: u64 = custom.map(json_size).sum();
    for run in stage.ctx.store.runs(&Default::default(), 1_000).await.unwrap() {
        bytes += stage.ctx.store.steps(run.run_id).await.unwrap().iter().map(json_size).sum::<u64>();
    }
    bytes
}

on_both! {
    async fn events_that_are_too_large_are_refused_and_leave_next_to_nothing(database: &TestDatabase) {
        let stage = bounded(database, RunBounds::default()).await;
        stage.script.part("f", |_, host| async move {
            let mut why = String::new();
            for _ in 0..6 {
                let data = Value::Str("x".repeat(4 * MEGABYTE));
                why = refusal(host.verb("emit", vec!["large".into(), data]).await);
            }
            Ok(Value::Str(why))
        });
        let run = stage.start("f", empty()).await.unwrap();
        let why = run.output.unwrap();
        let why = why.as_str().unwrap();
        for part in ["4194", "262144", "`event_bytes`", "`files.write`"] {
            assert!(why.contains(part), "`{part}` is not in: {why}");
        }
        assert!(stored_bytes(&stage).await < 64 << 10, "{} bytes", stored_bytes(&stage).await);
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
    }

    async fn events_of_one_run_are_bounded_together(database: &TestDatabase) {
        let bounds = RunBounds { events_bytes: MEGABYTE as u64, ..RunBounds::default() };
        let stage = bounded(database, bounds).await;
        stage.script.part("f", |_, host| async move {
            let data = || Value::Str("x".repeat(200_000));
            for _ in 0..5 {
                host.verb("emit", vec!["e".into(), data()]).await.unwrap();
            }
            Ok(Value::Str(refusal(host.verb("emit", vec!["e".into(), data()]).await)))
        });
        let run = stage.start("f", empty()).await.unwrap();
        assert!(run.output.unwrap().as_str().unwrap().contains("`run_event_bytes`"));
    }

    async fn a_run_makes_so_many_steps_and_is_told_why_not_more(database: &TestDatabase) {
        let stage = bounded(database, RunBounds { steps: 3, ..RunBounds::default() }).await;
        stage.script.part("f", |_, host| async move {
            for _ in 0..3 {
                host.verb("now", vec![]).await.unwrap();
            }
            for _ in 0..1_000 {
                refusal(host.verb("now", vec![]).await);
            }
            Ok(Value::Str(refusal(host.verb("now", vec![]).await)))
        });
        let run = stage.start("f", empty()).await.unwrap();
        let why = "this run has made 3 steps, the maximum for one run (setting `run_steps`); do more in each step, or \
                   start other runs for the rest";
        assert_eq!(run.output, Some(json!(why)));
        assert_eq!(stage.ctx.store.steps(run.run_id).await.unwrap().len(), 3);
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
    }

    async fn the_journal_of_a_graph_is_bounded_and_what_it_holds_is_counted_when_it_is_resumed(database: &TestDatabase) {
        let bounds = RunBounds { journal_bytes: MEGABYTE as u64, ..RunBounds::default() };
        let stage = bounded(database, bounds).await;
        let nodes = [
            ("in", "@input", json!({ "name": "v" })),
            ("ping", "@condition", json!({ "operator": "!=", "value2": "" })),
            ("pong", "@condition", json!({ "operator": "!=", "value2": "" })),
        ];
        let links =
            ["in.output -> ping.value1", "ping.yes_output -> pong.value1", "pong.yes_output -> ping.value1"];
        let mut content = graph(&nodes, &links);
        content["budget"] = json!(1_000);
        put(&stage, "cycle", content).await;
        let large = json!({ "v": "x".repeat(100_000) });
        let run = stage.start("cycle", large).await.unwrap();
        let error = run.error.unwrap();
        assert_eq!(error.type_name, "TooMuchData");
        assert!(
            error.message.ends_with(
                "would take more than 1048576 bytes, the maximum for one run (setting `run_journal_bytes`); pass large values \
                 in files or stored values, or call another graph for each part of the work"
            ) || error.message.contains("was not executed"),
            "{}",
            error.message
        );
        assert!(error.message.contains("node `p"), "{}", error.message);
        let bytes = stage.ctx.store.graph_journal_bytes(run.run_id).await.unwrap();
        assert!((800_000..1_300_000).contains(&bytes), "{bytes}");
        // What is copied counts, so there is no room for more of it than before.
        let resumed = resume::resume(&stage.ctx, &ME, run.run_id, false).await.unwrap();
        let resumed = runs::start(&stage.ctx, &ME, resumed).await.unwrap();
        assert_eq!(resumed.error.unwrap().type_name, "TooMuchData");
        let again = stage.ctx.store.graph_journal_bytes(resumed.run_id).await.unwrap();
        assert!(again < bytes + 250_000, "{again} after {bytes}");
    }

    async fn a_question_is_bounded_as_an_event_is(database: &TestDatabase) {
        let stage = bounded(database, RunBounds::default()).await;
        let nodes = [("in", "@input", json!({ "name": "v" })), ("ask", "@ask", json!({}))];
        put(&stage, "asks", graph(&nodes, &["in.output -> ask.question"])).await;
        let run = stage.start("asks", json!({ "v": "x".repeat(300_000) })).await.unwrap();
        let why = run.error.unwrap().message;
        assert!(why.contains("ValueTooLarge: the question and its options take 3000"), "{why}");
        assert!(why.contains("(setting `event_bytes`); ask with a short text"), "{why}");
        let events = stage.ctx.store.events_after(0, 10_000).await.unwrap();
        assert!(!events.iter().any(|event| event.fact.kind.to_string() == "question.asked"));
    }

    async fn the_journal_of_a_run_is_bounded_and_what_it_holds_is_counted_when_it_is_resumed(database: &TestDatabase) {
        let stage = bounded(database, RunBounds { journal_bytes: MEGABYTE as u64, ..RunBounds::default() }).await;
        let turn = Arc::new(AtomicUsize::new(0));
        stage.script.part("f", move |_, host| {
            let is_first = turn.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                for _ in 0..2 {
                    host.verb("log", vec![Value::Str("x".repeat(300_000))]).await.unwrap();
                }
                if is_first {
                    host.verb("sleep", vec![3_600.into()]).await.unwrap();
                    unreachable!("it waits without a cell");
                }
                host.verb("sleep", vec![3_600.into()]).await.unwrap();
                host.verb("log", vec![Value::Str("x".repeat(300_000))]).await.unwrap();
                let why = refusal(host.verb("log", vec![Value::Str("x".repeat(300_000))]).await);
                assert_eq!(refusal(host.verb("now", vec![]).await), why, "a journal has no gaps");
                Err::<Value, _>(raised("Full", &why))
            }
        });
        let run = stage.queue("f", empty()).await;
        stage.work();
        stage.until(run.run_id, RunState::Waiting).await;
        stage.ctx.clock.advance(Duration::from_secs(3_601));
        let ended = stage.until(run.run_id, RunState::Failed).await;
        let why = ended.error.unwrap().message;
        assert!(why.contains("1048576 bytes") && why.contains("`run_journal_bytes`"), "{why}");
        assert!(stored_bytes(&stage).await <= MEGABYTE as u64 + 4_096);
    }

    async fn a_trigger_gets_a_large_output_that_its_event_does_not_carry(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("first", ""), &function("second", "x")]).await;
        stage.script.part("first", |_, _| async { Ok(Value::Str("x".repeat(600_000))) });
        stage.script.part("second", |work, _| async move {
            let Some(Value::Str(text)) = work.input.get("x").cloned() else { panic!("no text") };
            Ok(Value::Int(i64::try_from(text.len()).unwrap()))
        });
        let trigger = Content::Trigger(TriggerContent::after("first", name("second")));
        let proposal = Proposal::of("", vec![Intent::Put(name("second_after_first"), trigger)]);
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        stage.start("first", empty()).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        let all = runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap();
        let triggered = all.iter().find(|run| run.key.name.as_str() == "second").unwrap();
        assert_eq!((triggered.state, &triggered.output), (RunState::Succeeded, &Some(json!(600_000))));
        let events = stage.ctx.store.events_after(0, 1_000).await.unwrap();
        let largest = events.iter().map(json_size).max().unwrap();
        // The second run has the text as its input.
        assert!(largest < 4_096, "an event has {largest} bytes");
    }

    async fn a_burst_of_large_events_is_read_in_portions_and_each_fires_once(database: &TestDatabase) {
        const EVENTS: usize = 60;
        let stage = Stage::open(database).await;
        stage.add(&[&function("f", ""), &function("heard", "")]).await;
        stage.script.part("f", |_, host| async move {
            for _ in 0..EVENTS {
                host.verb("emit", vec!["large".into(), Value::Str("x".repeat(250_000))]).await.unwrap();
            }
            Ok(Value::None)
        });
        stage.script.part("heard", |_, _| async { Ok(Value::None) });
        let mut content = TriggerContent::after("f", name("heard"));
        content.on = "custom.large".parse().unwrap();
        content.input = Some(Default::default());
        let proposal = Proposal::of("", vec![Intent::Put(name("on_large"), Content::Trigger(content))]);
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        stage.start("f", empty()).await.unwrap();
        assert_eq!(triggers::catch_up(&stage.ctx).await.unwrap(), EVENTS);
        assert_eq!(triggers::catch_up(&stage.ctx).await.unwrap(), 0);
    }

    async fn a_sweep_removes_what_is_old_and_triggers_go_on(database: &TestDatabase) {
        let keep = RetentionPolicy { event_days: Some(1), audit_days: Some(2), ..RetentionPolicy::default() };
        let stage = Stage::configured(database, |config| config.keep = keep).await;
        stage.add(&[&function("first", ""), &function("second", "x")]).await;
        stage.script.part("first", |_, _| async { Ok(Value::Int(7)) });
        stage.script.part("second", |_, _| async { Ok(Value::None) });
        let trigger = Content::Trigger(TriggerContent::after("first", name("second")));
        let proposal = Proposal::of("", vec![Intent::Put(name("second_after_first"), trigger)]);
        changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
        for _ in 0..2 {
            stage.start("first", empty()).await.unwrap();
            triggers::drain(&stage.ctx).await.unwrap();
        }
        // Its event is old by the time of the sweep, and nobody has looked at it yet.
        let unread = stage.start("first", empty()).await.unwrap();
        let sweep = async || retention::sweep(&stage.ctx, stage.ctx.clock.now()).await.unwrap();
        sweep().await;
        assert_eq!(stage.ctx.store.events_after(0, 1).await.unwrap()[0].seq, 1, "nothing is old yet");
        stage.ctx.clock.advance(Duration::from_secs(3 * 86_400));
        sweep().await;
        let left = stage.ctx.store.events_after(0, 100).await.unwrap();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(left[0].fact.data["run_id"], json!(unread.run_id));
        assert_eq!(database.count("audit").await, 0);
        assert_eq!(database.count("firings").await, 2, "a rate limit may look back for a month");
        assert_eq!(triggers::drain(&stage.ctx).await.unwrap(), 1, "it fires on what it had not looked at");
        stage.ctx.clock.advance(Duration::from_secs(40 * 86_400));
        sweep().await;
        assert_eq!((database.count("events").await, database.count("firings").await), (0, 1));
        stage.start("first", empty()).await.unwrap();
        assert_eq!(triggers::drain(&stage.ctx).await.unwrap(), 1);
    }
}
