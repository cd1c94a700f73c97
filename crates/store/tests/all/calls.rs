//! Calls: the trace inside a Run, in order.

use model::ids::{RunId, VersionId};
use model::run::RunError;
use model::run::call::Call;
use serde_json::{Value, json};
use store::Error;
use store::testing::TestDatabase;

use crate::runs::{hard_values, run};
use crate::world::{World, at, id, key};

pub(crate) fn call(run_id: RunId, position: u32, value: Value) -> Call {
    Call {
        run_id,
        position,
        parent: position.checked_sub(1).filter(|parent| *parent > 0),
        function: "größe.b".to_owned(),
        version_id: None,
        input: value.clone(),
        output: Some(value),
        error: None,
        started_at: at(i64::from(position)),
        duration_us: Some(5),
    }
}

store::on_both! {
    async fn calls_read_back_as_they_were_recorded_in_order(database: &TestDatabase) {
        let world = World::open(database).await;
        let (mine, other) = (run(key("a")), run(key("b")));
        world.store.record_runs(&[mine.clone(), other.clone()]).await.unwrap();
        let mut calls: Vec<Call> =
            hard_values().into_iter().zip(1..).map(|(value, position)| call(mine.run_id, position, value)).collect();
        let error = RunError::of("KeyError", "'\0'");
        calls.push(Call { version_id: Some(VersionId(id())), output: None, ..call(mine.run_id, 98, json!(0)) });
        let unfinished = Call { output: None, duration_us: None, error: Some(error), ..call(mine.run_id, 99, json!(0)) };
        calls.push(unfinished);
        let mut shuffled = calls.clone();
        shuffled.reverse();
        world.store.record_calls(&shuffled).await.unwrap();
        world.store.record_calls(&[call(other.run_id, 1, json!(1))]).await.unwrap();
        assert_eq!(world.store.calls(mine.run_id).await.unwrap(), calls);
        assert_eq!(world.store.calls(other.run_id).await.unwrap().len(), 1);
        assert_eq!(world.store.calls(RunId(id())).await.unwrap(), []);
    }

    async fn recording_again_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        world.store.record_calls(&[call(run.run_id, 1, json!("first"))]).await.unwrap();
        let before = database.dump().await;
        world.store.record_calls(&[call(run.run_id, 1, json!("second"))]).await.unwrap();
        assert_eq!(database.dump().await, before);
    }

    async fn a_call_that_is_imported_later_joins_those_that_are_there(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        let calls: Vec<Call> = (1..=3).map(|position| call(run.run_id, position, json!(position))).collect();
        world.store.record_calls(&calls[..2]).await.unwrap();
        world.store.record_calls(&calls).await.unwrap();
        assert_eq!(world.store.calls(run.run_id).await.unwrap(), calls);
    }

    async fn a_call_of_no_known_run_is_refused(database: &TestDatabase) {
        let world = World::open(database).await;
        let refused = world.store.record_calls(&[call(RunId(id()), 1, json!(1))]).await.unwrap_err();
        assert!(matches!(refused, Error::ForeignKey { .. }), "{refused}");
        assert_eq!(database.count("call_chunks").await, 0);
    }
}
