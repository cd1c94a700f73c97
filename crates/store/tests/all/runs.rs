//! Runs: everything that happened, read back as it was recorded.

use std::sync::Arc;

use model::access::Authority;
use model::access::actor::Actor;
use model::access::grantable::{Grant, Grantable};
use model::access::grants::BrainGrant;
use model::access::scope::Scope;
use model::access::token::TokenRole;
use model::budget::{Limits, Money};
use model::entry::EntryKey;
use model::function::closure::ClosureHash;
use model::ids::{EntryId, NodeId, RunId, TokenId, VersionId};
use model::revision::Revision;
use model::run::chain::Chain;
use model::run::retry::Retry;
use model::run::{Concurrency, Ending, How, Lease, Run, RunDraft, RunError, RunState, Usage, Waiting};
use model::version::{ContentHash, VersionNumber};
use serde_json::{Value, json};
use store::Error;
use store::testing::TestDatabase;

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
        authority: Arc::new(Authority::of_command_line()),
        parent: None,
        created_at: at(1),
        started_at: Some(at(2)),
        finished_at: Some(at(3)),
        attempt: 1,
        how: How::default(),
        closure: None,
        event_seq: None,
        chain: Chain::default(),
        waiting: None,
        usage: None,
        cancelled: None,
        lease: None,
    }
}

/// One that is queued since the second second.
pub(crate) fn queued(text: &str) -> Run {
    let nothing = Run { ending: None, output: None, started_at: None, finished_at: None, ..run(key(text)) };
    Run { state: RunState::Queued, created_at: at(2), ..nothing }
}

/// One that somebody waits for, executed by a node.
pub(crate) fn waited(text: &str, node: NodeId) -> Run {
    let how = How { waited: true, ..How::default() };
    let lease = Some(Lease { node, fence: 1, until: at(60) });
    Run { state: RunState::Running, started_at: Some(at(2)), how, lease, ..queued(text) }
}

pub(crate) fn node() -> NodeId {
    NodeId(id())
}

pub(crate) fn ids<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Vec<RunId> {
    runs.into_iter().map(|run| run.run_id).collect()
}

/// An authority with all that bounds one.
pub(crate) fn narrow() -> Authority {
    Authority {
        holder: Actor::Token(TokenId(id())),
        role: TokenRole::Builder,
        only: Scope::Names(vec!["web.*".to_owned()]),
        uses: Scope::Names(vec!["text.*".to_owned()]),
        grants: Grantable(vec![Grant::Secret("k".to_owned()), Grant::Brain(BrainGrant::Read)]),
    }
}

/// With every field that can be there.
fn full(text: &str) -> Run {
    Run {
        authority: Arc::new(narrow()),
        attempt: 3,
        how: How {
            draft: Some(RunDraft { edit: 3, base: Some(VersionNumber(2)), content: ContentHash([7; 32]) }),
            waited: true,
            priority: -7,
            due_at: Some(at(9)),
            timeout_ms: Some(1_500),
            retry: Retry { attempts: 4, first_ms: 10, most_ms: 20 },
            idempotency_key: Some(format!("ü {}", id())),
            concurrency: Some(Concurrency { key: "k\u{1f388}".to_owned(), limit: 2 }),
            resumable: true,
            depth: 3,
            is_node: true,
            budget: Limits { money: Some(Money(1)), tokens: Some(2), turns: Some(3), ..Limits::default() },
            is_bounded_above: true,
            record: model::function::run_options::Record::Errors,
            graph: Some(Box::new(model::graph::run_options::GraphOptions {
                pinned: [("n\0".to_owned(), std::collections::BTreeMap::new())].into(),
                ..Default::default()
            })),
        },
        closure: Some(ClosureHash([7; 32])),
        event_seq: Some(12),
        chain: Chain { root: Some(RunId(id())), fired: vec![EntryId(id()), EntryId(id())] },
        waiting: Some(Waiting::Person { step: 4, question: json!({ "question": "\0?" }), until: None }),
        usage: Some(Usage {
            wall_us: 1,
            cpu_us: 2,
            peak_memory_bytes: 3,
            cold: true,
            output_dropped_bytes: 4,
            calls_dropped: 5,
        }),
        cancelled: Some((Actor::Token(TokenId(id())), at(8))),
        lease: Some(Lease { node: node(), fence: 6, until: at(11) }),
        ..run(key(text))
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
                traceback: Some("line 1\nline 2".to_owned()),
                hint: Some("ü".to_owned()),
                ..RunError::of("ValueError", "NUL \0 ü")
            };
            runs.push(Run { input: value.clone(), output: Some(value), error: Some(error), ..run(key("a")) });
        }
        runs.push(Run { output: None, ending: None, started_at: None, finished_at: None, ..run(graph_key("g")) });
        runs.push(full("f"));
        runs.push(Run { waiting: Some(Waiting::Time { step: 1, until: at(99) }), ..full("f") });
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
