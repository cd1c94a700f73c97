//! Waiting: a run without a cell goes on when it is answered, or when it is time, and only then.

use model::access::actor::Actor;
use model::changeset::{Changeset, ChangesetState};
use model::ids::{RunId, TokenId};
use model::run::step::Step;
use model::run::{How, Lease, Run, RunState, Waiting};
use serde_json::json;
use store::testing::TestDatabase;

use crate::runs::{node, waited};
use crate::steps::step;
use crate::world::{World, at, changeset, id, put};

/// Starts a run that waits, with its open step 3.
async fn wait(world: &World, waiting: &Waiting) -> (Run, Lease) {
    let run = waited("a", node());
    let lease = run.lease.unwrap();
    world.store.start_run(&run, &[]).await.unwrap();
    let open = Step { result: None, finished_at: None, ..step(run.run_id, 3, json!("?")) };
    world.store.begin_step(&open, lease).await.unwrap();
    assert!(world.store.suspend_run(run.run_id, lease, waiting).await.unwrap());
    (run, lease)
}

fn question() -> Waiting {
    Waiting::Person {
        step: 3,
        question: json!({ "question": "really?", "options": ["yes\0", 1.5] }),
        until: None,
    }
}

store::on_both! {
    async fn a_run_that_waits_is_nobodys(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = wait(&world, &question()).await;
        let waits = world.store.run(run.run_id).await.unwrap().unwrap();
        assert_eq!((waits.state, waits.waiting, waits.lease), (RunState::Waiting, Some(question()), None));
        assert_eq!(world.store.claim(node(), at(99), at(100), 9).await.unwrap(), []);
        let before = database.dump().await;
        assert!(!world.store.suspend_run(run.run_id, lease, &question()).await.unwrap());
        assert_eq!(world.store.wake_runs(at(99)).await.unwrap(), []);
        assert_eq!(database.dump().await, before);
    }

    async fn an_answer_finishes_the_step_and_queues_the_run(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, _) = wait(&world, &question()).await;
        let actor = Actor::Token(TokenId(id()));
        let answer = json!({ "answer": null });
        assert!(world.store.answer_run(run.run_id, 3, &answer, &actor, at(50)).await.unwrap());
        let answered = world.store.step(run.run_id, 3).await.unwrap().unwrap();
        assert_eq!(answered.result, Some(answer.clone()));
        assert_eq!((answered.answered_by, answered.finished_at), (Some(actor.clone()), Some(at(50))));
        let claimed = world.store.claim(node(), at(50), at(100), 9).await.unwrap();
        assert_eq!((claimed[0].run_id, &claimed[0].waiting), (run.run_id, &None));
        assert_eq!(claimed[0].lease.unwrap().fence, 2);
        assert!(!world.store.answer_run(run.run_id, 3, &answer, &actor, at(51)).await.unwrap());
    }

    async fn an_answer_to_something_else_is_none(database: &TestDatabase) {
        let world = World::open(database).await;
        let (asks, _) = wait(&world, &question()).await;
        let (sleeps, _) = wait(&world, &Waiting::Time { step: 3, until: at(70) }).await;
        let runs = waited("a", node());
        world.store.start_run(&runs, &[]).await.unwrap();
        let before = database.dump().await;
        for (run, position) in [(asks.run_id, 2), (sleeps.run_id, 3), (runs.run_id, 3), (RunId(id()), 3)] {
            let answer = json!(1);
            let heard = world.store.answer_run(run, position, &answer, &Actor::CommandLine, at(50));
            assert!(!heard.await.unwrap(), "{run} {position}");
        }
        assert_eq!(database.dump().await, before);
    }

    async fn of_many_who_answer_at_once_one_is_heard(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, _) = wait(&world, &question()).await;
        let answering: Vec<_> = (0..16)
            .map(|n| {
                let store = world.store.clone();
                let answer = json!(n);
                tokio::spawn(async move {
                    store.answer_run(run.run_id, 3, &answer, &Actor::CommandLine, at(50)).await.unwrap()
                })
            })
            .collect();
        let mut heard = Vec::new();
        for (n, answering) in answering.into_iter().enumerate() {
            if answering.await.unwrap() {
                heard.push(json!(n));
            }
        }
        assert_eq!(heard.len(), 1);
        assert_eq!(world.store.step(run.run_id, 3).await.unwrap().unwrap().result.as_ref(), heard.first());
    }

    async fn a_run_that_waits_for_a_time_is_woken_then_and_not_before(database: &TestDatabase) {
        let world = World::open(database).await;
        let (late, _) = wait(&world, &Waiting::Time { step: 3, until: at(80) }).await;
        let (soon, _) = wait(&world, &Waiting::Time { step: 3, until: at(70) }).await;
        assert_eq!(world.store.wake_runs(at(69)).await.unwrap(), []);
        assert_eq!(world.store.wake_runs(at(70)).await.unwrap(), [soon.run_id]);
        assert_eq!(world.store.wake_runs(at(70)).await.unwrap(), []);
        let woken = world.store.run(soon.run_id).await.unwrap().unwrap();
        let how = How { due_at: Some(at(70)), ..soon.how };
        assert_eq!((woken.state, woken.waiting, woken.how), (RunState::Queued, None, how));
        assert_eq!(world.store.wake_runs(at(90)).await.unwrap(), [late.run_id]);
    }

    async fn a_decision_queues_the_runs_that_wait_for_it_and_no_others(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut proposed = changeset(vec![put("a", 1)]);
        proposed.number = world.store.record_changeset(&proposed).await.unwrap();
        let other = world.store.record_changeset(&changeset(vec![put("b", 1)])).await.unwrap();
        let (first, _) = wait(&world, &Waiting::Decision { changeset: proposed.number }).await;
        let (second, _) = wait(&world, &Waiting::Decision { changeset: proposed.number }).await;
        let (elsewhere, _) = wait(&world, &Waiting::Decision { changeset: other }).await;
        assert_eq!(world.store.wake_runs(at(99)).await.unwrap(), []);
        let rejected = Changeset { state: ChangesetState::Rejected, decided_at: Some(at(50)), ..proposed.clone() };
        world.store.decide_changeset(&rejected, ChangesetState::Checked, &[]).await.unwrap();
        let mut claimed: Vec<_> = world.store.claim(node(), at(50), at(100), 9).await.unwrap().iter().map(|run| run.run_id).collect();
        claimed.sort();
        let mut woken = [first.run_id, second.run_id];
        woken.sort();
        assert_eq!(claimed, woken);
        assert_eq!(world.store.run(elsewhere.run_id).await.unwrap().unwrap().state, RunState::Waiting);
        // Whoever begins to wait for what is decided goes on at once.
        let (late, _) = wait(&world, &Waiting::Decision { changeset: proposed.number }).await;
        assert_eq!(world.store.run(late.run_id).await.unwrap().unwrap().state, RunState::Queued);
    }
}
