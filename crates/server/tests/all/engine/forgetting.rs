//! `record=`: of a run that is not recorded nothing is left but that it ran, how it ended and how long it took.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::run::{Run, RunState};
use sandbox::{CallError, Value};
use serde_json::{Value as Json, json};
use server::app::changesets::drafts::Proposal;
use server::app::runs::{records, replay};
use server::app::{changesets, runs, triggers as trigger_verbs};
use server::triggers;
use store::on_both;
use store::testing::TestDatabase;

use super::script::{Asking, Stage, empty, function, raised, request};
use crate::world::{ME, name, trigger};

/// Part of everything that must not be found.
const HUSH: &str = "hush-hush";

/// Stores `quiet`, which states this.
async fn quiet(database: &TestDatabase, options: &str) -> Stage {
    let stage = Stage::open(database).await;
    let source =
        format!("import selfmade\n\n@selfmade.function({options})\ndef quiet(text=None):\n    pass\n");
    stage.register(&source).await;
    stage
}

/// It prints, calls and asks for steps, and succeeds unless it is told to fail.
fn play(stage: &Stage) {
    stage.script.part("quiet", |work, asking: Asking| async move {
        asking.print(HUSH);
        asking.call_with(1, HUSH);
        asking.verb("log", vec![HUSH.into()]).await.unwrap();
        match work.input.get("text") {
            Some(Value::Str(text)) if text.contains("fail") => Err(raised("ValueError", HUSH)),
            _ => Ok(Value::from(HUSH)),
        }
    });
}

async fn rows_with_hush(database: &TestDatabase) -> Vec<String> {
    // SQLite's texts are shown byte by byte.
    let listed = format!("{:?}", HUSH.as_bytes());
    let listed = listed.trim_matches(['[', ']']);
    let mut rows = database.dump().await;
    rows.retain(|row| row.contains(HUSH) || row.contains(listed));
    rows
}

async fn start(stage: &Stage, text: &str) -> Run {
    stage.start("quiet", json!({ "text": format!("{text} {HUSH}") })).await.unwrap()
}

/// Pages that are free then are overwritten, and the log is folded into the file when it is closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_itself_keeps_nothing_of_what_is_forgotten() {
    let database = TestDatabase::sqlite();
    let stage = quiet(&database, "record=\"none\"").await;
    // Longer than a page, so that it takes pages of its own.
    let long = HUSH.repeat(5_000);
    stage.script.part("quiet", |work, asking: Asking| async move {
        asking.verb("log", vec![work.input.get("text").unwrap().clone()]).await.unwrap();
        Ok(Value::None)
    });
    for text in [HUSH, &long] {
        start(&stage, text).await;
    }
    stage.close().await;
    let file = std::fs::read(database.path()).unwrap();
    let found = file.windows(HUSH.len()).filter(|window| *window == HUSH.as_bytes()).count();
    assert_eq!(found, 0);
    assert!(!database.path().with_extension("db-wal").exists());
}

on_both! {
    async fn of_a_run_that_records_nothing_only_that_it_ran_is_left(database: &TestDatabase) {
        let stage = quiet(database, "record=\"none\"").await;
        play(&stage);
        let run = start(&stage, "go").await;
        assert_eq!(run.output, Some(json!(HUSH)), "whoever waits gets the output");
        let failed = start(&stage, "fail").await;
        assert_eq!(failed.error.unwrap().message, HUSH);
        assert_eq!(rows_with_hush(database).await, Vec::<String>::new());
        let record = records::show(&stage.ctx, &ME, run.run_id).await.unwrap();
        assert_eq!((record.run.state, &record.run.input, &record.run.output), (RunState::Succeeded, &Json::Null, &None));
        assert!(record.run.finished_at.is_some() && record.run.usage.is_some());
        assert!(record.printed.is_empty() && record.calls.is_empty() && record.steps.is_empty());
        let failed = runs::get(&stage.ctx, &ME, failed.run_id).await.unwrap();
        let error = failed.error.unwrap();
        assert_eq!((error.type_name.as_str(), error.message.as_str(), error.traceback), ("ValueError", "", None));
    }

    async fn errors_are_recorded_whole_and_of_others_that_they_ran(database: &TestDatabase) {
        let stage = quiet(database, "record=\"errors\"").await;
        play(&stage);
        start(&stage, "go").await;
        assert_eq!(rows_with_hush(database).await, Vec::<String>::new());
        let failed = start(&stage, "fail").await;
        let record = records::show(&stage.ctx, &ME, failed.run_id).await.unwrap();
        assert_eq!(record.run.input, json!({ "text": format!("fail {HUSH}") }));
        assert_eq!((record.printed.len(), record.calls.len(), record.steps.len()), (1, 1, 1));
        assert_eq!(record.run.error.unwrap().message, HUSH);
    }

    async fn what_a_try_needs_is_kept_until_the_last_one(database: &TestDatabase) {
        let stage = quiet(database, "record=\"none\", retries=1").await;
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        stage.script.part("quiet", move |work, asking: Asking| {
            let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                assert!(format!("{:?}", work.input).contains(HUSH));
                asking.verb("log", vec![HUSH.into()]).await.unwrap();
                if first { Err(raised("ValueError", HUSH)) } else { Ok(Value::from(HUSH)) }
            }
        });
        let run = stage.queue("quiet", json!({ "text": HUSH })).await;
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(runs::get(&stage.ctx, &ME, run.run_id).await.unwrap().state, RunState::Queued);
        stage.ctx.clock.advance(Duration::from_secs(3_600));
        triggers::drain(&stage.ctx).await.unwrap();
        let run = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        assert_eq!((run.state, tries.load(Ordering::SeqCst)), (RunState::Succeeded, 2));
        assert_eq!(rows_with_hush(database).await, Vec::<String>::new());
    }

    async fn a_question_is_gone_when_it_was_answered_or_cancelled(database: &TestDatabase) {
        let stage = quiet(database, "record=\"none\"").await;
        stage.script.part("quiet", |_, asking: Asking| async move {
            asking.verb("ask", vec![HUSH.into()]).await.map_err(|error| raised("Refused", &format!("{error:?}")))
        });
        let runs = [start(&stage, "go").await, start(&stage, "go").await];
        assert!(runs.iter().all(|run| run.state == RunState::Waiting));
        runs::answer(&stage.ctx, &ME, runs[0].run_id, json!(HUSH)).await.unwrap();
        runs::cancel(&stage.ctx, &ME, runs[1].run_id).await.unwrap();
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(rows_with_hush(database).await, Vec::<String>::new());
    }

    async fn a_run_that_is_lost_leaves_nothing_either(database: &TestDatabase) {
        let stage = quiet(database, "record=\"none\", network=[\"example.com\"]").await;
        stage.script.part("quiet", |_, _| std::future::pending());
        let (ctx, own) = (stage.ctx.clone(), request("quiet", json!({ "text": HUSH })));
        let running = tokio::spawn(async move { runs::start(&ctx, &ME, own).await });
        while server::engine::under_way(&stage.ctx) == 0 {
            tokio::task::yield_now().await;
        }
        let other = stage.another(database).await;
        assert_eq!(rows_with_hush(database).await.len(), 1);
        server::engine::recover_from(&other.ctx, &[stage.ctx.engine.node()]).await.unwrap();
        assert_eq!(rows_with_hush(database).await, Vec::<String>::new());
        running.abort();
    }

    async fn a_trigger_that_takes_an_output_that_is_not_recorded_starts_nothing(database: &TestDatabase) {
        let stage = quiet(database, "record=\"none\"").await;
        play(&stage);
        stage.add(&[&function("after", "report")]).await;
        let added = Proposal::of("", vec![trigger("t", "quiet", "after")]);
        changesets::register(&stage.ctx, &ME, &added).await.unwrap();
        start(&stage, "go").await;
        triggers::drain(&stage.ctx).await.unwrap();
        let shown = trigger_verbs::show(&stage.ctx, &ME, &name("t")).await.unwrap();
        let stopped = shown.firings[0].stopped.as_deref().unwrap();
        assert!(stopped.contains("the output of the run is not recorded"), "{stopped}");
    }

    async fn what_is_not_recorded_is_neither_run_again_nor_replayed(database: &TestDatabase) {
        let stage = quiet(database, "record=\"errors\"").await;
        play(&stage);
        let run = start(&stage, "go").await;
        let again = runs::again(&stage.ctx, &ME, run.run_id, false).await.err().unwrap().to_string();
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| {}).await.unwrap_err().to_string();
        for error in [again, replayed] {
            assert!(error.contains("was not recorded: `quiet` declares `record=\"errors\"`"), "{error}");
        }
        let failed = start(&stage, "fail").await;
        assert!(runs::again(&stage.ctx, &ME, failed.run_id, false).await.is_ok());
    }

    async fn its_caller_keeps_that_it_was_called_and_nothing_of_what_it_got_and_gave(database: &TestDatabase) {
        for (options, text) in [("record=\"none\"", "go"), ("record=\"none\"", "fail"), ("record=\"errors\"", "go")] {
            let database = database.another().await;
            let stage = quiet(&database, options).await;
            play(&stage);
            stage.register("import selfmade\n\n@selfmade.function(brain=\"read\")\ndef calls(): return quiet()\n").await;
            stage.script.part("calls", move |work, asking: Asking| async move {
                let place = work.closure.functions.iter().position(|function| function.name == "quiet").unwrap();
                asking.call(1);
                let error = CallError { type_name: "ValueError".to_owned(), message: HUSH.to_owned() };
                let outcome = if text == "fail" { Err(error) } else { Ok(HUSH.into()) };
                asking.call_of(place, 2, HUSH, outcome);
                asking.verb("run", vec!["quiet".into(), Value::Str(format!("{text} {HUSH}"))]).await.ok();
                Ok(Value::None)
            });
            let run = stage.start("calls", empty()).await.unwrap();
            assert_eq!(run.state, RunState::Succeeded, "{options}: {:?}", run.error);
            assert_eq!(rows_with_hush(&database).await, Vec::<String>::new(), "{options} {text}");
            let record = records::show(&stage.ctx, &ME, run.run_id).await.unwrap();
            let [_, call] = record.calls.as_slice() else { panic!("{:?}", record.calls) };
            assert_eq!((call.function.as_str(), call.duration_us), ("quiet", Some(7)));
            assert_eq!(call.error.as_ref().map(|error| error.type_name.as_str()), (text == "fail").then_some("ValueError"));
            let [step] = record.steps.as_slice() else { panic!("{:?}", record.steps) };
            assert!(step.child.is_some() && step.finished_at.is_some());
            let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| {}).await.unwrap_err().to_string();
            assert!(replayed.contains("step 1 of run"), "{replayed}");
        }
    }

    async fn a_caller_that_is_executed_again_hears_what_it_heard(database: &TestDatabase) {
        let stage = quiet(database, "record=\"none\"").await;
        play(&stage);
        stage.register("import selfmade\n\n@selfmade.function(brain=\"read\")\ndef calls(): pass\n").await;
        stage.script.part("calls", |_, asking: Asking| async move {
            let answer = asking.verb("run", vec!["quiet".into(), HUSH.into()]).await;
            assert_eq!(answer, Ok(Value::from(HUSH)));
            asking.verb("sleep", vec![3_600.into()]).await.unwrap();
            Ok(Value::None)
        });
        let run = stage.queue("calls", empty()).await;
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(runs::get(&stage.ctx, &ME, run.run_id).await.unwrap().state, RunState::Waiting);
        stage.ctx.clock.advance(Duration::from_secs(3_601));
        triggers::drain(&stage.ctx).await.unwrap();
        assert_eq!(runs::get(&stage.ctx, &ME, run.run_id).await.unwrap().state, RunState::Succeeded);
        assert_eq!(rows_with_hush(database).await, Vec::<String>::new());
    }

    async fn a_function_that_calls_it_gets_its_output_also_from_the_queue(database: &TestDatabase) {
        for options in ["record=\"none\"", "record=\"none\", concurrency=1", "record=\"errors\", retries=1"] {
            let database = database.another().await;
            let stage = quiet(&database, options).await;
            play(&stage);
            stage.add(&[&function("calls", "")]).await;
            stage.script.part("calls", |_, asking: Asking| async move {
                let answer = asking.verb("run", vec!["quiet".into(), HUSH.into()]).await;
                assert_eq!(answer, Ok(Value::from(HUSH)));
                Ok(Value::None)
            });
            let run = stage.start("calls", empty()).await.unwrap();
            assert_eq!(run.state, RunState::Succeeded, "{options}: {:?}", run.error);
        }
    }
}
