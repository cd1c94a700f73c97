//! Whose Runs may share a warm cell: those of the same code under the same authority.

use std::sync::{Arc, Mutex};

use model::access::actor::Actor;
use model::access::{Access, Authority};
use sandbox::{Isolation, Value};
use serde_json::json;
use server::app::runs;
use server::app::runs::replay;
use store::on_both;
use store::testing::TestDatabase;

use super::graphs::{graph, put};
use super::script::{Stage, empty, request};
use crate::world::ME;

const WARM: &str = "import selfmade\n\n@selfmade.function(isolation=\"warm\")\ndef warm():\n    return ";
const HERS: &str = "token:0192f3a0-0000-7000-8000-000000000001";
const HIS: &str = "token:0192f3a0-0000-7000-8000-000000000002";

/// What each execution of `warm` was given.
fn isolations(stage: &Stage) -> Arc<Mutex<Vec<Isolation>>> {
    let seen: Arc<Mutex<Vec<Isolation>>> = Arc::default();
    let told = Arc::clone(&seen);
    stage.script.part("warm", move |work, _| {
        told.lock().unwrap().push(work.isolation);
        async { Ok(Value::None) }
    });
    seen
}

async fn run_as(stage: &Stage, holder: &str) {
    let holder: Actor = holder.parse().unwrap();
    let authority = Authority { holder: holder.clone(), ..Authority::of_command_line() };
    let access = Access { actor: holder, authority: Arc::new(authority) };
    runs::start(&stage.ctx, &access, request("warm", empty())).await.unwrap();
}

on_both! {
    async fn a_warm_cell_belongs_to_one_version_and_one_authority(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let seen = isolations(&stage);
        for answer in ["1", "2"] {
            stage.register(&format!("{WARM}{answer}\n")).await;
            for actor in [HERS, HIS, "command_line", HERS, HIS, "command_line"] {
                run_as(&stage, actor).await;
            }
        }
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|one| matches!(one, Isolation::Warm { .. })), "{seen:?}");
        for (first, one) in seen.iter().enumerate() {
            for (second, other) in seen.iter().enumerate() {
                let is_same = first / 6 == second / 6 && first % 3 == second % 3;
                assert_eq!(one == other, is_same, "runs {first} and {second}");
            }
        }
    }

    async fn nodes_of_one_graph_run_that_call_one_pure_function_share_cells(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let seen = isolations(&stage);
        stage.add(&["def warm(after=0):\n    return 0\n"]).await;
        let mut content = graph(
            &[("a", "warm", json!({})), ("b", "warm", json!({})), ("c", "warm", json!({}))],
            &["a.output -> b.after", "b.output -> c.after"],
        );
        content["nodes"][2]["timeout"] = json!(5);
        put(&stage, "three", content).await;
        let first = stage.start("three", empty()).await.unwrap();
        let second = stage.start("three", empty()).await.unwrap();
        let owners: Vec<String> = seen.lock().unwrap().iter().map(|one| match one {
            Isolation::Shared { owner, .. } => owner.clone(),
            other => panic!("{other:?}"),
        }).collect();
        let [first, second] = [first.run_id.to_string(), second.run_id.to_string()];
        assert_eq!(owners, [&first, &first, &first, &second, &second, &second].map(String::as_str));
        let seen = seen.lock().unwrap();
        assert_eq!(seen[0], seen[1], "nodes of one function");
        assert_ne!(seen[0], seen[2], "one has another time limit");
        assert_eq!(*stage.script.released.lock().unwrap(), [first, second], "each run lets go of its cells");
    }

    async fn a_function_that_reaches_out_or_asks_for_isolation_shares_no_cell_in_a_graph(database: &TestDatabase) {
        for (options, shared) in [
            ("timeout=5", true),
            ("memory=\"64MB\"", true),
            ("isolation=\"fresh\"", false),
            ("isolation=\"warm\"", false),
            ("network=[\"example.com\"]", false),
            ("brain=\"read\"", false),
            ("files=True", false),
            ("model=True", false),
            ("requirements=[\"numpy\"]", false),
        ] {
            let stage = Stage::open(database).await;
            let seen = isolations(&stage);
            stage.register(&format!("import selfmade\n\n@selfmade.function({options})\ndef warm():\n    return 1\n")).await;
            let name = format!("one_{}", options.len());
            put(&stage, &name, graph(&[("a", "warm", json!({}))], &[])).await;
            stage.start(&name, empty()).await.unwrap();
            stage.start("warm", empty()).await.unwrap();
            let seen = seen.lock().unwrap();
            assert_eq!(matches!(seen[0], Isolation::Shared { .. }), shared, "{options}: {seen:?}");
            assert!(!matches!(seen[1], Isolation::Shared { .. }), "{options}: no node of a graph");
        }
    }

    async fn a_replay_uses_no_warm_cell(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let seen = isolations(&stage);
        stage.register(&format!("{WARM}1\n")).await;
        let run = stage.start("warm", json!({})).await.unwrap();
        replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert_eq!(seen.lock().unwrap().last(), Some(&Isolation::Fresh));
    }
}
