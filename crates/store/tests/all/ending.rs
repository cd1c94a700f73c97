//! Endings: everything that is known at the end, by whoever holds the run, once.

use model::function::run_options::Record;
use model::ids::RunId;
use model::run::call::Call;
use model::run::output::{OutputChunk, OutputStream};
use model::run::{Concurrency, Ending, How, Lease, Run, RunError, RunState, Usage};
use serde_json::json;
use store::testing::TestDatabase;
use store::{Durability, Finished};

use crate::calls::call;
use crate::egress::request;
use crate::runs::{hard_values, node, waited};
use crate::steps::step;
use crate::world::{World, at, event, id};

/// The plainest ending of a run that is held.
pub(crate) fn succeeded(run: &Run) -> Finished {
    Finished {
        run_id: run.run_id,
        lease: run.lease.unwrap(),
        state: RunState::Succeeded,
        ending: Some(Ending::Returned),
        output: Some(json!(3)),
        error: None,
        usage: None,
        finished_at: at(10),
        calls: Vec::new(),
        output_chunks: Vec::new(),
        events: Vec::new(),
        forget: false,
        is_limited: false,
        wakes: None,
    }
}

fn chunk(stream: OutputStream, text: &str) -> OutputChunk {
    OutputChunk { stream, text: text.to_owned() }
}

/// How many rows hold a text, which SQLite shows byte by byte.
pub(crate) async fn rows_with(database: &TestDatabase, text: &str) -> usize {
    let listed = format!("{:?}", text.as_bytes());
    let listed = listed.trim_matches(['[', ']']);
    database.dump().await.iter().filter(|row| row.contains(text) || row.contains(listed)).count()
}

store::on_both! {
    async fn all_that_is_known_at_the_end_reads_back(database: &TestDatabase) {
        let world = World::open(database).await;
        for value in hard_values() {
            let run = waited("a", node());
            world.store.start_run(&run, &[]).await.unwrap();
            let error = RunError::of("E", "\0ü");
            let usage = Usage { wall_us: 1, cpu_us: 2, peak_memory_bytes: 3, ..Usage::default() };
            let chunks = [chunk(OutputStream::Stdout, "one\n"), chunk(OutputStream::Stderr, "ü🎈\n")];
            let finished = Finished {
                state: RunState::Failed,
                ending: Some(Ending::Raised),
                output: Some(value.clone()),
                error: Some(error.clone()),
                usage: Some(usage),
                calls: vec![call(run.run_id, 1, value.clone()), call(run.run_id, 2, value.clone())],
                output_chunks: chunks.to_vec(),
                events: vec![event("a"), event("b")],
                ..succeeded(&run)
            };
            assert!(world.store.finish_run(&finished, Durability::Process).await.unwrap());
            let expected = Run {
                state: RunState::Failed,
                ending: Some(Ending::Raised),
                output: Some(value),
                error: Some(error),
                usage: Some(usage),
                finished_at: Some(at(10)),
                lease: None,
                ..run.clone()
            };
            assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(expected));
            assert_eq!(world.store.calls(run.run_id).await.unwrap(), finished.calls);
            assert_eq!(world.store.output(run.run_id).await.unwrap(), chunks);
        }
        assert_eq!(world.store.events_after(0, 100).await.unwrap().len(), 2 * hard_values().len());
        assert_eq!(world.store.output(RunId(id())).await.unwrap(), []);
    }

    async fn of_a_run_that_is_not_kept_only_that_it_ran_is_left(database: &TestDatabase) {
        let world = World::open(database).await;
        let concurrency = Some(Concurrency { key: "hush".to_owned(), limit: 1 });
        let mut run = Run { input: json!({"a": "hush"}), ..waited("a", node()) };
        run.how = How { concurrency, record: Record::None, ..run.how };
        let other = waited("b", node());
        for (run, text) in [(&run, "hush"), (&other, "loud")] {
            world.store.start_run(run, &[]).await.unwrap();
            world.store.record_step(&step(run.run_id, 1, json!(text)), run.lease.unwrap()).await.unwrap();
            world.store.record_egress(&[(run.run_id, request(text))], &[(run.run_id, 1)]).await.unwrap();
        }
        let kept = Finished { output: None, forget: true, ..succeeded(&run) };
        assert!(world.store.finish_run(&kept, Durability::Process).await.unwrap());
        let ended = Run { state: RunState::Succeeded, ending: kept.ending, finished_at: Some(at(10)), lease: None, ..run.clone() };
        assert_eq!(world.store.run(run.run_id).await.unwrap(), Some(ended.forgotten()));
        assert_eq!((world.store.steps(run.run_id).await.unwrap(), world.store.egress(run.run_id).await.unwrap()), (vec![], vec![]));
        assert_eq!(world.store.steps(other.run_id).await.unwrap().len(), 1);
        assert_eq!(world.store.egress(other.run_id).await.unwrap().len(), 1);
        assert_eq!(world.store.egress_left_out(run.run_id).await.unwrap(), 0);
        assert_eq!(rows_with(database, "hush").await, 0);
    }

    async fn thousands_of_calls_are_a_few_rows(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = waited("a", node());
        world.store.start_run(&run, &[]).await.unwrap();
        let calls: Vec<Call> = (1..=2_500).map(|position| call(run.run_id, position, json!(position))).collect();
        let finished = Finished { calls: calls.clone(), ..succeeded(&run) };
        assert!(world.store.finish_run(&finished, Durability::Power).await.unwrap());
        assert_eq!(world.store.calls(run.run_id).await.unwrap(), calls);
        assert_eq!(database.count("call_chunks").await, 3);
    }

    async fn who_does_not_hold_the_run_cannot_end_it(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = waited("a", node());
        world.store.start_run(&run, &[]).await.unwrap();
        let lease = run.lease.unwrap();
        let before = database.dump().await;
        let telling = |run: &Run| Finished { events: vec![event("a")], calls: vec![call(run.run_id, 1, json!(1))], ..succeeded(run) };
        for other in [Lease { node: node(), ..lease }, Lease { fence: 0, ..lease }, Lease { fence: 2, ..lease }] {
            let held = Run { lease: Some(other), ..run.clone() };
            assert!(!world.store.finish_run(&telling(&held), Durability::Power).await.unwrap());
        }
        let unknown = Run { run_id: RunId(id()), ..run.clone() };
        assert!(!world.store.finish_run(&telling(&unknown), Durability::Power).await.unwrap());
        assert_eq!(database.dump().await, before);
        assert!(world.store.finish_run(&telling(&run), Durability::Power).await.unwrap());
        let before = database.dump().await;
        assert!(world.store.finish_run(&telling(&run), Durability::Power).await.unwrap(), "who did not hear it may ask again");
        let otherwise = Finished { finished_at: at(99), ..telling(&run) };
        assert!(!world.store.finish_run(&otherwise, Durability::Power).await.unwrap(), "it ends once");
        assert_eq!(database.dump().await, before);
    }

    async fn of_many_who_end_a_run_at_once_one_does(database: &TestDatabase) {
        let world = World::open(database).await;
        let run = waited("a", node());
        world.store.start_run(&run, &[]).await.unwrap();
        let ending: Vec<_> = (0..16)
            .map(|n| {
                let finished = Finished { events: vec![event("a")], finished_at: at(100 + n), ..succeeded(&run) };
                let store = world.store.clone();
                tokio::spawn(async move { store.finish_run(&finished, Durability::Process).await.unwrap() })
            })
            .collect();
        let mut ended = 0;
        for ending in ending {
            ended += usize::from(ending.await.unwrap());
        }
        assert_eq!((ended, database.count("events").await), (1, 1));
    }
}
