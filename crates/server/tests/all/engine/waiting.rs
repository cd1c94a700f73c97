//! Runs that wait, for a time or for a person, without a cell.

use std::time::Duration;

use model::run::{RunState, Waiting};
use sandbox::Value;
use serde_json::json;
use server::app::runs;
use store::on_both;
use store::testing::TestDatabase;

use super::script::{Stage, empty, function};
use crate::world::ME;

on_both! {
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
        runs::answer(&stage.ctx, &ME, run.run_id, json!("yes")).await.unwrap();
        stage.work();
        let ended = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(ended.output, Some(json!("yes")));
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        assert_eq!(steps[0].answered_by, Some(ME));
        let again = runs::answer(&stage.ctx, &ME, run.run_id, json!("no")).await.unwrap_err();
        assert_eq!(again.code(), "nothing_asked");
    }
}
