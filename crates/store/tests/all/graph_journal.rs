//! The journal of a Run of a Graph: a turn is written whole by whoever holds the Run, and read back in order.

use model::graph::scheduler::{ExecutionId, Happened, NodeIndex};
use model::run::lane::Lane;
use model::run::step::Step;
use model::run::{Lease, Run};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Error, GraphEntry, GraphTurn};

use crate::runs::{node, waited};
use crate::steps::step;
use crate::world::{World, at};

async fn started(world: &World) -> (Run, Lease) {
    let run = waited("g", node());
    world.store.start_run(&run, &[]).await.unwrap();
    let lease = run.lease.unwrap();
    (run, lease)
}

fn execution(node: u32, number: u32) -> ExecutionId {
    ExecutionId { node: NodeIndex(node), number }
}

/// An execution that is over.
fn whole(run: &Run, position: u32, node: u32, number: u32) -> Step {
    let lane = Lane::new(&format!("node/{node}")).unwrap();
    Step { lane, number, ..step(run.run_id, position, json!({ "node": "\0ü", "input": {} })) }
}

fn emitted(seq: u64, position: u32, node: u32, number: u32) -> GraphEntry {
    let value = json!({ "b": null, "a": "\0 \u{1f388}" }).into();
    let happened =
        Happened::Emitted { execution: execution(node, number), index: 0, pin: "output".to_owned(), value };
    GraphEntry { seq, position: Some(position), happened }
}

store::on_both! {
    async fn a_turn_is_written_whole_and_read_back_in_order(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let open = Step { result: None, finished_at: None, ..whole(&run, 2, 1, 1) };
        let first = GraphTurn {
            new: vec![whole(&run, 1, 0, 1), open.clone()],
            ended: Vec::new(),
            happened: vec![emitted(1, 1, 0, 1), GraphEntry { seq: 2, position: None, happened: Happened::Cancelled }],
        };
        world.store.record_graph_turn(run.run_id, lease, &first, Durability::Process).await.unwrap();
        let ended = Step { finished_at: Some(at(9)), ..open };
        let second =
            GraphTurn { ended: vec![ended.clone()], happened: vec![emitted(3, 2, 1, 1)], ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &second, Durability::Power).await.unwrap();

        let all = [first.happened.clone(), second.happened.clone()].concat();
        assert_eq!(world.store.graph_journal(run.run_id, 0, 10).await.unwrap(), all);
        assert_eq!(world.store.graph_journal(run.run_id, 1, 1).await.unwrap(), all[1..2]);
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), [whole(&run, 1, 0, 1), ended]);
    }

    async fn whoever_lost_the_run_writes_nothing_of_a_turn(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let before = database.dump().await;
        let turn = GraphTurn {
            new: vec![whole(&run, 1, 0, 1)],
            happened: vec![emitted(1, 1, 0, 1)],
            ..GraphTurn::default()
        };
        let stale = Lease { fence: lease.fence + 1, ..lease };
        let error = world.store.record_graph_turn(run.run_id, stale, &turn, Durability::Process).await.unwrap_err();
        assert!(matches!(error, Error::GuardFailed { .. }), "{error}");
        let absent = GraphTurn { ended: vec![whole(&run, 7, 0, 1)], ..turn };
        let error = world.store.record_graph_turn(run.run_id, lease, &absent, Durability::Process).await.unwrap_err();
        assert!(matches!(error, Error::GuardFailed { .. }), "{error}");
        assert_eq!(database.dump().await, before);
    }

    async fn executions_are_paged_also_those_of_one_node(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let new: Vec<Step> = (1..=6).map(|position| whole(&run, position, position % 2, position.div_ceil(2))).collect();
        let happened = (1..=6).map(|seq| emitted(u64::from(seq), seq, seq % 2, seq.div_ceil(2))).collect();
        let turn = GraphTurn { new, ended: Vec::new(), happened };
        world.store.record_graph_turn(run.run_id, lease, &turn, Durability::Process).await.unwrap();
        let positions = |steps: Vec<Step>| steps.iter().map(|step| step.position).collect::<Vec<_>>();
        let page = world.store.graph_steps(run.run_id, None, 1, 3).await.unwrap();
        assert_eq!(positions(page), [2, 3, 4]);
        let lane = Lane::new("node/1").unwrap();
        let of_node = world.store.graph_steps(run.run_id, Some(&lane), 1, 3).await.unwrap();
        assert_eq!(positions(of_node), [3, 5]);
        let outputs = world.store.graph_outputs(run.run_id, &[5, 3]).await.unwrap();
        assert_eq!(outputs, [emitted(3, 3, 1, 2), emitted(5, 5, 1, 3)]);
    }
}
