//! Pruning: what is old or too much goes, with all that belongs to it; what has not ended stays.

use model::ids::RunId;
use model::run::output::{OutputChunk, OutputStream};
use model::run::{Run, RunState};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Finished, Prune, Pruned, RunFilter, Store};

use crate::calls::call;
use crate::egress::request;
use crate::ending::succeeded;
use crate::runs::{node, run, waited};
use crate::steps::step;
use crate::world::{World, at, id_at, key};

/// One that was started and ended at a second.
fn past(second: i64) -> Run {
    Run {
        run_id: RunId(id_at(second)),
        created_at: at(second),
        started_at: Some(at(second)),
        finished_at: Some(at(second)),
        ..run(key("a"))
    }
}

/// The seconds of those that are left.
async fn left(store: &Store) -> Vec<i64> {
    let runs = store.runs(&RunFilter::default(), 1_000).await.unwrap();
    runs.iter().rev().map(|run| run.created_at.duration_since(at(0)).as_secs()).collect()
}

async fn prune_all(store: &Store, prune: &Prune) -> Pruned {
    let mut all = Pruned::default();
    loop {
        let pruned = store.prune_runs(prune).await.unwrap();
        if pruned.runs == 0 {
            return all;
        }
        assert!(pruned.runs <= u64::from(prune.limit));
        all = Pruned { runs: all.runs + pruned.runs, bytes: all.bytes + pruned.bytes };
    }
}

fn before(second: i64) -> Prune {
    Prune { before: Some(at(second)), limit: 2, ..Prune::default() }
}

store::on_both! {
    async fn what_ended_before_a_time_goes_in_portions(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runs: Vec<Run> = (0..6).map(|n| past(n * 100)).collect();
        // Started long ago, ended lately.
        runs[1].finished_at = Some(at(450));
        world.store.record_runs(&runs).await.unwrap();
        let first = world.store.prune_runs(&before(400)).await.unwrap();
        assert_eq!(first.runs, 2);
        assert!(first.bytes > 0);
        assert_eq!(left(&world.store).await, [100, 300, 400, 500]);
        assert_eq!(prune_all(&world.store, &before(400)).await.runs, 1);
        assert_eq!(left(&world.store).await, [100, 400, 500]);
    }

    async fn what_has_not_ended_is_never_pruned(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs = RunState::ALL.map(|state| Run { state, ..past(1) });
        world.store.record_runs(&runs).await.unwrap();
        let everything = Prune { max_bytes: Some(0), ..before(1_000_000) };
        assert_eq!(prune_all(&world.store, &everything).await.runs, 3);
        let states: Vec<RunState> =
            world.store.runs(&RunFilter::default(), 9).await.unwrap().iter().map(|run| run.state).collect();
        assert!(states.iter().all(|state| !state.is_final()), "{states:?}");
        assert_eq!(states.len(), 3);
    }

    async fn children_go_before_their_parents_and_keep_them_while_they_stay(database: &TestDatabase) {
        let world = World::open(database).await;
        let root = past(1);
        let child = Run { parent: Some(root.run_id), ..past(2) };
        let grandchild = Run { parent: Some(child.run_id), ..past(3) };
        let lonely = past(4);
        let late = Run { parent: Some(lonely.run_id), ..past(90) };
        world.store.record_runs(&[root, child, grandchild, lonely, late]).await.unwrap();
        assert_eq!(prune_all(&world.store, &before(50)).await.runs, 3);
        assert_eq!(left(&world.store).await, [4, 90]);
    }

    async fn what_is_beyond_the_size_goes_oldest_first(database: &TestDatabase) {
        let world = World::open(database).await;
        let large = |second| Run { input: json!("x".repeat(10_000)), ..past(second) };
        let runs: Vec<Run> = (0..6).map(|n| large(n * 100)).collect();
        world.store.record_runs(&runs).await.unwrap();
        let prune = Prune { max_bytes: Some(25_000), limit: 3, ..Prune::default() };
        let pruned = prune_all(&world.store, &prune).await;
        assert_eq!(left(&world.store).await, [400, 500]);
        assert!(pruned.runs == 4 && pruned.bytes > 40_000, "{pruned:?}");
        assert_eq!(prune_all(&world.store, &Prune { limit: 3, ..Prune::default() }).await, Pruned::default());
    }

    async fn the_newest_stay_in_any_case(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs: Vec<Run> = (0..6).map(|n| past(n * 100)).collect();
        world.store.record_runs(&runs).await.unwrap();
        let prune = Prune { keep_newest: 4, max_bytes: Some(0), ..before(100_000) };
        assert_eq!(prune_all(&world.store, &prune).await.runs, 2);
        assert_eq!(left(&world.store).await, [200, 300, 400, 500]);
        let more = Prune { keep_newest: 9, ..prune };
        assert_eq!(prune_all(&world.store, &more).await, Pruned::default());
    }

    async fn a_run_that_asked_for_nothing_takes_as_much_whether_its_journal_is_looked_at_or_not(database: &TestDatabase) {
        let world = World::open(database).await;
        for may_be_journaled in [true, false] {
            let run = waited("a", node());
            world.store.start_run(&run, &[]).await.unwrap();
            let finished = Finished { may_be_journaled, ..succeeded(&run) };
            assert!(world.store.finish_run(&finished, Durability::Process).await.unwrap());
            assert!(world.store.run(run.run_id).await.unwrap().unwrap().state.is_final());
        }
        let pruned = prune_all(&world.store, &before(1_000)).await;
        assert_eq!((pruned.runs, pruned.bytes % 2), (2, 0), "both took the same: {pruned:?}");
    }

    async fn all_that_belongs_to_a_run_goes_and_counts(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = Run { run_id: RunId(id_at(2)), ..waited("a", node()) };
        world.store.start_run(&run, &[]).await.unwrap();
        world.store.record_step(&step(run.run_id, 1, json!("s".repeat(1_000))), run.lease.unwrap()).await.unwrap();
        world.store.record_egress(&[(run.run_id, request("/"))], &[(run.run_id, 1)]).await.unwrap();
        let finished = Finished {
            output: Some(json!("o".repeat(1_000))),
            calls: vec![call(run.run_id, 1, json!("c".repeat(1_000)))],
            output_chunks: vec![OutputChunk { stream: OutputStream::Stdout, text: "p".repeat(1_000) }],
            ..succeeded(&run)
        };
        world.store.finish_run(&finished, Durability::Process).await.unwrap();
        let pruned = prune_all(&world.store, &before(1_000)).await;
        assert!((6_000..8_000).contains(&pruned.bytes), "{pruned:?}");
        for table in ["runs", "steps", "call_chunks", "run_output", "egress", "egress_left_out"] {
            assert_eq!(database.count(table).await, 0, "{table}");
        }
    }
}
