//! Stored values: they outlive the run, belong to whom they are said to belong to, and are bounded.

use std::sync::Arc;

use model::access::scope::Scope;
use model::access::{Access, Authority};
use model::run::{Run, RunState};
use model::storage::MAX_VALUE_BYTES;
use sandbox::{HostError, Value};
use secrecy::SecretBox;
use serde_json::{Value as Json, json};
use server::app::runs::{self, replay};
use server::app::secrets;
use store::on_both;
use store::testing::TestDatabase;

use super::graphs::{graph, put};
use super::script::{Asking, Stage, empty, raised, request};
use crate::world::ME;

/// A function that may use storage, and asks for one verb after the other.
async fn asks(stage: &Stage, name: &str, options: &str, asked: &[(&'static str, Vec<Json>)]) {
    let text = format!("import selfmade\n\n@selfmade.function({options})\ndef {name}(x=None):\n    pass\n");
    stage.register(&text).await;
    plays(stage, name, asked);
}

fn plays(stage: &Stage, name: &str, asked: &[(&'static str, Vec<Json>)]) {
    let asked = asked.to_vec();
    stage.script.part(name, move |_, asking: Asking| {
        let asked = asked.clone();
        async move {
            let mut last = Value::None;
            for (verb, given) in asked {
                let given = given.iter().map(|value| Value::from_json(value).unwrap()).collect();
                last = asking.verb(verb, given).await.map_err(|error| match error {
                    HostError::Refused(text) => raised("Refused", &text),
                    other => raised("Failed", &other.to_string()),
                })?;
            }
            Ok(last)
        }
    });
}

const WRITE: &str = "storage=\"write\"";

async fn output(stage: &Stage, name: &str) -> Json {
    let run = stage.start(name, empty()).await.unwrap();
    assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
    run.output.unwrap()
}

fn refusal(run: Run) -> String {
    run.error.unwrap().message
}

/// Somebody who may touch names of one pattern.
fn narrow(pattern: &str) -> Access {
    let only = Scope::of_patterns(vec![pattern.to_owned()]);
    Access { authority: Arc::new(Authority { only, ..Authority::of_command_line() }), ..ME.clone() }
}

on_both! {
    async fn a_value_is_there_for_later_runs_of_its_function_and_for_no_other(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        asks(&stage, "keeps", WRITE, &[("storage.set", vec![json!("k"), json!({"n": [1, null]})])]).await;
        output(&stage, "keeps").await;
        plays(&stage, "keeps", &[("storage.get", vec![json!("k")])]);
        assert_eq!(output(&stage, "keeps").await, json!({"n": [1, null]}));
        asks(&stage, "other", "storage=\"read\"", &[("storage.get", vec![json!("k"), json!("none")])]).await;
        assert_eq!(output(&stage, "other").await, json!("none"));
        plays(&stage, "keeps", &[("storage.set", vec![json!("k"), json!(null)]), ("storage.get", vec![json!("k"), json!(1)])]);
        assert_eq!(output(&stage, "keeps").await, json!(null), "null is a value");
        plays(&stage, "keeps", &[("storage.set", vec![json!("j"), json!(0)]), ("storage.list", vec![])]);
        assert_eq!(output(&stage, "keeps").await, json!(["j", "k"]));
        plays(&stage, "keeps", &[("storage.remove", vec![json!("k")])]);
        assert_eq!(output(&stage, "keeps").await, json!(true));
        assert_eq!(output(&stage, "keeps").await, json!(false));
    }

    async fn a_graph_has_values_of_its_own_and_the_brain_has_those_of_everybody(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let kept = |value: Json| ("storage.set", vec![json!("k"), value, json!("graph")]);
        asks(&stage, "node", WRITE, &[kept(json!("of a graph"))]).await;
        for name in ["one", "two"] {
            put(&stage, name, graph(&[("only", "node", json!({})), ("out", "@output", json!({"name": "out"}))], &["only.output -> out.value"])).await;
        }
        output(&stage, "one").await;
        plays(&stage, "node", &[("storage.get", vec![json!("k"), json!("nothing"), json!("graph")])]);
        assert_eq!(output(&stage, "one").await, json!({"out": "of a graph"}));
        assert_eq!(output(&stage, "two").await, json!({"out": "nothing"}));
        let alone = refusal(stage.start("node", empty()).await.unwrap());
        assert_eq!(alone, "no graph called this run; use the scope \"function\" or \"brain\"");

        plays(&stage, "node", &[("storage.set", vec![json!("k"), json!("of all"), json!("brain")])]);
        output(&stage, "one").await;
        asks(&stage, "other", WRITE, &[("storage.get", vec![json!("k"), json!(null), json!("brain")])]).await;
        assert_eq!(output(&stage, "other").await, json!("of all"));
    }

    async fn keys_that_all_share_are_for_those_whose_patterns_match_them(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let all = |key: &str| ("storage.set", vec![json!(key), json!(key), json!("brain")]);
        asks(&stage, "mail_keeper", WRITE, &[all("mail_seen"), all("pay_seen")]).await;
        output(&stage, "mail_keeper").await;
        let mailer = narrow("mail_*");
        let run = async || runs::start(&stage.ctx, &mailer, request("mail_keeper", empty())).await.unwrap();
        plays(&stage, "mail_keeper", &[("storage.list", vec![json!(null), json!(9), json!("brain")])]);
        assert_eq!(run().await.output, Some(json!(["mail_seen"])));
        for (verb, given) in [
            ("storage.get", vec![json!("pay_seen"), json!(null), json!("brain")]),
            ("storage.get", vec![json!("pay_none"), json!(null), json!("brain")]),
            ("storage.remove", vec![json!("pay_seen"), json!("brain")]),
            ("storage.set", vec![json!("pay_seen"), json!(1), json!("brain")]),
        ] {
            plays(&stage, "mail_keeper", &[(verb, given)]);
            let refused = refusal(run().await);
            assert_eq!(refused, "whoever started this run may not use the key; its patterns do not match it");
        }
        plays(&stage, "mail_keeper", &[("storage.get", vec![json!("mail_seen"), json!(null), json!("brain")])]);
        assert_eq!(run().await.output, Some(json!("mail_seen")));
    }

    async fn what_does_not_fit_is_refused_and_says_why(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let value = SecretBox::new(Box::new(b"s3cret-of-sixteen".to_vec()));
        secrets::set(&stage.ctx, &ME, "KEY", &value).await.unwrap();
        asks(&stage, "keeps", "storage=\"write\", secrets=[\"KEY\"]", &[]).await;
        for (given, why) in [
            (vec![json!("k"), json!("x".repeat(MAX_VALUE_BYTES))], "a stored value may have at most 262144 bytes as JSON, not 262146"),
            (vec![json!("a\nb"), json!(1)], "a key has 1 to 200 characters"),
            (vec![json!("k"), json!(1), json!("world")], "the scope must be \"function\", \"graph\" or \"brain\""),
            (vec![json!("k"), json!({"deep": ["it is s3cret-of-sixteen"]})], "`value` of `storage.set` contains the value of a secret"),
            (vec![json!("s3cret-of-sixteen"), json!(1)], "`key` of `storage.set` contains the value of a secret"),
        ] {
            plays(&stage, "keeps", &[("storage.set", given)]);
            let refused = refusal(stage.start("keeps", empty()).await.unwrap());
            assert!(refused.contains(why), "{refused}");
        }
        plays(&stage, "keeps", &[("storage.list", vec![])]);
        assert_eq!(output(&stage, "keeps").await, json!([]));
    }

    async fn a_replay_gets_what_the_run_got_and_changes_nothing(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let turn = [("storage.set", vec![json!("k"), json!("first")]), ("storage.get", vec![json!("k")])];
        asks(&stage, "keeps", WRITE, &turn).await;
        let run = stage.start("keeps", empty()).await.unwrap();
        plays(&stage, "keeps", &[("storage.set", vec![json!("k"), json!("second")])]);
        output(&stage, "keeps").await;
        plays(&stage, "keeps", &turn);
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert_eq!(replayed.replayed.output, Some(json!("first")));
        plays(&stage, "keeps", &[("storage.get", vec![json!("k")])]);
        assert_eq!(output(&stage, "keeps").await, json!("second"));
    }
}
