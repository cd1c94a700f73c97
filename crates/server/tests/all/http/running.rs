//! Runs over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use model::access::token::TokenRole;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::sync::Notify;

use super::asking::{open, token};
use crate::engine::script::raised;
use crate::engine::waiting::one_waits;
use crate::world::ME;

fn sum() -> Value {
    json!({ "function": "add", "input": { "a": 1, "b": 2 } })
}

store::on_both! {
    async fn a_run_is_waited_for(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let run = asker.post("/api/v1/runs", sum()).await;
        assert_eq!((run.status, &run.json["state"], &run.json["output"]), (StatusCode::OK, &json!("succeeded"), &json!(3)));
        let place = format!("/api/v1/runs/{}", run.json["run_id"].as_str().unwrap());
        assert_eq!(run.header("location"), place);
        let record = asker.get(&place).await.json;
        assert_eq!(record["who"], "token admin", "{record}");
        stage.close().await;
    }

    async fn a_run_that_fails_is_an_answer_and_no_problem(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.script.part("add", |_, _| async { Err(raised("ValueError", "odd")) });
        let run = asker.post("/api/v1/runs", sum()).await;
        assert_eq!((run.status, &run.json["state"]), (StatusCode::OK, &json!("failed")));
        assert_eq!(run.json["error"]["message"], "odd");
        stage.close().await;
    }

    async fn a_caller_that_has_waited_long_enough_is_told_where_to_look(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let go = Arc::new(Notify::new());
        let signal = Arc::clone(&go);
        stage.script.part("add", move |_, _| {
            let go = Arc::clone(&go);
            async move {
                go.notified().await;
                Ok(3.into())
            }
        });
        let run = asker.ask("POST", "/api/v1/runs", &[("prefer", "wait=0")], Some(sum())).await;
        assert_eq!((run.status, run.header("preference-applied")), (StatusCode::ACCEPTED, "wait=0"));
        signal.notify_one();
        let id = run.json["run_id"].as_str().unwrap().parse().unwrap();
        let ended = server::app::runs::wait(&stage.ctx, &ME, id).await.unwrap();
        assert_eq!(ended.output, Some(json!(3)), "it went on");
        stage.close().await;
    }

    async fn a_run_that_sleeps_is_waited_for_and_one_that_asks_a_person_is_not(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.work();
        stage.script.part("add", |_, host| async move {
            host.verb("sleep", vec![3_600.into()]).await.unwrap();
            Ok(3.into())
        });
        let asking = asker.post("/api/v1/runs", sum());
        let waking = async {
            one_waits(&stage).await;
            stage.ctx.clock.advance(Duration::from_secs(3_601));
        };
        let (run, ()) = tokio::join!(asking, waking);
        assert_eq!((run.status, &run.json["state"], &run.json["output"]), (StatusCode::OK, &json!("succeeded"), &json!(3)));
        let late = asker.ask("POST", "/api/v1/runs", &[("prefer", "wait=0")], Some(sum())).await;
        assert_eq!(late.status, StatusCode::ACCEPTED, "{late:?}");
        stage.script.part("add", |_, host| async move { Ok(host.verb("ask", vec!["really?".into()]).await.unwrap()) });
        let run = asker.post("/api/v1/runs", sum()).await;
        assert_eq!((run.status, &run.json["state"]), (StatusCode::OK, &json!("waiting")));
        stage.close().await;
    }

    async fn a_run_is_queued(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let run = asker.ask("POST", "/api/v1/runs", &[("prefer", "respond-async")], Some(sum())).await;
        assert_eq!((run.status, &run.json["state"]), (StatusCode::ACCEPTED, &json!("queued")));
        let id = run.json["run_id"].as_str().unwrap();
        let cancelled = asker.post(&format!("/api/v1/runs/{id}/cancel"), json!(null)).await;
        assert_eq!(cancelled.json, json!([id]));
        let twice = asker.post(&format!("/api/v1/runs/{id}/cancel"), json!(null)).await;
        assert_eq!((twice.status, &twice.json), (StatusCode::OK, &json!([])), "cancelling twice is cancelling once");
        stage.close().await;
    }

    async fn a_run_states_how_it_is_run_within_the_bounds_of_functions(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let queued = async |stated: Value| {
            let mut body = sum();
            body.as_object_mut().unwrap().extend(stated.as_object().unwrap().clone());
            asker.ask("POST", "/api/v1/runs", &[("prefer", "respond-async")], Some(body)).await
        };
        let retries = json!({ "attempts": 4, "first": 0.5, "most": 30 });
        let run = queued(json!({ "timeout_ms": 1500, "retries": retries, "priority": -5 })).await;
        let how = &run.json["how"];
        assert_eq!((&how["timeout_ms"], &how["priority"]), (&json!(1500), &json!(-5)), "{run:?}");
        assert_eq!(how["retry"], json!({ "attempts": 4, "first_ms": 500, "most_ms": 30_000 }));
        for (wrong, told) in [
            (json!({ "timeout_ms": 0 }), "`timeout_ms` must be an integer from 1 to 86400000 (one day), not `0`"),
            (json!({ "timeout_ms": u64::MAX }), "`timeout_ms` must be an integer from 1 to 86400000 (one day), not `18446744073709551615`"),
            (json!({ "priority": 101 }), "`priority` must be an integer from -100 to 100, not `101`"),
            (json!({ "retries": 100 }), "`retries` must be the number of retries (0 to 99), or {\"attempts\": tries in total, \"first\": seconds, \"most\": seconds}, not `100`"),
        ] {
            let refused = queued(wrong).await;
            assert_eq!((refused.status, refused.code()), (StatusCode::BAD_REQUEST, "bad_request"));
            assert_eq!(refused.json["error"]["message"], told);
        }
        stage.close().await;
    }

    async fn the_same_key_is_the_same_run(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        let key = [("idempotency-key", "k1")];
        let first = asker.ask("POST", "/api/v1/runs", &key, Some(sum())).await;
        let second = asker.ask("POST", "/api/v1/runs", &key, Some(sum())).await;
        assert_eq!(first.json["run_id"], second.json["run_id"]);
        assert_eq!(stage.executions(), 1);
        asker.token = token(&stage, "other", TokenRole::Runner, &[]).await;
        let theirs = asker.ask("POST", "/api/v1/runs", &key, Some(sum())).await;
        assert_ne!(first.json["run_id"], theirs.json["run_id"], "a key belongs to its token");
        stage.close().await;
    }

    async fn a_cursor_is_opaque_and_good_for_its_own_list_alone(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        for _ in 0..2 {
            asker.post("/api/v1/runs", sum()).await;
        }
        let page = asker.get("/api/v1/runs?limit=1").await.json;
        let (next, last) = (page["next"].as_str().unwrap(), page["items"][0]["run_id"].as_str().unwrap());
        assert!(!next.contains(last), "{next}");
        for wrong in [last, "%20", &next[1..]] {
            let refused = asker.get(&format!("/api/v1/runs?cursor={wrong}")).await;
            assert_eq!((refused.status, refused.code()), (StatusCode::BAD_REQUEST, "bad_query"), "{wrong}");
            assert!(refused.json["error"]["hint"].as_str().unwrap().contains("omit `cursor`"));
        }
        for list in ["functions", "changesets", "triggers", "triggers/t/firings", "schedules"] {
            let refused = asker.get(&format!("/api/v1/{list}?cursor={next}")).await;
            assert_eq!((refused.status, refused.code()), (StatusCode::BAD_REQUEST, "bad_query"), "{list}");
        }
        let refused = asker.get(&format!("/babyagi/api/logs?cursor={next}")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{refused:?}");
        stage.close().await;
    }

    async fn wrong_input_is_refused_with_its_place(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let wrong = json!({ "function": "add", "input": { "a": 1, "b": "two" } });
        let refused = asker.post("/api/v1/runs", wrong).await;
        assert_eq!((refused.status, refused.code()), (StatusCode::UNPROCESSABLE_ENTITY, "bad_run_input"));
        assert!(refused.json["error"]["message"].as_str().unwrap().contains("`b`"), "{refused:?}");
        let unknown = asker.post("/api/v1/runs", json!({ "function": "ad" })).await;
        assert_eq!((unknown.status, unknown.json["error"]["hint"].as_str()), (StatusCode::NOT_FOUND, Some("did you mean `add`?")));
        stage.close().await;
    }

    async fn runs_are_listed_a_page_at_a_time_and_filtered(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        for _ in 0..3 {
            asker.post("/api/v1/runs", sum()).await;
        }
        let first = asker.get("/api/v1/runs?limit=2&state=succeeded,failed&name=a*").await.json;
        assert_eq!(first["items"].as_array().unwrap().len(), 2, "{first}");
        let next = first["next"].as_str().unwrap();
        let last = asker.get(&format!("/api/v1/runs?limit=2&cursor={next}")).await.json;
        assert_eq!((last["items"].as_array().unwrap().len(), &last["next"]), (1, &Value::Null));
        let second = first["items"][1]["run_id"].as_str().unwrap();
        let named = asker.get(&format!("/api/v1/runs?limit=2&before={second}")).await.json;
        assert_eq!(named["items"], last["items"], "whoever knows the place says it");
        assert_eq!(asker.get("/api/v1/runs?state=failed").await.json["items"], json!([]));
        assert_eq!(asker.get("/api/v1/runs?state=lazy").await.code(), "bad_query");
        stage.close().await;
    }
}
