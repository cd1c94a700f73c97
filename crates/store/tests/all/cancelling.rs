//! Cancelling: a run and all below it, whatever they are at.

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::event::EventKind;
use model::function::run_options::Record;
use model::ids::{RunId, TokenId};
use model::run::chain::Chain;
use model::run::{How, Run, RunState, Waiting};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Store};

use crate::ending::{rows_with, succeeded};
use crate::runs::{ids, node, queued, waited};
use crate::steps::step;
use crate::world::{World, at, id};

const ACTOR: Actor = Actor::CommandLine;

async fn cancel(store: &Store, run: &Run) -> Vec<RunId> {
    store.request_cancel(run.run_id, &ACTOR, at(30), &Scope::All).await.unwrap()
}

fn below(parent: &Run, run: Run) -> Run {
    Run { parent: Some(parent.run_id), ..run }
}

store::on_both! {
    async fn what_has_no_cell_ends_at_once_and_what_runs_is_marked(database: &TestDatabase) {
        let world = World::open(database).await;
        let mine = node();
        let root = waited("root", mine);
        let waits = below(&root, waited("waits", mine));
        let lies = below(&waits, queued("lies"));
        let ended = below(&root, waited("ended", mine));
        let chain = Chain { root: Some(root.run_id), fired: Vec::new() };
        let triggered = Run { chain, ..queued("triggered") };
        let stranger = queued("stranger");
        for run in [&root, &waits, &lies, &ended, &triggered, &stranger] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        let question = Waiting::Person { step: 1, question: json!("?"), until: None };
        assert!(world.store.suspend_run(waits.run_id, waits.lease.unwrap(), &question).await.unwrap());
        assert!(world.store.finish_run(&succeeded(&ended), Durability::Process).await.unwrap());
        assert_eq!(cancel(&world.store, &root).await, ids([&root, &waits, &lies, &triggered]));
        let cancelled = Some((ACTOR, at(30)));
        for run in [&waits, &lies, &triggered] {
            let now = world.store.run(run.run_id).await.unwrap().unwrap();
            assert_eq!((now.state, now.finished_at, &now.waiting), (RunState::Cancelled, Some(at(30)), &None));
            assert_eq!((&now.cancelled, now.ending), (&cancelled, None));
        }
        let marked = world.store.run(root.run_id).await.unwrap().unwrap();
        assert_eq!(marked, Run { cancelled, ..root.clone() });
        for run in [&ended, &stranger] {
            assert_eq!(world.store.run(run.run_id).await.unwrap().unwrap().cancelled, None);
        }
        let events = world.store.events_after(0, 10).await.unwrap();
        assert!(events.iter().all(|event| event.fact.kind == EventKind::RunCancelled && event.fact.at == at(30)), "{events:?}");
        let sources: Vec<&str> = events.iter().map(|event| event.fact.source.as_str()).collect();
        assert_eq!(sources, ["waits", "lies", "triggered"]);
    }

    async fn asking_again_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let root = waited("root", node());
        let child = below(&root, queued("child"));
        for run in [&root, &child] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        cancel(&world.store, &root).await;
        let before = database.dump().await;
        let other = Actor::Token(TokenId(id()));
        assert_eq!(world.store.request_cancel(root.run_id, &other, at(40), &Scope::All).await.unwrap(), [root.run_id]);
        assert_eq!(world.store.request_cancel(RunId(id()), &other, at(40), &Scope::All).await.unwrap(), []);
        assert_eq!(database.dump().await, before);
    }

    async fn a_run_whose_end_was_asked_for_ends_and_does_nothing_else(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = waited("a", node());
        let lease = run.lease.unwrap();
        world.store.start_run(&run, &[]).await.unwrap();
        cancel(&world.store, &run).await;
        let sleep = Waiting::Time { step: 1, until: at(99) };
        assert!(!world.store.suspend_run(run.run_id, lease, &sleep).await.unwrap());
        assert!(!world.store.requeue_run(run.run_id, lease, at(99), 2, None).await.unwrap());
        let finished = store::Finished { state: RunState::Cancelled, ..succeeded(&run) };
        assert!(world.store.finish_run(&finished, Durability::Process).await.unwrap());
        let ended = world.store.run(run.run_id).await.unwrap().unwrap();
        assert_eq!((ended.state, ended.cancelled), (RunState::Cancelled, Some((ACTOR, at(30)))));
    }

    async fn runs_that_are_claimed_while_they_are_cancelled_are_ended_or_marked(database: &TestDatabase) {
        let world = World::open(database).await;
        let root = waited("root", node());
        world.store.start_run(&root, &[]).await.unwrap();
        let children: Vec<Run> = (0..150).map(|_| below(&root, queued("child"))).collect();
        for run in &children {
            world.store.start_run(run, &[]).await.unwrap();
        }
        let claimer = {
            let store = world.store.clone();
            tokio::spawn(async move {
                let mut claimed = Vec::new();
                for _ in 0..20 {
                    claimed.extend(ids(&store.claim(node(), at(9), at(99), 3).await.unwrap()));
                }
                claimed
            })
        };
        let asked = cancel(&world.store, &root).await;
        let claimed = claimer.await.unwrap();
        assert_eq!(asked.len(), 1 + children.len());
        let mut ended = 0;
        for run in &children {
            let now = world.store.run(run.run_id).await.unwrap().unwrap();
            assert!(now.cancelled.is_some());
            let expected = if claimed.contains(&run.run_id) { RunState::Running } else { RunState::Cancelled };
            assert_eq!(now.state, expected);
            ended += usize::from(now.state == RunState::Cancelled);
        }
        assert_eq!(database.count("events").await, ended);
    }

    async fn of_a_cancelled_run_that_is_not_kept_only_that_it_ran_is_left(database: &TestDatabase) {
        let world = World::open(database).await;
        let hush = |run: Run, record| Run { input: json!("hush"), how: How { record, ..run.how.clone() }, ..run };
        let (waits, lies) = (hush(waited("a", node()), Record::None), hush(queued("a"), Record::None));
        let kept = hush(queued("a"), Record::Errors);
        for run in [&waits, &lies, &kept] {
            world.store.start_run(run, &[]).await.unwrap();
        }
        world.store.begin_step(&step(waits.run_id, 1, json!("hush")), waits.lease.unwrap()).await.unwrap();
        let question = Waiting::Person { step: 1, question: json!("hush"), until: None };
        assert!(world.store.suspend_run(waits.run_id, waits.lease.unwrap(), &question).await.unwrap());
        for run in [&waits, &lies, &kept] {
            cancel(&world.store, run).await;
            let now = world.store.run(run.run_id).await.unwrap().unwrap();
            assert_eq!(now.is_forgotten(), run.run_id != kept.run_id);
            assert_eq!(now.input == json!("hush"), run.run_id == kept.run_id);
        }
        assert_eq!(rows_with(database, "hush").await, 2, "the one that is kept, and the event that tells of it");
    }
}
