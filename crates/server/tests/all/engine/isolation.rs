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

    async fn a_replay_uses_no_warm_cell(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let seen = isolations(&stage);
        stage.register(&format!("{WARM}1\n")).await;
        let run = stage.start("warm", json!({})).await.unwrap();
        replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert_eq!(seen.lock().unwrap().last(), Some(&Isolation::Fresh));
    }
}
