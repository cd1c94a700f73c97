//! Waking: a run of a graph that waits is queued when the run of one of its nodes ends, also if that ended just before it waited.

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::scope::Scope;
use model::run::step::Step;
use model::run::{How, Run, RunState, Waiting};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Finished};

use crate::ending::succeeded;
use crate::runs::{node, queued, waited};
use crate::steps::step;
use crate::world::{World, at};

const WAITING: Waiting = Waiting::Runs { until: Timestamp::MAX };

/// A graph that is held, with one node whose run has begun.
async fn graph_with_node(world: &World) -> (Run, Run) {
    let graph = waited("graph", node());
    let how = How { is_node: true, ..How::default() };
    let child = Run { parent: Some(graph.run_id), how, ..waited("child", node()) };
    world.store.start_run(&graph, &[]).await.unwrap();
    let begun = Step {
        verb: "node".to_owned(),
        child: Some(child.run_id),
        result: None,
        finished_at: None,
        ..step(graph.run_id, 1, json!({}))
    };
    world.store.begin_step(&begun, graph.lease.unwrap()).await.unwrap();
    world.store.start_run(&child, &[]).await.unwrap();
    (graph, child)
}

fn ended(graph: &Run, child: &Run) -> Finished {
    Finished { wakes: Some(graph.run_id), ..succeeded(child) }
}

async fn assert_queued(world: &World, graph: &Run) {
    let now = world.store.run(graph.run_id).await.unwrap().unwrap();
    assert_eq!((now.state, now.waiting, now.how.due_at), (RunState::Queued, None, Some(at(10))));
}

store::on_both! {
    async fn a_graph_is_woken_when_its_node_ends(database: &TestDatabase) {
        let world = World::open(database).await;
        let (graph, child) = graph_with_node(&world).await;
        assert!(world.store.suspend_run(graph.run_id, graph.lease.unwrap(), &WAITING).await.unwrap());
        assert!(world.store.finish_run(&ended(&graph, &child), Durability::Process).await.unwrap());
        assert_queued(&world, &graph).await;
    }

    async fn a_graph_does_not_wait_for_a_node_that_has_ended(database: &TestDatabase) {
        let world = World::open(database).await;
        let (graph, child) = graph_with_node(&world).await;
        assert!(world.store.finish_run(&ended(&graph, &child), Durability::Process).await.unwrap());
        assert!(world.store.suspend_run(graph.run_id, graph.lease.unwrap(), &WAITING).await.unwrap());
        assert_queued(&world, &graph).await;
    }

    async fn a_graph_is_woken_when_its_node_is_cancelled_before_it_begins(database: &TestDatabase) {
        let world = World::open(database).await;
        let (graph, _) = graph_with_node(&world).await;
        let how = How { is_node: true, ..How::default() };
        let child = Run { parent: Some(graph.run_id), how, ..queued("other") };
        world.store.start_run(&child, &[]).await.unwrap();
        assert!(world.store.suspend_run(graph.run_id, graph.lease.unwrap(), &WAITING).await.unwrap());
        world.store.request_cancel(child.run_id, &Actor::CommandLine, at(10), &Scope::All).await.unwrap();
        assert_queued(&world, &graph).await;
    }

    async fn a_node_that_ends_while_its_graph_begins_to_wait_wakes_it(database: &TestDatabase) {
        let world = World::open(database).await;
        for _ in 0..40 {
            let (graph, child) = graph_with_node(&world).await;
            let (store, ended) = (world.store.clone(), ended(&graph, &child));
            let ending = tokio::spawn(async move { store.finish_run(&ended, Durability::Process).await.unwrap() });
            assert!(world.store.suspend_run(graph.run_id, graph.lease.unwrap(), &WAITING).await.unwrap());
            assert!(ending.await.unwrap());
            assert_queued(&world, &graph).await;
        }
    }
}
