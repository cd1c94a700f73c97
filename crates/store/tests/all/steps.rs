//! Steps: journaled once each, read back in order.

use model::actor::Actor;
use model::ids::RunId;
use model::run::RunError;
use model::step::Step;
use serde_json::{Value, json};
use store::Error;
use store::testing::TestDatabase;

use crate::runs::{hard_values, run};
use crate::world::{World, at, event, id, key};

pub(crate) fn step(run_id: RunId, position: u32, value: Value) -> Step {
    Step {
        run_id,
        position,
        verb: "model.chat".to_owned(),
        request: value.clone(),
        result: Some(value),
        error: None,
        child: None,
        answered_by: None,
        started_at: at(1),
        finished_at: Some(at(2)),
    }
}

store::on_both! {
    async fn steps_read_back_as_they_were_journaled_in_order(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        let mut steps: Vec<Step> =
            hard_values().into_iter().zip(1..).map(|(value, position)| step(run.run_id, position, value)).collect();
        let error = RunError { type_name: "Timeout".to_owned(), message: "ü".to_owned(), traceback: None };
        steps.push(Step { result: None, finished_at: None, error: Some(error), ..step(run.run_id, 50, json!(1)) });
        let (child, answered_by) = (Some(RunId(id())), Some(Actor::CommandLine));
        steps.push(Step { child, answered_by, ..step(run.run_id, 51, json!(1)) });
        for step in steps.iter().rev() {
            world.store.record_step(step).await.unwrap();
        }
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), steps);
        assert_eq!(world.store.steps_after(run.run_id, 0).await.unwrap(), steps);
        assert_eq!(world.store.steps_after(run.run_id, 49).await.unwrap(), steps[steps.len() - 2..]);
        assert_eq!(world.store.steps_after(run.run_id, 51).await.unwrap(), []);
        assert_eq!(world.store.step(run.run_id, 50).await.unwrap().as_ref(), steps.iter().rev().nth(1));
        assert_eq!(world.store.step(run.run_id, 49).await.unwrap(), None);
        assert_eq!(world.store.steps(RunId(id())).await.unwrap(), []);
    }

    async fn a_step_is_journaled_once_and_for_a_known_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        world.store.record_step(&step(run.run_id, 1, json!("first"))).await.unwrap();
        let before = database.dump().await;
        let twice = world.store.record_step(&step(run.run_id, 1, json!("second"))).await.unwrap_err();
        assert!(matches!(twice, Error::Unique { .. }), "{twice}");
        let dangling = world.store.record_step(&step(RunId(id()), 1, json!(1))).await.unwrap_err();
        assert!(matches!(dangling, Error::ForeignKey { .. }), "{dangling}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_step_that_has_begun_ends_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        let begun = Step { result: Some(json!("half")), finished_at: None, ..step(run.run_id, 1, json!("ask")) };
        world.store.begin_step(&begun).await.unwrap();
        assert_eq!(world.store.step(run.run_id, 1).await.unwrap(), Some(begun));
        let ended = Step { child: Some(RunId(id())), ..step(run.run_id, 1, json!("ask")) };
        world.store.finish_step(&ended).await.unwrap();
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), std::slice::from_ref(&ended));
        let before = database.dump().await;
        for late in [Step { result: None, ..ended.clone() }, Step { position: 2, ..ended }] {
            let refused = world.store.finish_step(&late).await.unwrap_err();
            assert!(matches!(refused, Error::GuardFailed { .. }), "{refused}");
        }
        assert_eq!(database.dump().await, before);
    }

    async fn a_step_and_its_events_are_journaled_together_or_not_at_all(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = run(key("a"));
        world.store.record_runs(std::slice::from_ref(&run)).await.unwrap();
        let emitted = step(run.run_id, 1, json!(1));
        world.store.record_step_with(&emitted, &[event("e")]).await.unwrap();
        world.store.record_step_with(&emitted, &[event("again")]).await.unwrap_err();
        let events = world.store.events_after(0, 10).await.unwrap();
        assert_eq!(events.iter().map(|event| event.fact.source.as_str()).collect::<Vec<_>>(), ["e"]);
    }
}
