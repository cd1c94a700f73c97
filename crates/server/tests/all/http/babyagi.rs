//! BabyAGI's routes: its shapes, our rules. The numbers are those of the list of its quirks.

use axum::http::StatusCode;
use model::access::token::TokenRole;
use secrecy::SecretBox;
use serde_json::{Value, json};
use server::app::secrets;
use server::triggers::drain;
use store::testing::TestDatabase;

use super::asking::{ADD, Answer, Asker, token};
use crate::engine::script::{Stage, raised};
use crate::world::ME;

const API: &str = "/babyagi/api";

async fn register(asker: &Asker, name: &str, stated: Value) -> Answer {
    let answer = asker.post(&format!("{API}/function/{name}/register"), stated).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer
}

async fn function(asker: &Asker, name: &str) -> Value {
    asker.get(&format!("{API}/function/{name}")).await.json
}

fn fields(value: &Value) -> Vec<&str> {
    let mut fields: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    fields
}

fn error(answer: &Answer) -> (StatusCode, &str) {
    (answer.status, answer.json["error"].as_str().unwrap_or_default())
}

store::on_both! {
    async fn functions_have_the_shape_that_babyagi_gives_them(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        register(&asker, "world", json!({ "code": "def world():\n    return 'world'" })).await;
        let stated = json!({
            "code": "def hello(name: str, /, times=2, *, loud: bool = False, **more) -> str:\n    return world() + slugify.slugify(name)",
            "metadata": { "description": "Greets.", "owner": "ada" },
            "imports": ["json", { "name": "slugify", "lib": "python-slugify" }],
            "dependencies": ["world"],
            "triggers": ["world"],
            "key_dependencies": ["greeting_key"],
        });
        register(&asker, "hello", stated).await;
        let hello = function(&asker, "hello").await;
        assert_eq!(hello["metadata"], json!({ "description": "Greets.", "owner": "ada" }));
        assert_eq!((&hello["dependencies"], &hello["triggers"]), (&json!(["world"]), &json!(["world"])));
        assert_eq!((&hello["imports"], &hello["version"]), (&json!(["json", "slugify"]), &json!(1)));
        assert_eq!(hello["created_date"], "2026-03-01T12:00:00.000000");
        let inputs = json!([
            { "name": "name", "type": "str", "required": true },
            { "name": "times", "type": "Any", "required": false, "default": 2 },
            { "name": "loud", "type": "bool", "required": false, "default": false },
        ]);
        assert_eq!(hello["input_parameters"], inputs);
        assert_eq!(hello["output_parameters"], json!([{ "name": "output", "type": "str" }]));
        let expected = ["code", "created_date", "dependencies", "imports", "input_parameters", "metadata", "name",
            "output_parameters", "triggers", "version"];
        assert_eq!(fields(&hello), expected);
        let all = asker.get(&format!("{API}/functions")).await.json;
        assert_eq!((all[0].clone(), &all[1]["name"]), (hello, &json!("world")));
        let versions = asker.get(&format!("{API}/function/hello/versions")).await.json;
        let expected = ["code", "created_date", "dependencies", "input_parameters", "is_active", "metadata",
            "output_parameters", "triggers", "version"];
        assert_eq!((fields(&versions[0]), &versions[0]["is_active"]), (expected.to_vec(), &json!(true)));
        assert_eq!(asker.get(&format!("{API}/function/nobody/versions")).await.json, json!([]));
        let absent = asker.get(&format!("{API}/function/nobody")).await;
        assert_eq!(error(&absent), (StatusCode::NOT_FOUND, "there is no function `nobody`"));
        let imports = asker.get(&format!("{API}/imports")).await.json;
        assert_eq!(imports[1], json!({ "name": "slugify", "source": "external", "lib": "python-slugify" }));
        stage.close().await;
    }

    // B-2: an update of the code alone takes dependencies, imports and triggers away.
    async fn an_update_keeps_what_it_does_not_state(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        register(&asker, "a", json!({ "code": "def a():\n    return 1" })).await;
        let stated = json!({ "code": "def b(x):\n    return a()", "metadata": { "owner": "ada" }, "imports": ["math"],
            "dependencies": ["a"], "triggers": ["a"], "key_dependencies": ["k"] });
        register(&asker, "b", stated).await;
        let put = asker.put(&format!("{API}/function/b"), json!({ "code": "def b():\n    return a() + 1" })).await;
        assert_eq!((put.status, &put.json["status"]), (StatusCode::OK, &json!("success")), "{put:?}");
        asker.put(&format!("{API}/function/b"), json!({ "metadata": { "description": "Adds one." } })).await;
        let b = function(&asker, "b").await;
        assert_eq!((&b["dependencies"], &b["imports"], &b["triggers"]), (&json!(["a"]), &json!(["math"]), &json!(["a"])));
        assert_eq!(b["metadata"], json!({ "description": "Adds one.", "owner": "ada" }));
        // B-16: a parameter that has gone is not asked for.
        assert_eq!((&b["input_parameters"], &b["version"]), (&json!([]), &json!(3)));
        assert_eq!(b["code"], "def b():\n    return a() + 1\n");
        stage.close().await;
    }

    // B-3: a function that was described by somebody else gets a new version whenever it is registered again.
    async fn registering_again_keeps_a_description_that_came_later(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        register(&asker, "world", json!({ "code": "def world():\n    return 1" })).await;
        let hello = json!({ "code": "def hello():\n    return world()", "dependencies": ["world"] });
        register(&asker, "hello", hello.clone()).await;
        asker.put(&format!("{API}/function/hello"), json!({ "metadata": { "description": "Greets." } })).await;
        let described = function(&asker, "hello").await;
        assert_eq!((&described["dependencies"], &described["version"]), (&json!(["world"]), &json!(2)));
        let again = register(&asker, "hello", hello).await;
        assert_eq!(again.json["applied"]["changeset"], Value::Null);
        assert_eq!(function(&asker, "hello").await, described);
        stage.close().await;
    }

    // B-6, B-19: what cannot be done is answered as done.
    async fn what_is_wrong_is_refused_and_changes_nothing(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        register(&asker, "a", json!({ "code": "def a():\n    return 1" })).await;
        let before = function(&asker, "a").await;
        let missing = asker.post(&format!("{API}/function/a/activate/99"), json!(null)).await;
        assert_eq!(error(&missing), (StatusCode::NOT_FOUND, "function `a` has no version 99"));
        let word = asker.post(&format!("{API}/function/a/activate/VERSION"), json!(null)).await;
        assert_eq!(error(&word), (StatusCode::BAD_REQUEST, "`VERSION` is not a version number"));
        let broken = asker.put(&format!("{API}/function/a"), json!({ "code": "def a(:" })).await;
        assert_eq!((broken.status, broken.json["code"].as_str()), (StatusCode::BAD_REQUEST, Some("bad_source")));
        let other = asker.put(&format!("{API}/function/a"), json!({ "code": "def b():\n    pass" })).await;
        assert!(error(&other).1.contains("the source defines `b`"), "{other:?}");
        let unknown = asker.put(&format!("{API}/function/nobody"), json!({ "code": "def nobody():\n    pass" })).await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND);
        for body in [json!({}), json!({ "coed": "x" }), json!([])] {
            assert_eq!(asker.put(&format!("{API}/function/a"), body).await.status, StatusCode::BAD_REQUEST);
        }
        assert_eq!(function(&asker, "a").await, before);
        let activated = asker.post(&format!("{API}/function/a/activate/1"), json!(null)).await;
        assert_eq!(activated.json["status"], "success");
        stage.close().await;
    }

    async fn executing_answers_what_was_returned_or_the_text_of_the_error(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        stage.add(&[ADD, "def bad():\n    pass\n"]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        stage.script.part("bad", |_, _| async { Err(raised("ValueError", "no such luck")) });
        let done = asker.post(&format!("{API}/execute/add"), json!({ "a": 1, "b": 2 })).await;
        assert_eq!((done.status, done.json), (StatusCode::OK, json!(3)));
        let failed = asker.post(&format!("{API}/execute/bad"), json!(null)).await;
        assert_eq!(error(&failed), (StatusCode::INTERNAL_SERVER_ERROR, "no such luck"));
        let wrong = asker.post(&format!("{API}/execute/add"), json!({ "a": 1 })).await;
        assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(error(&wrong).1.contains("`b`"), "{wrong:?}");
        assert_eq!(asker.post(&format!("{API}/execute/nobody"), json!({})).await.status, StatusCode::NOT_FOUND);
        stage.close().await;
    }

    // B-15: `execute` takes some names for itself.
    async fn the_function_that_runs_others_gets_their_arguments_apart(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let mut asker = Asker::of(&stage).await;
        let code = "def execute_function_wrapper(function_name: str, *args, **kwargs):\n    return func.execute_function(function_name, *args, **kwargs)";
        register(&asker, "execute_function_wrapper", json!({ "code": code })).await;
        stage.script.part("execute_function_wrapper", |work, _| async move { Ok(work.input) });
        let body = json!({ "function_name": "add", "args": [1], "kwargs": { "b": 2 } });
        let done = asker.post(&format!("{API}/execute/execute_function_wrapper"), body.clone()).await;
        assert_eq!(done.json, json!({ "function_name": "add", "args": [1], "b": 2 }), "{done:?}");
        let wrong = asker.post(&format!("{API}/execute/execute_function_wrapper"), json!({ "args": [] })).await;
        assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
        // Whoever may run the wrapper may not thereby run everything.
        asker.token = token(&stage, "narrow", TokenRole::Runner, &["execute_function_wrapper"]).await;
        stage.script.part("execute_function_wrapper", |_, asking| async move {
            let refused = asking.verb("babyagi.run", vec![sandbox::Value::Str("add".to_owned())]).await.unwrap_err();
            Err(raised("Refused", &format!("{refused:?}")))
        });
        let refused = asker.post(&format!("{API}/execute/execute_function_wrapper"), body).await;
        assert!(error(&refused).1.contains(", not `add`"), "{refused:?}");
        stage.close().await;
    }

    // B-9: keys come back in clear, and are logged.
    async fn keys_are_set_and_only_their_names_come_back(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let mut asker = Asker::of(&stage).await;
        let key = json!({ "key_name": "openai_api_key", "key_value": "sk-4f9a8b7c" });
        let set = asker.post(&format!("{API}/execute/add_key_wrapper"), key.clone()).await;
        assert_eq!((set.status, set.json), (StatusCode::OK, Value::Null));
        let keys = asker.post(&format!("{API}/execute/get_all_secret_keys"), json!({})).await.json;
        assert_eq!(keys, json!({ "openai_api_key": "[secret openai_api_key]" }));
        assert_eq!(asker.get(&format!("{API}/logs")).await.json, json!([]));
        asker.token = token(&stage, "builder", TokenRole::Builder, &[]).await;
        for (name, body) in [("add_key_wrapper", key), ("get_all_secret_keys", json!({}))] {
            assert_eq!(asker.post(&format!("{API}/execute/{name}"), body).await.status, StatusCode::FORBIDDEN);
        }
        stage.close().await;
    }

    // B-24: there are no namespaces. A function that only has the name of one of the framework's is run.
    async fn a_function_of_ones_own_is_not_taken_for_one_of_the_framework(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        stage.add(&["def get_all_secret_keys():\n    return 'mine'\n"]).await;
        stage.script.part("get_all_secret_keys", |_, _| async { Ok("mine".into()) });
        assert_eq!(asker.post(&format!("{API}/execute/get_all_secret_keys"), json!({})).await.json, "mine");
        stage.close().await;
    }

    // B-12: triggers can neither be added nor listed.
    async fn triggers_are_added_and_listed_from_both_ends(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        for name in ["a", "b"] {
            register(&asker, name, json!({ "code": format!("def {name}(x=1):\n    return x") })).await;
            stage.script.part(name, |_, _| async { Ok(7.into()) });
        }
        let body = json!({ "triggered_function_name": "b", "triggering_function_name": "a" });
        let added = asker.post(&format!("{API}/execute/add_trigger_wrapper"), body).await;
        assert_eq!((added.status, added.json), (StatusCode::OK, Value::Null));
        assert_eq!(asker.get(&format!("{API}/triggers/b")).await.json, json!(["a"]));
        assert_eq!(asker.get(&format!("{API}/triggers/a")).await.json, json!([]));
        assert_eq!(asker.get(&format!("{API}/triggered/a")).await.json, json!(["b"]));
        let nobody = asker.post(&format!("{API}/triggers/nobody"), json!({ "triggering_function_name": "a" })).await;
        assert_eq!(nobody.status, StatusCode::NOT_FOUND);
        // Stated again without it, it has gone.
        register(&asker, "b", json!({ "code": "def b(x=1):\n    return x", "triggers": [] })).await;
        assert_eq!(asker.get(&format!("{API}/triggers/b")).await.json, json!([]));
        stage.close().await;
    }

    // B-18: the log falls apart where functions call each other, and one unknown id is a failure of the server.
    async fn logs_are_rows_that_hang_together(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        register(&asker, "a", json!({ "code": "def a(x):\n    return x" })).await;
        register(&asker, "b", json!({ "code": "def b(x):\n    return x", "triggers": ["a"] })).await;
        stage.script.part("a", |_, _| async { Ok(7.into()) });
        stage.script.part("b", |_, _| async { Err(raised("KeyError", "'k'")) });
        stage.ctx.clock.advance(std::time::Duration::from_secs(1));
        asker.post(&format!("{API}/execute/a"), json!({ "x": 1 })).await;
        drain(&stage.ctx).await.unwrap();
        let logs = asker.get(&format!("{API}/logs")).await;
        assert_eq!(logs.header("link"), "");
        let (a, b) = (&logs.json[0], &logs.json[1]);
        let expected = ["function_name", "id", "log_type", "message", "output", "params", "parent_log_id", "time_spent",
            "timestamp", "triggered_by_log_id"];
        assert_eq!(fields(a), expected);
        assert_eq!((&a["function_name"], &a["params"], &a["output"]), (&json!("a"), &json!({ "x": 1 }), &json!(7)));
        assert_eq!((&a["log_type"], &a["message"]), (&json!("success"), &json!("Execution successful.")));
        assert_eq!((&b["log_type"], &b["message"]), (&json!("error"), &json!("Execution failed. Error: 'k'")));
        assert_eq!((&b["triggered_by_log_id"], &b["parent_log_id"]), (&a["id"], &a["id"]));
        assert_eq!(asker.get(&format!("{API}/logs/b")).await.json, json!([b]));
        let id = a["id"].as_str().unwrap();
        assert_eq!(asker.get(&format!("{API}/logs?triggered_by_log_id={id}")).await.json, json!([b]));
        assert_eq!(asker.get(&format!("{API}/logs?end_date=2026-03-01T12:00:00")).await.json, json!([]));
        assert_eq!(asker.get(&format!("{API}/logs?start_date=tomorrow")).await.status, StatusCode::BAD_REQUEST);
        let bundle = asker.get(&format!("{API}/log_bundle/{}", b["id"].as_str().unwrap())).await.json;
        assert_eq!(bundle, json!({ "logs": [a, b] }));
        assert_eq!(asker.get(&format!("{API}/log_bundle/17")).await.status, StatusCode::NOT_FOUND);
        stage.close().await;
    }

    // B-10: everybody may do everything.
    async fn a_narrow_token_sees_what_it_may_touch_alone(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let mut asker = Asker::of(&stage).await;
        let value = SecretBox::new(Box::new(b"abcdefgh".to_vec()));
        secrets::set(&stage.ctx, &ME, "k", &value).await.unwrap();
        stage.add(&[ADD, "def web_fetch(): pass\n"]).await;
        stage.script.part("add", |_, _| async { Ok(3.into()) });
        asker.post(&format!("{API}/execute/add"), json!({ "a": 1, "b": 2 })).await;
        let log = asker.get(&format!("{API}/logs")).await.json[0]["id"].as_str().unwrap().to_owned();
        asker.token = token(&stage, "web", TokenRole::Admin, &["web_*"]).await;
        let listed = asker.get(&format!("{API}/functions")).await.json;
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]["name"]), (1, &json!("web_fetch")));
        assert_eq!(asker.get(&format!("{API}/logs")).await.json, json!([]));
        assert_eq!(asker.get(&format!("{API}/log_bundle/{log}")).await.json["code"], "run_not_found");
        for (name, body) in [("get_all_secret_keys", json!({})), ("add", json!({ "a": 1, "b": 2 })),
            ("add_new_function", json!({ "name": "add", "code": ADD }))] {
            assert_eq!(asker.post(&format!("{API}/execute/{name}"), body).await.status, StatusCode::FORBIDDEN, "{name}");
        }
        asker.token = String::new();
        assert_eq!(asker.get(&format!("{API}/functions")).await.status, StatusCode::UNAUTHORIZED);
        stage.close().await;
    }
}
