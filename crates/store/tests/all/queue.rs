//! The queue: what is due goes in order, once, and never more of one kind at once than it allows.

use std::collections::HashSet;

use jiff::Timestamp;
use model::ids::{NodeId, RunId};
use model::run::step::Step;
use model::run::{Concurrency, How, Lease, Run, RunError, RunState};
use serde_json::json;
use store::Store;
use store::testing::TestDatabase;

use crate::ending::succeeded;
use crate::runs::{ids, node, queued};
use crate::steps::step;
use crate::world::{World, at};

fn with(how: How) -> Run {
    Run { how, ..queued("a") }
}

fn limited(key: &str, limit: u32) -> Run {
    with(How { concurrency: Some(Concurrency { key: key.to_owned(), limit }), ..How::default() })
}

async fn start(store: &Store, runs: &[Run]) {
    for run in runs {
        store.start_run(run, &[]).await.unwrap();
    }
}

async fn claim(store: &Store, node: NodeId, now: Timestamp, limit: u32) -> Vec<Run> {
    store.claim(node, now, at(100), limit).await.unwrap()
}

store::on_both! {
    async fn a_claimed_run_is_this_nodes_and_is_not_claimed_again(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = queued("a");
        start(&world.store, std::slice::from_ref(&run)).await;
        let mine = node();
        let claimed = claim(&world.store, mine, at(3), 10).await;
        let lease = Lease { node: mine, fence: 1, until: at(100) };
        let expected =
            Run { state: RunState::Running, started_at: Some(at(3)), lease: Some(lease), ..run.clone() };
        assert_eq!(claimed, std::slice::from_ref(&expected));
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(expected));
        assert_eq!(claim(&world.store, node(), at(3), 10).await, []);
    }

    async fn what_is_due_goes_by_priority_then_by_how_long_it_is_due(database: &TestDatabase) {
        let world = World::open(database).await;
        let due = |second| Some(at(second));
        let runs = [
            with(How { due_at: due(5), ..How::default() }),
            with(How { due_at: due(4), ..How::default() }),
            with(How { priority: 2, due_at: due(6), ..How::default() }),
            with(How { priority: -1, ..How::default() }),
            with(How { priority: 2, due_at: due(11), ..How::default() }),
            with(How { due_at: due(4), ..How::default() }),
        ];
        start(&world.store, &runs).await;
        let places = |claimed: Vec<Run>| -> Vec<usize> {
            let place = |run: &Run| runs.iter().position(|known| known.run_id == run.run_id).unwrap();
            claimed.iter().map(place).collect()
        };
        assert_eq!(places(claim(&world.store, node(), at(10), 2).await), [2, 1]);
        assert_eq!(places(claim(&world.store, node(), at(10), 9).await), [5, 0, 3]);
        assert_eq!(places(claim(&world.store, node(), at(10), 9).await), [0; 0]);
        assert_eq!(places(claim(&world.store, node(), at(11), 9).await), [4]);
    }

    async fn no_more_run_at_once_than_their_key_allows(database: &TestDatabase) {
        let world = World::open(database).await;
        let mine = node();
        let mut runs: Vec<Run> = (0..4).map(|_| limited("k", 2)).collect();
        runs.extend([limited("other", 1), queued("a")]);
        start(&world.store, &runs).await;
        let claimed = claim(&world.store, mine, at(9), 10).await;
        assert_eq!(ids(&claimed), ids([&runs[0], &runs[1], &runs[4], &runs[5]]));
        assert_eq!(claim(&world.store, mine, at(9), 10).await, []);
        world.store.finish_run(&succeeded(&claimed[0]), store::Durability::Process).await.unwrap();
        assert_eq!(ids(&claim(&world.store, mine, at(9), 10).await), ids([&runs[2]]));
        let lease = claimed[1].lease.unwrap();
        assert!(world.store.requeue_run(claimed[1].run_id, lease, at(50), 1, None).await.unwrap());
        assert_eq!(ids(&claim(&world.store, mine, at(9), 10).await), ids([&runs[3]]));
    }

    async fn what_has_to_wait_for_its_key_does_not_hold_up_others(database: &TestDatabase) {
        let world = World::open(database).await;
        let blocked: Vec<Run> = (0..20).map(|_| limited("k", 1)).collect();
        let free = [queued("a"), limited("free", 1), limited("of different minds", 5), limited("of different minds", 1)];
        start(&world.store, &blocked).await;
        start(&world.store, &free).await;
        let claimed = claim(&world.store, node(), at(9), 4).await;
        // Two of the last key would be one more than the second of them allows.
        assert_eq!(ids(&claimed), ids([&blocked[0], &free[0], &free[1], &free[2]]));
        let none = claim(&world.store, node(), at(9), 4).await;
        assert_eq!(none, []);
    }

    async fn a_run_that_is_put_back_is_claimed_again_with_a_higher_fence(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = queued("a");
        start(&world.store, std::slice::from_ref(&run)).await;
        let first = claim(&world.store, node(), at(3), 1).await.remove(0);
        let error = RunError::of("E", "m");
        let lease = first.lease.unwrap();
        assert!(world.store.requeue_run(run.run_id, lease, at(20), 2, Some(&error)).await.unwrap());
        let back = world.store.run(run.run_id).await.unwrap().unwrap();
        let how = How { due_at: Some(at(20)), ..run.how.clone() };
        let expected = Run { attempt: 2, how, error: Some(error), started_at: Some(at(3)), ..run.clone() };
        assert_eq!(back, expected);
        assert_eq!(claim(&world.store, node(), at(19), 1).await, []);
        let second = claim(&world.store, node(), at(20), 1).await.remove(0);
        assert_eq!(second.lease.unwrap().fence, 2);
        assert_eq!((second.attempt, second.started_at), (2, Some(at(3))));
        // Whoever held it before can neither end it nor put it back.
        let before = database.dump().await;
        assert!(!world.store.requeue_run(run.run_id, lease, at(1), 9, None).await.unwrap());
        assert!(!world.store.finish_run(&succeeded(&first), store::Durability::Process).await.unwrap());
        assert_eq!(database.dump().await, before);
    }

    async fn one_run_can_be_claimed_out_of_turn_but_not_before_its_time_or_over_its_limit(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs = [
            queued("a"),
            with(How { priority: -5, ..How::default() }),
            with(How { due_at: Some(at(20)), ..How::default() }),
            limited("k", 1),
            limited("k", 1),
        ];
        start(&world.store, &runs).await;
        let mine = node();
        let claim = async |run: &Run| world.store.claim_run(run.run_id, mine, at(9), at(100)).await.unwrap();
        let claimed = claim(&runs[1]).await.unwrap();
        assert_eq!((claimed.state, claimed.lease), (RunState::Running, Some(Lease { node: mine, fence: 1, until: at(100) })));
        assert_eq!(claim(&runs[1]).await, None);
        assert_eq!(claim(&runs[2]).await, None);
        let limited = claim(&runs[3]).await.unwrap();
        assert_eq!(claim(&runs[4]).await, None);
        world.store.finish_run(&succeeded(&limited), store::Durability::Process).await.unwrap();
        assert!(claim(&runs[4]).await.is_some());
        assert_eq!(ids(&self::claim(&world.store, mine, at(9), 10).await), ids([&runs[0]]));
    }

    async fn a_run_that_is_tried_again_asks_again_for_what_failed_last(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = queued("a");
        start(&world.store, std::slice::from_ref(&run)).await;
        let error = RunError::of("E", "m");
        let failed = |position| Step { result: None, error: Some(error.clone()), ..step(run.run_id, position, json!(1)) };
        let logged = |position| Step { verb: "log".to_owned(), ..step(run.run_id, position, json!(1)) };
        let steps = [failed(1), step(run.run_id, 2, json!(1)), logged(3), failed(4), failed(5), logged(6)];
        let lease = claim(&world.store, node(), at(3), 1).await[0].lease.unwrap();
        for step in &steps {
            world.store.record_step(step, lease).await.unwrap();
        }
        assert!(world.store.requeue_run(run.run_id, lease, at(3), 1, None).await.unwrap());
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), steps, "to be resumed it needs all");
        let lease = claim(&world.store, node(), at(3), 1).await[0].lease.unwrap();
        assert!(world.store.requeue_run(run.run_id, lease, at(3), 2, Some(&error)).await.unwrap());
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), steps[..3]);
    }

    async fn what_failed_in_one_lane_is_asked_for_again_though_others_went_on(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = queued("a");
        start(&world.store, std::slice::from_ref(&run)).await;
        let error = RunError::of("E", "m");
        let in_lane = |lane: &str, number, position| {
            Step { lane: lane.parse().unwrap(), number, ..step(run.run_id, position, json!(1)) }
        };
        let failed = Step { result: None, error: Some(error.clone()), ..in_lane("main/1", 1, 1) };
        let others = [in_lane("main/2", 1, 2), in_lane("main/2", 2, 3)];
        let lease = claim(&world.store, node(), at(3), 1).await[0].lease.unwrap();
        for step in std::iter::once(&failed).chain(&others) {
            world.store.record_step(step, lease).await.unwrap();
        }
        assert!(world.store.requeue_run(run.run_id, lease, at(3), 2, Some(&error)).await.unwrap());
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), others);
    }

    async fn claimers_at_once_take_every_run_once(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs: Vec<Run> = (0..200).map(|n| with(How { priority: n % 3, ..How::default() })).collect();
        start(&world.store, &runs).await;
        let claimers: Vec<_> = (0..4)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move {
                    let (mine, mut taken) = (node(), Vec::new());
                    // Those that others are about to take are passed over, so nothing left to take is no end.
                    while !queue_is_empty(&store).await {
                        taken.extend(ids(&claim(&store, mine, at(9), 7).await));
                    }
                    taken
                })
            })
            .collect();
        let mut taken: Vec<RunId> = Vec::new();
        for claimer in claimers {
            taken.extend(claimer.await.unwrap());
        }
        assert_eq!(taken.len(), runs.len());
        assert_eq!(taken.iter().collect::<HashSet<_>>().len(), runs.len());
    }

    async fn claimers_at_once_never_exceed_a_limit(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs: Vec<Run> = (0..60).map(|n| limited(if n % 2 == 0 { "x" } else { "y" }, 3)).collect();
        start(&world.store, &runs).await;
        let claimers: Vec<_> = (0..4)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move {
                    let (mine, mut done) = (node(), 0);
                    while !queue_is_empty(&store).await {
                        for run in claim(&store, mine, at(9), 5).await {
                            assert!(running_with_key_of(&store, &run).await <= 3);
                            store.finish_run(&succeeded(&run), store::Durability::Process).await.unwrap();
                            done += 1;
                        }
                    }
                    done
                })
            })
            .collect();
        let mut done = 0;
        for claimer in claimers {
            done += claimer.await.unwrap();
        }
        assert_eq!(done, runs.len());
    }
}

async fn queue_is_empty(store: &Store) -> bool {
    of_state(store, RunState::Queued).await.is_empty()
}

async fn running_with_key_of(store: &Store, run: &Run) -> usize {
    let running = of_state(store, RunState::Running).await;
    running.iter().filter(|other| other.how.concurrency == run.how.concurrency).count()
}

async fn of_state(store: &Store, state: RunState) -> Vec<Run> {
    let filter = store::RunFilter { states: vec![state], ..store::RunFilter::default() };
    store.runs(&filter, 1_000).await.unwrap()
}
