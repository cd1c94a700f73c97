//! Functions and changesets over HTTP.

use axum::http::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::{ADD, Asker};
use crate::engine::script::Stage;

store::on_both! {
    async fn a_function_is_put_read_changed_and_deleted(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        let put = asker.put("/api/v1/functions/add", json!({ "source": ADD })).await;
        assert_eq!((put.status, &put.json["moves"][0]["to"]), (StatusCode::OK, &json!(1)), "{put:?}");
        let read = asker.get("/api/v1/functions/add").await;
        assert_eq!(read.header("etag"), "\"1\"");
        assert_eq!(read.json["content"]["source"], ADD, "{read:?}");
        let known = asker.ask("GET", "/api/v1/functions/add", &[("if-none-match", "\"1\"")], None).await;
        assert_eq!((known.status, known.json), (StatusCode::NOT_MODIFIED, json!("")));
        let changed = json!({ "source": ADD.replace("Adds.", "Sums.") });
        let mine = [("if-match", "\"1\"")];
        let second = asker.ask("PUT", "/api/v1/functions/add", &mine, Some(changed.clone())).await;
        assert_eq!(second.status, StatusCode::OK, "{second:?}");
        let late = asker.ask("PUT", "/api/v1/functions/add", &mine, Some(json!({ "source": ADD }))).await;
        assert_eq!((late.status, late.code()), (StatusCode::PRECONDITION_FAILED, "stale"));
        assert_eq!(late.json["error"]["message"], "function `add` is at version 2");
        let new = [("if-none-match", "*")];
        let taken = asker.ask("PUT", "/api/v1/functions/add", &new, Some(changed)).await;
        assert_eq!(taken.code(), "stale");
        let versions = asker.get("/api/v1/functions/add/versions").await.json;
        assert_eq!((versions[0]["live"].clone(), versions[1]["live"].clone()), (json!(false), json!(true)));
        let back = asker.put("/api/v1/functions/add/live", json!({ "version": 1 })).await;
        assert_eq!(back.json["moves"][0]["to"], 1);
        assert_eq!(asker.ask("DELETE", "/api/v1/functions/add", &[], None).await.status, StatusCode::OK);
        let gone = asker.get("/api/v1/functions/add").await;
        assert_eq!((gone.status, gone.code()), (StatusCode::NOT_FOUND, "not_found"));
        stage.close().await;
    }

    async fn a_graph_is_put_read_changed_and_deleted_as_a_function_is(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        let graph = |description: &str| {
            json!({ "graph": {
                "description": description,
                "nodes": [
                    { "id": "in", "block": "@input", "input": { "name": "n" } },
                    { "id": "out", "block": "@output", "input": { "name": "n" } },
                ],
                "links": [{ "from": "in", "from_pin": "output", "to": "out", "to_pin": "value" }],
            } })
        };
        let put = asker.put("/api/v1/graphs/same", graph("first")).await;
        assert_eq!((put.status, &put.json["moves"][0]["to"]), (StatusCode::OK, &json!(1)), "{put:?}");
        for _ in 0..2 {
            let read = asker.get("/api/v1/graphs/same").await;
            assert_eq!((read.header("etag"), &read.json["content"]["description"]), ("\"1\"", &json!("first")));
        }
        let mine = [("if-match", "\"1\"")];
        let second = asker.ask("PUT", "/api/v1/graphs/same", &mine, Some(graph("second"))).await;
        assert_eq!(second.status, StatusCode::OK, "{second:?}");
        let late = asker.ask("PUT", "/api/v1/graphs/same", &mine, Some(graph("third"))).await;
        assert_eq!((late.status, late.code()), (StatusCode::PRECONDITION_FAILED, "stale"));
        let known = asker.ask("GET", "/api/v1/graphs/same", &[("if-none-match", "\"2\"")], None).await;
        assert_eq!((known.status, known.json), (StatusCode::NOT_MODIFIED, json!("")));
        let diff = asker.get("/api/v1/graphs/same/diff?old=1").await;
        assert_eq!(diff.status, StatusCode::OK, "{diff:?}");
        let listed = asker.get("/api/v1/graphs?limit=1").await.json;
        assert_eq!(listed["items"][0]["name"], "same", "{listed}");
        assert_eq!(asker.get("/api/v1/functions").await.json["items"], json!([]));
        assert_eq!(asker.get("/api/v1/graphs?pack=none").await.code(), "not_found");
        assert_eq!(asker.ask("DELETE", "/api/v1/graphs/same", &[], None).await.status, StatusCode::OK);
        assert_eq!(asker.get("/api/v1/graphs/same").await.code(), "not_found");
        stage.close().await;
    }

    async fn a_function_that_is_read_again_is_as_the_brain_is_now(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        asker.put("/api/v1/functions/add", json!({ "source": ADD })).await;
        let dependents = async || asker.get("/api/v1/functions/add").await.json["dependents"].clone();
        assert_eq!((dependents().await, dependents().await), (json!([]), json!([])));
        // By another server, of which this one hears nothing.
        let other = stage.another(database).await;
        other.add(&["def twice(n: int) -> int:\n    return add(n, n)\n"]).await;
        assert_eq!(dependents().await, json!([{ "kind": "function", "name": "twice" }]));
        other.close().await;
        stage.close().await;
    }

    async fn a_changeset_is_proposed_and_applied_and_reverted(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        let proposal = json!({ "title": "sums", "changes": [
            { "function": { "source": ADD } },
            { "function": { "source": "def twice(n: int) -> int:\n    return add(n, n)\n" } },
        ] });
        let proposed = asker.post("/api/v1/changesets", proposal).await;
        assert_eq!(proposed.status, StatusCode::OK, "{proposed:?}");
        assert_eq!((&proposed.json["state"], &proposed.json["title"]), (&json!("checked"), &json!("sums")));
        let number = proposed.json["number"].as_u64().unwrap();
        let applied = asker.post(&format!("/api/v1/changesets/{number}/apply"), json!(null)).await;
        assert_eq!(applied.json["revision"], 1, "{applied:?}");
        let again = asker.post(&format!("/api/v1/changesets/{number}/apply"), json!(null)).await;
        assert_eq!((again.status, again.code()), (StatusCode::CONFLICT, "wrong_state"));
        let reverted = asker.post(&format!("/api/v1/changesets/{number}/revert"), json!(null)).await;
        assert_eq!(reverted.json["revision"], 2);
        assert_eq!(asker.get("/api/v1/functions").await.json["items"], json!([]));
        let listed = asker.get("/api/v1/changesets?limit=1").await.json;
        let next = listed["next"].as_str().unwrap();
        let rest = asker.get(&format!("/api/v1/changesets?limit=1&cursor={next}")).await.json;
        let number = |listed: &Value| listed["items"][0]["number"].as_u64().unwrap();
        assert_eq!((number(&listed), number(&rest)), (2, 1));
        stage.close().await;
    }

    async fn what_is_wrong_is_said_with_a_code_and_a_place(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        let broken = asker.put("/api/v1/functions/add", json!({ "source": "def add(:\n" })).await;
        assert_eq!((broken.status, broken.code()), (StatusCode::BAD_REQUEST, "bad_source"));
        let lost = json!({ "source": "def lost():\n    return nowhere()\n" });
        let failing = asker.put("/api/v1/functions/lost", lost).await;
        assert_eq!((failing.status, failing.code()), (StatusCode::UNPROCESSABLE_ENTITY, "checks_failed"));
        assert_eq!(failing.json["error"]["details"]["findings"][0]["entry"]["name"], "lost", "{failing:?}");
        let other = asker.put("/api/v1/functions/add", json!({ "sauce": ADD })).await;
        assert_eq!((other.status, other.code()), (StatusCode::UNPROCESSABLE_ENTITY, "bad_body"));
        assert_eq!(asker.get("/api/v1/functions?limit=many").await.code(), "bad_query");
        assert_eq!(asker.get("/api/v1/functions/no-name").await.code(), "bad_address");
        assert_eq!(asker.get("/api/v1/changesets/9223372036854775808").await.code(), "bad_address");
        let rejected = asker.post("/api/v1/changesets/9223372036854775808/reject", json!({})).await;
        assert_eq!(rejected.code(), "bad_address");
        assert_eq!(asker.get("/api/v1/nothing").await.code(), "no_such_place");
        let method = asker.ask("PATCH", "/api/v1/functions", &[], None).await;
        assert_eq!((method.status, method.code()), (StatusCode::METHOD_NOT_ALLOWED, "no_such_method"));
        let text = asker.ask("POST", "/api/v1/runs", &[("content-type", "text/plain")], None).await;
        assert_eq!((text.status, text.code()), (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json"));
        assert!(!text.header("x-request-id").is_empty());
        let named = asker.ask("GET", "/api/v1/health", &[("x-request-id", "mine-1")], None).await;
        assert_eq!(named.header("x-request-id"), "mine-1");
        stage.close().await;
    }

    async fn a_secret_is_set_and_never_comes_back(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let asker = Asker::of(&stage).await;
        let set = asker.put("/api/v1/secrets/API_KEY", json!({ "value": "swordfish-42" })).await;
        assert_eq!(set.status, StatusCode::NO_CONTENT, "{set:?}");
        let listed = asker.get("/api/v1/secrets").await;
        assert_eq!(listed.json[0]["name"], "API_KEY");
        assert!(!listed.json.to_string().contains("swordfish"));
        assert_eq!(asker.ask("DELETE", "/api/v1/secrets/API_KEY", &[], None).await.status, StatusCode::NO_CONTENT);
        assert_eq!(asker.ask("DELETE", "/api/v1/secrets/API_KEY", &[], None).await.status, StatusCode::NOT_FOUND);
        stage.close().await;
    }
}
