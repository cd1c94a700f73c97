//! Runs that wait, for a time or for a person, without a cell.

use std::time::Duration;

use model::ids::RunId;
use model::run::{Run, RunState, Waiting};
use sandbox::Value;
use serde_json::json;
use server::app::runs;
use store::testing::TestDatabase;
use store::{RunFilter, on_both};

use super::script::{Stage, empty, function, raised};
use crate::world::ME;

/// Runs the function it is given, and answers with what that answers.
const OUTER: &str = "import selfmade\n\n@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n";

/// A stage on which `outer` runs `inner`.
async fn nested(database: &TestDatabase, inner: &str) -> Stage {
    let stage = Stage::open(database).await;
    stage.register(inner).await;
    stage.register(OUTER).await;
    stage.script.part("outer", |_, host| async move {
        host.verb("run", vec!["inner".into()]).await.map_err(|error| raised("Failed", &error.to_string()))
    });
    stage
}

async fn ended(stage: &Stage, run: RunId) -> Run {
    loop {
        let found = runs::get(&stage.ctx, &ME, run).await.unwrap();
        if found.state.is_final() {
            return found;
        }
        tokio::task::yield_now().await;
    }
}

/// Returns when some run waits.
pub(crate) async fn one_waits(stage: &Stage) {
    let waiting = RunFilter { states: vec![RunState::Waiting], ..RunFilter::default() };
    while runs::list(&stage.ctx, &ME, waiting.clone(), 1).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
}

on_both! {
    async fn who_runs_a_function_that_waits_waits_for_it(database: &TestDatabase) {
        let stage = nested(database, &function("inner", "")).await;
        stage.script.part("inner", |_, host| async move {
            host.verb("sleep", vec![3600.into()]).await.unwrap();
            Ok(Value::Int(7))
        });
        let run = stage.queue("outer", empty()).await;
        stage.work();
        one_waits(&stage).await;
        stage.ctx.clock.advance(Duration::from_secs(3601));
        let run = ended(&stage, run.run_id).await;
        assert_eq!(run.output, Some(json!(7)), "{:?}", run.error);
    }

    async fn runs_that_wait_for_queued_ones_do_not_keep_them_from_running(database: &TestDatabase) {
        let limited = "import selfmade\n\n@selfmade.function(concurrency=1)\ndef inner():\n    return None\n";
        let stage = nested(database, limited).await;
        stage.script.part("inner", |_, _| async { Ok(Value::Int(7)) });
        let mut queued = Vec::new();
        for _ in 0..2 * stage.ctx.engine.config().at_once {
            queued.push(stage.queue("outer", empty()).await.run_id);
        }
        stage.work();
        for run in queued {
            let run = ended(&stage, run).await;
            assert_eq!(run.output, Some(json!(7)), "{:?}", run.error);
        }
    }

    async fn a_long_sleep_gives_the_cell_back_and_goes_on_where_it_was(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("sleeps", "")]).await;
        stage.script.part("sleeps", |_, host| async move {
            let before = host.verb("random", vec![]).await.unwrap();
            host.verb("sleep", vec![3600.into()]).await.unwrap();
            Ok(before)
        });
        let run = stage.start("sleeps", empty()).await.unwrap();
        assert_eq!((run.state, stage.executions()), (RunState::Waiting, 1));
        let drawn = stage.ctx.store.steps(run.run_id).await.unwrap()[0].result.clone();
        stage.work();
        stage.ctx.clock.advance(Duration::from_secs(3601));
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!((run.output, stage.executions()), (drawn, 2));
    }

    async fn options_are_a_list_or_a_tuple_with_something_in_it(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("asks", "")]).await;
        stage.script.part("asks", |_, host| async move {
            for wrong in [Value::List(vec![]), Value::Tuple(vec![]), "yes or no".into()] {
                let refused = host.verb("ask", vec!["Really?".into(), wrong]).await.unwrap_err();
                assert!(refused.to_string().contains("`options` of `ask` must be a list"), "{refused}");
            }
            Ok(host.verb("ask", vec!["Really?".into(), Value::Tuple(vec![1.into(), 2.into()])]).await.unwrap())
        });
        let run = stage.start("asks", empty()).await.unwrap();
        let Some(Waiting::Person { question, .. }) = &run.waiting else { panic!("{run:?}") };
        assert_eq!(question["options"], json!([1, 2]));
    }

    async fn a_question_waits_for_its_answer(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("asks", "")]).await;
        stage.script.part("asks", |_, host| async move {
            Ok(host.verb("ask", vec!["Really?".into(), Value::List(vec!["yes".into(), "no".into()])]).await.unwrap())
        });
        let run = stage.start("asks", empty()).await.unwrap();
        assert_eq!(run.state, RunState::Waiting);
        let Some(Waiting::Person { question, .. }) = &run.waiting else { panic!("{:?}", run.waiting) };
        assert_eq!(question["question"], "Really?");
        let wrong = runs::answer(&stage.ctx, &ME, run.run_id, json!("perhaps")).await.unwrap_err();
        assert_eq!(wrong.code(), "bad_input");
        assert!(wrong.to_string().ends_with(r#"`"perhaps"` is not one of the options: `"yes"` or `"no"`"#), "{wrong}");
        runs::answer(&stage.ctx, &ME, run.run_id, json!("yes")).await.unwrap();
        stage.work();
        let ended = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(ended.output, Some(json!("yes")));
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        assert_eq!(steps[0].answered_by, Some(ME.actor.clone()));
        let again = runs::answer(&stage.ctx, &ME, run.run_id, json!("no")).await.unwrap_err();
        assert_eq!(again.code(), "nothing_asked");
    }
}
