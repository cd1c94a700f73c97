//! Steps: journaled before they are heard of, never done twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::run::RunState;
use sandbox::{HostError, Value};
use serde_json::json;
use server::app::runs::replay;
use store::testing::TestDatabase;
use store::{RunFilter, on_both};

use super::script::{Stage, empty, function, raised};
use crate::world::ME;

on_both! {
    async fn what_a_function_asks_is_journaled_in_order(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("asks", "")]).await;
        stage.script.part("asks", |_, host| async move {
            let now = host.verb("now", vec![]).await.unwrap();
            host.verb("emit", vec!["told".into(), 7.into()]).await.unwrap();
            Ok(now)
        });
        let run = stage.start("asks", empty()).await.unwrap();
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        let verbs: Vec<&str> = steps.iter().map(|step| step.verb.as_str()).collect();
        assert_eq!(verbs, ["now", "emit"]);
        assert_eq!(steps[0].result, run.output);
        let events = stage.ctx.store.events_after(0, 100).await.unwrap();
        let told: Vec<_> = events.iter().filter(|event| event.fact.kind.to_string() == "custom.told").collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].fact.data["output"], json!(7));
    }

    async fn another_function_runs_in_a_run_of_its_own_below_this_one(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("inner", "x")]).await;
        let outer = "import selfmade\n\n@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n";
        stage.register(outer).await;
        stage.script.part("inner", |work, _| async move { Ok(work.input.get("x").cloned().unwrap()) });
        stage.script.part("outer", |_, host| async move {
            host.verb("run", vec!["inner".into(), 5.into()]).await.map_err(|error| raised("Failed", &error.to_string()))
        });
        let run = stage.start("outer", empty()).await.unwrap();
        assert_eq!(run.output, Some(json!(5)), "{:?}", run.error);
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        let child = stage.ctx.store.run(steps[0].child.unwrap()).await.unwrap().unwrap();
        assert_eq!((child.parent, child.state), (Some(run.run_id), RunState::Succeeded));
    }

    async fn a_verb_with_wrong_arguments_is_refused_and_says_how(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("asks", "")]).await;
        stage.script.part("asks", |_, host| async move {
            let refused = host.verb("sleep", vec!["long".into()]).await.unwrap_err();
            assert_eq!(refused, HostError::Refused("`seconds` of `sleep` must be a number".to_owned()));
            Ok(Value::None)
        });
        assert_eq!(stage.start("asks", empty()).await.unwrap().state, RunState::Succeeded);
    }

    async fn a_replay_gives_the_recorded_answers_and_writes_nothing(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("draws", "")]).await;
        stage.script.part("draws", |_, host| async move { Ok(host.verb("random", vec![]).await.unwrap()) });
        let run = stage.start("draws", empty()).await.unwrap();
        let before = database.dump().await;
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_replay_that_asks_for_something_else_shows_both(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("draws", "")]).await;
        let turn = Arc::new(AtomicUsize::new(0));
        stage.script.part("draws", move |_, host| {
            let verb = if turn.fetch_add(1, Ordering::SeqCst) == 0 { "random" } else { "now" };
            async move { Ok(host.verb(verb, vec![]).await.unwrap()) }
        });
        let run = stage.start("draws", empty()).await.unwrap();
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(!replayed.same);
        let shown = replayed.diverged.unwrap();
        assert!(shown.starts_with("step 1 of lane `main` was `random`") && shown.contains("is now `now`"), "{shown}");
    }

    async fn a_server_that_lost_its_run_leaves_the_journal_to_the_next(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("asks", "")]).await;
        let (store, now) = (stage.ctx.store.clone(), stage.ctx.clock.now());
        let turn = Arc::new(AtomicUsize::new(0));
        stage.script.part("asks", move |_, host| {
            let (store, first) = (store.clone(), turn.fetch_add(1, Ordering::SeqCst) == 0);
            async move {
                if first {
                    // As another server does that takes this one for dead.
                    let held = &store.runs(&RunFilter::default(), 1).await.unwrap()[0];
                    assert!(store.requeue_run(held.run_id, held.lease.unwrap(), now, 1, None).await.unwrap());
                }
                let verb = if first { "random" } else { "now" };
                Ok(host.verb(verb, vec![]).await.unwrap())
            }
        });
        let run = stage.queue("asks", empty()).await;
        stage.work();
        let ended = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!((ended.lease, stage.executions()), (None, 2));
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        assert_eq!(steps.iter().map(|step| step.verb.as_str()).collect::<Vec<_>>(), ["now"]);
    }
}
