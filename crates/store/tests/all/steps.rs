//! Steps: journaled once each, read back in order.

use model::access::actor::Actor;
use model::ids::RunId;
use model::run::lane::Lane;
use model::run::step::Step;
use model::run::{Lease, Run, RunError};
use serde_json::{Value, json};
use store::Error;
use store::testing::TestDatabase;

use crate::runs::{hard_values, node, waited};
use crate::world::{World, at, event, id};

pub(crate) fn step(run_id: RunId, position: u32, value: Value) -> Step {
    Step {
        run_id,
        lane: Lane::main(),
        number: position,
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

/// A run that is under way.
async fn started(world: &World) -> (Run, Lease) {
    let run = waited("a", node());
    world.store.start_run(&run, &[]).await.unwrap();
    let lease = run.lease.unwrap();
    (run, lease)
}

/// Whether nothing can be written into a journal under a claim.
async fn journals_nothing(world: &World, run: RunId, lease: Lease) -> bool {
    let new = world.store.record_step(&step(run, 2, json!("late")), lease).await;
    let begun = world.store.finish_step(&step(run, 1, json!("late")), lease).await;
    [new, begun].iter().all(|answer| matches!(answer, Err(Error::GuardFailed { .. })))
}

store::on_both! {
    async fn steps_read_back_as_they_were_journaled_in_order(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let mut steps: Vec<Step> =
            hard_values().into_iter().zip(1..).map(|(value, position)| step(run.run_id, position, value)).collect();
        let error = RunError::of("Timeout", "ü");
        steps.push(Step { result: None, finished_at: None, error: Some(error), ..step(run.run_id, 50, json!(1)) });
        let (child, answered_by) = (Some(RunId(id())), Some(Actor::CommandLine));
        steps.push(Step { child, answered_by, ..step(run.run_id, 51, json!(1)) });
        let lane = Lane::new("main/12/1").unwrap();
        steps.push(Step { lane, number: 1, ..step(run.run_id, 52, json!(1)) });
        for step in steps.iter().rev() {
            world.store.record_step(step, lease).await.unwrap();
        }
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), steps);
        assert_eq!(world.store.steps_after(run.run_id, 0).await.unwrap(), steps);
        assert_eq!(world.store.steps_after(run.run_id, 49).await.unwrap(), steps[steps.len() - 3..]);
        assert_eq!(world.store.steps_after(run.run_id, 52).await.unwrap(), []);
        assert_eq!(world.store.step(run.run_id, 50).await.unwrap().as_ref(), steps.iter().rev().nth(2));
        assert_eq!(world.store.step(run.run_id, 49).await.unwrap(), None);
        assert_eq!(world.store.steps(RunId(id())).await.unwrap(), []);
    }

    async fn steps_of_before_there_were_lanes_are_those_of_the_main_one(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let lane = Lane::new("main/1").unwrap();
        let steps = [step(run.run_id, 1, json!(1)), Step { lane, number: 1, ..step(run.run_id, 2, json!(2)) }];
        for step in &steps {
            world.store.record_step(step, lease).await.unwrap();
        }
        let older = database.as_of("0012_bounds").await;
        let again = World::open(&older).await;
        let expected = [steps[0].clone(), Step { lane: Lane::main(), number: 2, ..steps[1].clone() }];
        assert_eq!(again.store.steps(run.run_id).await.unwrap(), expected);
        again.store.record_step(&step(run.run_id, 3, json!(3)), lease).await.unwrap();
    }

    async fn a_step_is_journaled_once_and_for_a_known_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        world.store.record_step(&step(run.run_id, 1, json!("first")), lease).await.unwrap();
        let before = database.dump().await;
        let twice = world.store.record_step(&step(run.run_id, 1, json!("second")), lease).await.unwrap_err();
        assert!(matches!(twice, Error::Unique { .. }), "{twice}");
        let dangling = world.store.record_step(&step(RunId(id()), 1, json!(1)), lease).await.unwrap_err();
        assert!(matches!(dangling, Error::GuardFailed { .. }), "{dangling}");
        assert_eq!(database.dump().await, before);
    }

    async fn a_step_that_has_begun_ends_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let begun = Step { result: Some(json!("half")), finished_at: None, ..step(run.run_id, 1, json!("ask")) };
        world.store.begin_step(&begun, lease).await.unwrap();
        assert_eq!(world.store.step(run.run_id, 1).await.unwrap(), Some(begun));
        let ended = Step { child: Some(RunId(id())), ..step(run.run_id, 1, json!("ask")) };
        world.store.finish_step(&ended, lease).await.unwrap();
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), std::slice::from_ref(&ended));
        let before = database.dump().await;
        for late in [Step { result: None, ..ended.clone() }, Step { position: 2, ..ended }] {
            let refused = world.store.finish_step(&late, lease).await.unwrap_err();
            assert!(matches!(refused, Error::GuardFailed { .. }), "{refused}");
        }
        assert_eq!(database.dump().await, before);
    }

    async fn a_step_and_its_events_are_journaled_together_or_not_at_all(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let emitted = step(run.run_id, 1, json!(1));
        world.store.record_step_with(&emitted, lease, &[event("e")]).await.unwrap();
        world.store.record_step_with(&emitted, lease, &[event("again")]).await.unwrap_err();
        let events = world.store.events_after(0, 10).await.unwrap();
        assert_eq!(events.iter().map(|event| event.fact.source.as_str()).collect::<Vec<_>>(), ["e"]);
    }

    async fn who_lost_a_run_journals_nothing_more(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lost) = started(&world).await;
        let begun = Step { result: None, finished_at: None, ..step(run.run_id, 1, json!("run")) };
        world.store.begin_step(&begun, lost).await.unwrap();
        assert!(world.store.requeue_run(run.run_id, lost, at(3), 1, None).await.unwrap());
        assert!(journals_nothing(&world, run.run_id, lost).await, "it is nobody's");
        let holds = world.store.claim(node(), at(9), at(60), 1).await.unwrap()[0].lease.unwrap();
        assert!(journals_nothing(&world, run.run_id, lost).await, "it is another's");
        assert!(journals_nothing(&world, run.run_id, Lease { node: lost.node, ..holds }).await);
        world.store.finish_step(&step(run.run_id, 1, json!("run")), holds).await.unwrap();
        world.store.record_step(&step(run.run_id, 2, json!(2)), holds).await.unwrap();
    }
}
