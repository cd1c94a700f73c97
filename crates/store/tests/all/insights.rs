//! Insights: counts and durations of one name's runs, from a time on.

use model::access::scope::Scope;
use model::ids::RunId;
use model::run::{Ending, How, Run, RunError, RunState, Usage};
use store::testing::TestDatabase;
use store::{Durations, ErrorCount, Insights};

use crate::runs::run;
use crate::world::{World, at, id_at, key};

fn took(second: i64, wall_us: u64) -> Run {
    let usage = Some(Usage { wall_us, cold: wall_us == 1, ..Usage::default() });
    Run { run_id: RunId(id_at(second)), created_at: at(second), usage, ..run(key("a")) }
}

fn failed(second: i64, type_name: &str) -> Run {
    let message = format!("in {}", if type_name == "KeyError" { second } else { 0 });
    let error = Some(RunError { type_name: type_name.to_owned(), message, traceback: None, hint: None });
    Run { state: RunState::Failed, ending: Some(Ending::Raised), output: None, error, ..took(second, 1) }
}

store::on_both! {
    async fn the_runs_of_a_name_are_summed_up(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runs: Vec<Run> = (1..=100).map(|n| took(100 + n, n as u64 * 10)).collect();
        runs.extend([failed(300, "KeyError"), failed(301, "ValueError"), failed(302, "KeyError")]);
        runs.push(Run { state: RunState::Cancelled, ending: None, usage: None, started_at: None, ..took(303, 1) });
        runs.push(Run { state: RunState::Running, ending: None, usage: None, finished_at: None, ..took(304, 1) });
        runs.push(took(50, 1_000_000));
        runs.push(Run { key: key("b"), ..took(200, 1_000_000) });
        world.store.record_runs(&runs).await.unwrap();
        let error = |type_name: &str, count, newest: usize| ErrorCount {
            type_name: type_name.to_owned(),
            message: (count == 1).then(|| "in 0".to_owned()),
            count,
            newest: runs[newest].run_id,
        };
        let expected = Insights {
            runs: 105,
            succeeded: 100,
            failed: 3,
            cancelled: 1,
            cold: 3,
            endings: vec![(Ending::Returned, 100), (Ending::Raised, 3)],
            errors: vec![error("KeyError", 2, 102), error("ValueError", 1, 101)],
            durations: Some(Durations { p50: 490, p95: 950, p99: 990, max: 1_000 }),
            total_us: 50_503,
            queued: None,
            more: false,
        };
        assert_eq!(world.store.insights("a", at(100)).await.unwrap(), expected);
        let all = world.store.insights("a", at(0)).await.unwrap();
        assert_eq!((all.runs, all.durations.unwrap().max), (106, 1_000_000));
        assert_eq!(world.store.insights("nobody", at(0)).await.unwrap(), Insights::default());
    }

    async fn waiting_in_the_queue_is_measured_where_runs_are_queued(database: &TestDatabase) {
        let world = World::open(database).await;
        let queued = |second: i64| Run { started_at: Some(at(second + second % 10)), ..took(second, 1) };
        let waited = Run { how: How { waited: true, ..How::default() }, ..queued(109) };
        world.store.record_runs(&[queued(101), queued(102), queued(103), waited]).await.unwrap();
        let queued = world.store.insights("a", at(0)).await.unwrap().queued.unwrap();
        assert_eq!(queued, Durations { p50: 2_000_000, p95: 3_000_000, p99: 3_000_000, max: 3_000_000 });
    }

    async fn the_names_that_runs_have_are_listed(database: &TestDatabase) {
        let world = World::open(database).await;
        world.store.record_runs(&[run(key("b")), run(key("a")), run(key("b")), run(key("größe"))]).await.unwrap();
        assert_eq!(world.store.run_names(9, &Scope::All).await.unwrap(), ["a", "b", "größe"]);
        assert_eq!(world.store.run_names(2, &Scope::All).await.unwrap(), ["a", "b"]);
    }

    async fn a_run_without_a_measure_took_from_its_start_to_its_end(database: &TestDatabase) {
        let world = World::open(database).await;
        let imported = Run { started_at: Some(at(2)), finished_at: Some(at(5)), ..run(key("a")) };
        world.store.record_runs(&[Run { created_at: at(2), run_id: RunId(id_at(2)), ..imported }]).await.unwrap();
        let durations = world.store.insights("a", at(0)).await.unwrap().durations.unwrap();
        assert_eq!((durations.p50, durations.p99), (3_000_000, 3_000_000));
    }
}
