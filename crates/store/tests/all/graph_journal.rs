//! The journal of a Run of a Graph: a turn is written whole by whoever holds the Run, and read back in order.

use model::graph::run_options::GraphOptions;
use model::graph::scheduler::{ExecutionId, Happened, NodeIndex};
use model::ids::RunId;
use model::run::lane::Lane;
use model::run::step::Step;
use model::run::{Lease, Run, RunError, RunState, Waiting};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Error, GraphEntry, GraphTurn};

use crate::runs::{node, waited};
use crate::steps::step;
use crate::world::{World, at, audit, event, id};

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
            happened: vec![emitted(1, 1, 0, 1), GraphEntry { seq: 2, position: None, happened: Happened::Cancelled }],
            events: vec![event("asks")],
            ..GraphTurn::default()
        };
        world.store.record_graph_turn(run.run_id, lease, &first, Durability::Process).await.unwrap();
        assert_eq!(world.store.events_after(0, 10).await.unwrap().pop().unwrap().fact, event("asks"));
        let ended = Step { finished_at: Some(at(9)), ..open };
        let second =
            GraphTurn { ended: vec![ended.clone()], happened: vec![emitted(3, 2, 1, 1)], ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &second, Durability::Power).await.unwrap();

        let all = [first.happened.clone(), second.happened.clone()].concat();
        assert_eq!(world.store.graph_journal(run.run_id, 0, 10).await.unwrap(), all);
        assert_eq!(world.store.graph_journal(run.run_id, 1, 1).await.unwrap(), all[1..2]);
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), [whole(&run, 1, 0, 1), ended]);
    }

    async fn only_what_is_large_counts_of_a_journal(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let bytes = async || world.store.graph_journal_bytes(run.run_id).await.unwrap();
        let small =
            GraphTurn { new: vec![whole(&run, 1, 0, 1)], happened: vec![emitted(1, 1, 0, 1)], ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &small, Durability::Process).await.unwrap();
        assert_eq!(bytes().await, 0);
        let request = json!({ "node": "b", "input": { "text": "x".repeat(10_000) } });
        let large = GraphTurn { new: vec![Step { request, ..whole(&run, 2, 1, 1) }], ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &large, Durability::Process).await.unwrap();
        assert!((9_000..11_000).contains(&bytes().await), "{}", bytes().await);
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
        let turn = GraphTurn { new, happened, ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &turn, Durability::Process).await.unwrap();
        let positions = |steps: Vec<Step>| steps.iter().map(|step| step.position).collect::<Vec<_>>();
        let page = world.store.graph_steps(run.run_id, None, 1, 3).await.unwrap();
        assert_eq!(positions(page), [2, 3, 4]);
        let lane = Lane::new("node/1").unwrap();
        let of_node = world.store.graph_steps(run.run_id, Some(&lane), 1, 3).await.unwrap();
        assert_eq!(positions(of_node), [3, 5]);
        let chosen = world.store.graph_steps_at(run.run_id, &[5, 2, 9]).await.unwrap();
        assert_eq!(positions(chosen), [2, 5]);
        assert_eq!(world.store.graph_steps_at(run.run_id, &[]).await.unwrap(), []);
        let outputs = world.store.graph_outputs(run.run_id, &[5, 3]).await.unwrap();
        assert_eq!(outputs, [emitted(3, 3, 1, 2), emitted(5, 5, 1, 3)]);
        // Of an execution that gave much only the first is read.
        let more = (7..=9).map(|seq| emitted(seq, 5, 1, 3)).collect();
        let turn = GraphTurn { happened: more, ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &turn, Durability::Process).await.unwrap();
        for (most, seqs) in [(0, vec![]), (1, vec![3, 5]), (3, vec![3, 5, 7, 8]), (9, vec![3, 5, 7, 8, 9])] {
            let first = world.store.first_graph_outputs(run.run_id, &[5, 3, 77], most).await.unwrap();
            assert_eq!(first.iter().map(|entry| entry.seq).collect::<Vec<_>>(), seqs, "{most}");
        }
    }

    async fn what_a_run_is_told_is_kept_until_it_is_journaled(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let told = [Happened::Resumed, Happened::Cancelled];
        assert!(world.store.command_graph_run(run.run_id, &told[..1], &audit("run.release")).await.unwrap());
        assert!(world.store.command_graph_run(run.run_id, &told[1..], &audit("run.release")).await.unwrap());
        let commands = world.store.graph_commands(run.run_id).await.unwrap();
        assert_eq!(commands, [(1, Happened::Resumed), (2, Happened::Cancelled)]);
        let entry = GraphEntry { seq: 1, position: None, happened: Happened::Resumed };
        let turn = GraphTurn { happened: vec![entry], heard: Some(1), ..GraphTurn::default() };
        world.store.record_graph_turn(run.run_id, lease, &turn, Durability::Process).await.unwrap();
        assert_eq!(world.store.graph_commands(run.run_id).await.unwrap(), commands[1..]);
        // It is about to wait, and must not miss what it was told meanwhile.
        let waiting = Waiting::Breakpoints { nodes: Vec::new(), values: 1, until: None };
        assert!(world.store.suspend_run(run.run_id, lease, &waiting).await.unwrap());
        assert_eq!(world.store.run(run.run_id).await.unwrap().unwrap().state, RunState::Queued);
        let deeds = world.store.audit(None, 10).await.unwrap();
        assert_eq!(deeds.iter().map(|deed| deed.verb.as_str()).collect::<Vec<_>>(), ["run.release"; 2]);
        assert!(!world.store.command_graph_run(RunId(id()), &told, &audit("run.release")).await.unwrap());
        assert_eq!(world.store.audit(None, 10).await.unwrap().len(), 2, "what was not done is no deed");
    }

    async fn a_run_that_waits_is_queued_when_it_is_told_something(database: &TestDatabase) {
        let world = World::open(database).await;
        let (run, lease) = started(&world).await;
        let waiting = Waiting::Breakpoints { nodes: vec!["a".to_owned()], values: 0, until: None };
        assert!(world.store.suspend_run(run.run_id, lease, &waiting).await.unwrap());
        assert_eq!(world.store.run(run.run_id).await.unwrap().unwrap().waiting, Some(waiting));
        assert!(world.store.command_graph_run(run.run_id, &[Happened::Cancelled], &audit("run.release")).await.unwrap());
        assert_eq!(world.store.run(run.run_id).await.unwrap().unwrap().state, RunState::Queued);
    }

    async fn a_run_that_goes_on_from_another_has_what_succeeded_there(database: &TestDatabase) {
        let world = World::open(database).await;
        let (failed, lease) = started(&world).await;
        let error = RunError { type_name: "OSError".to_owned(), message: "down".to_owned(), traceback: None, hint: None };
        let new = vec![
            whole(&failed, 1, 0, 1),
            Step { error: Some(error), ..whole(&failed, 2, 1, 1) },
            Step { finished_at: None, ..whole(&failed, 3, 2, 1) },
        ];
        let turn = GraphTurn { new, happened: vec![emitted(1, 1, 0, 1)], ..GraphTurn::default() };
        world.store.record_graph_turn(failed.run_id, lease, &turn, Durability::Process).await.unwrap();
        let (last, open) = world.store.open_graph_steps(failed.run_id).await.unwrap();
        assert_eq!((last, open.iter().map(|step| step.position).collect::<Vec<_>>()), (3, vec![3]));
        let mut run = waited("g", node());
        let options = GraphOptions { resumes: Some(failed.run_id), ..GraphOptions::default() };
        run.how.graph = Some(Box::new(options));
        world.store.start_run(&run, &[]).await.unwrap();
        assert_eq!(world.store.run(run.run_id).await.unwrap().unwrap().how, run.how);
        let kept = Step { run_id: run.run_id, ..whole(&failed, 1, 0, 1) };
        assert_eq!(world.store.steps(run.run_id).await.unwrap(), [kept]);
        assert_eq!(world.store.graph_journal(run.run_id, 0, 10).await.unwrap(), turn.happened);
        assert_eq!(world.store.graph_commands(run.run_id).await.unwrap(), [(1, Happened::Resumed)]);
    }
}
