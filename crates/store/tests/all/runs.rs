//! Runs: everything that happened, read back as it was recorded.

use model::actor::Actor;
use model::entry::EntryKey;
use model::ids::{RunId, VersionId};
use model::revision::Revision;
use model::run::{Ending, Run, RunError, RunState};
use serde_json::{Value, json};
use store::testing::TestDatabase;
use store::{Error, RunFilter};

use crate::world::{World, at, graph_key, id, key, put};

pub(crate) fn run(key: EntryKey) -> Run {
    Run {
        run_id: RunId(id()),
        key,
        version_id: None,
        revision: Revision(1),
        state: RunState::Succeeded,
        ending: Some(Ending::Returned),
        input: json!({}),
        output: Some(json!(1)),
        error: None,
        actor: Actor::CommandLine,
        parent: None,
        created_at: at(1),
        started_at: Some(at(2)),
        finished_at: Some(at(3)),
    }
}

/// Values that a careless layer changes.
pub(crate) fn hard_values() -> Vec<Value> {
    let mut deep = json!("bottom");
    for level in 0..100 {
        deep = if level % 2 == 0 { json!([deep]) } else { json!({ "down": deep }) };
    }
    vec![
        Value::Null,
        json!(""),
        json!("NUL \0 and \u{1f388} and \u{202e} and ü"),
        json!({ "key\0": ["\u{7f}", "'; drop table runs; --", "$1"] }),
        json!([0, -0.0, 1e300, 0.1, i64::MIN, u64::MAX]),
        json!({}),
        deep,
    ]
}

store::on_both! {
    async fn every_value_reads_back_as_it_was_recorded(database: &TestDatabase) {
        let world = World::open(database).await;
        let mut runs = Vec::new();
        for value in hard_values() {
            let error = RunError {
                type_name: "ValueError".to_owned(),
                message: "NUL \0 ü".to_owned(),
                traceback: Some("line 1\nline 2".to_owned()),
            };
            runs.push(Run { input: value.clone(), output: Some(value), error: Some(error), ..run(key("a")) });
        }
        runs.push(Run { output: None, ending: None, started_at: None, finished_at: None, ..run(graph_key("g")) });
        world.store.record_runs(&runs).await.unwrap();
        for run in &runs {
            assert_eq!(world.store.run(run.run_id).await.unwrap().as_ref(), Some(run));
        }
        assert_eq!(world.store.run(RunId(id())).await.unwrap(), None);
    }

    async fn an_output_of_null_is_not_the_absence_of_one(database: &TestDatabase) {
        let world = World::open(database).await;
        let nothing = Run { output: None, ..run(key("a")) };
        let null = Run { output: Some(Value::Null), ..run(key("a")) };
        world.store.record_runs(&[nothing.clone(), null.clone()]).await.unwrap();
        assert_eq!(world.store.run(nothing.run_id).await.unwrap().unwrap().output, None);
        assert_eq!(world.store.run(null.run_id).await.unwrap().unwrap().output, Some(Value::Null));
    }

    async fn every_state_and_ending_is_kept(database: &TestDatabase) {
        let world = World::open(database).await;
        let states = RunState::ALL.map(|state| Run { state, ..run(key("a")) });
        let endings = Ending::ALL.map(|ending| Run { ending: Some(ending), ..run(key("a")) });
        let runs = [states.as_slice(), endings.as_slice()].concat();
        world.store.record_runs(&runs).await.unwrap();
        for run in &runs {
            assert_eq!(world.store.run(run.run_id).await.unwrap().as_ref(), Some(run));
        }
    }

    async fn recording_again_changes_nothing(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs = [run(key("a")), run(key("b"))];
        world.store.record_runs(&runs).await.unwrap();
        let before = database.dump().await;
        let changed = runs.clone().map(|run| Run { state: RunState::Failed, ..run });
        world.store.record_runs(&changed).await.unwrap();
        world.store.record_runs(&[]).await.unwrap();
        assert_eq!(database.dump().await, before);
    }

    async fn lists_are_newest_first_filtered_and_paged(database: &TestDatabase) {
        let world = World::open(database).await;
        let runs: Vec<Run> = (0..6)
            .map(|n| Run {
                state: if n < 3 { RunState::Failed } else { RunState::Succeeded },
                ..run(key(if n % 2 == 0 { "even" } else { "odd" }))
            })
            .collect();
        world.store.record_runs(&runs).await.unwrap();
        let list = async |name: Option<&str>, state, before: Option<usize>, limit| {
            let before = before.map(|place| runs[place].run_id);
            let filter = RunFilter { name: name.map(str::to_owned), state, before };
            let found = world.store.runs(&filter, limit).await.unwrap();
            let place = |found: Run| runs.iter().position(|run| *run == found).unwrap();
            found.into_iter().map(place).collect::<Vec<_>>()
        };
        assert_eq!(list(None, None, None, 10).await, [5, 4, 3, 2, 1, 0]);
        assert_eq!(list(None, None, Some(4), 2).await, [3, 2]);
        assert_eq!(list(Some("odd"), None, None, 10).await, [5, 3, 1]);
        assert_eq!(list(Some("odd"), Some(RunState::Failed), None, 10).await, [1]);
        assert_eq!(list(None, Some(RunState::Failed), Some(2), 10).await, [1, 0]);
        assert_eq!(list(Some("nobody"), None, None, 10).await, [0; 0]);
    }

    async fn a_run_of_no_known_version_or_parent_is_refused_with_all_its_portion(database: &TestDatabase) {
        let world = World::open(database).await;
        let version = VersionId(id());
        for dangling in [
            Run { version_id: Some(version), ..run(key("a")) },
            Run { parent: Some(RunId(id())), ..run(key("a")) },
        ] {
            let refused = world.store.record_runs(&[run(key("fine")), dangling]).await.unwrap_err();
            assert!(matches!(refused, Error::ForeignKey { .. }), "{refused}");
            assert_eq!(database.count("runs").await, 0);
        }
    }

    async fn a_run_belongs_to_its_version_and_its_parent(database: &TestDatabase) {
        let world = World::open(database).await;
        world.apply(vec![put("a", 1)]).await;
        let version = world.store.live_version(&key("a")).await.unwrap().unwrap().head.version_id;
        let parent = Run { version_id: Some(version), ..run(key("a")) };
        let child = Run { parent: Some(parent.run_id), ..run(key("a")) };
        world.store.record_runs(&[parent.clone(), child.clone()]).await.unwrap();
        assert_eq!(world.store.run(child.run_id).await.unwrap(), Some(child));
        assert_eq!(world.store.run(parent.run_id).await.unwrap(), Some(parent));
    }
}
