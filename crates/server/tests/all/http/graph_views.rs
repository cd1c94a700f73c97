//! What can be made of a graph to look at: a drawing, an estimate, upgrades; and graphs in searches.

use axum::http::StatusCode;
use model::access::token::TokenRole;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::{ADD, Asker, open, token};
use crate::engine::graphs::graph;

async fn put(asker: &Asker, name: &str, mut graph: Value) {
    graph.as_object_mut().unwrap().shift_remove("kind");
    let put = asker.put(&format!("/api/v1/graphs/{name}"), json!({ "graph": graph })).await;
    assert_eq!(put.status, StatusCode::OK, "{put:?}");
}

/// `n` plus one.
fn adding() -> Value {
    graph(
        &[
            ("in", "@input", json!({"name": "n"})),
            ("sum", "add", json!({"b": 1})),
            ("out", "@output", json!({"name": "out"})),
        ],
        &["in.output -> sum.a", "sum.output -> out.value"],
    )
}

const HOSTILE: &str = "</text><script>alert(1)</script><img src=x onerror=alert(2)>&\"'";

store::on_both! {
    async fn a_drawing_executes_nothing_whatever_its_texts_are(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let mut content = graph(&[(HOSTILE, "@store", json!({ "input": HOSTILE }))], &[]);
        content["nodes"][0]["metadata"] = json!({ "title": HOSTILE });
        content["description"] = json!(HOSTILE);
        put(&asker, "odd", content).await;
        let drawn = asker.get("/api/v1/graphs/odd/drawing").await;
        assert_eq!((drawn.status, drawn.header("content-type")), (StatusCode::OK, "image/svg+xml"));
        let policy = drawn.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none';") && policy.contains("sandbox") && !policy.contains("script"), "{policy}");
        assert_eq!(drawn.header("x-content-type-options"), "nosniff");
        let svg = drawn.json.as_str().unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("&lt;script&gt;"), "{svg}");
        for element in ["<script", "<img", "<foreignObject", "<a ", "<image", "onerror=alert(2)>"] {
            assert!(!svg.contains(element), "`{element}` in {svg}");
        }
        let text = asker.get("/api/v1/graphs/odd/drawing?format=text&columns=40").await;
        assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
        assert!(text.json.as_str().unwrap().lines().all(|line| line.chars().count() <= 40), "{text:?}");
        assert_eq!(asker.get("/api/v1/graphs/odd/drawing?format=png").await.code(), "bad_query");
        assert_eq!(asker.get("/api/v1/graphs/odd/drawing?version=1&draft=true").await.code(), "bad_query");
        assert_eq!(asker.get("/api/v1/graphs/odd/drawing?version=9").await.code(), "version_not_found");
        assert_eq!(asker.get("/api/v1/graphs/odd/drawing?draft=true").await.code(), "no_draft");
        stage.close().await;
    }

    async fn an_estimate_is_of_recorded_runs_that_the_caller_may_see(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        put(&asker, "web_sum", adding()).await;
        let unknown = asker.get("/api/v1/graphs/web_sum/estimate").await.json;
        assert_eq!((&unknown["unknown"], &unknown["complete"], &unknown["recorded"]), (&json!(["sum"]), &json!(false), &Value::Null), "{unknown}");
        asker.post("/api/v1/runs", json!({ "function": "web_sum", "input": { "n": 1 } })).await;
        let known = asker.get("/api/v1/graphs/web_sum/estimate").await.json;
        assert_eq!((&known["unknown"], &known["complete"]), (&json!([]), &json!(true)), "{known}");
        assert_eq!((&known["blocks"][0]["block"], &known["blocks"][0]["runs"]), (&json!("add"), &json!(1)));
        assert_eq!(known["recorded"]["runs"], 1);
        asker.token = token(&stage, "web", TokenRole::Viewer, &["web_*"]).await;
        let seen = asker.get("/api/v1/graphs/web_sum/estimate").await.json;
        assert_eq!((&seen["unknown"], &seen["blocks"]), (&json!(["sum"]), &json!([])), "{seen}");
        stage.close().await;
    }

    async fn a_pinned_node_is_shown_with_what_its_live_version_needs(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        let mut content = adding();
        content["nodes"][1]["version"] = json!(1);
        put(&asker, "web_sum", content).await;
        assert_eq!(asker.get("/api/v1/graphs/web_sum/upgrades").await.json, json!([]));
        let newer = "def add(a: int, c: int, d: int = 0) -> str:\n    return str(a + c + d)\n";
        asker.put("/api/v1/functions/add?force=true", json!({ "source": newer })).await;
        let found = asker.get("/api/v1/graphs/web_sum/upgrades").await.json;
        let upgrade = &found[0];
        assert_eq!((&upgrade["node"], &upgrade["pinned"], &upgrade["live"]), (&json!("sum"), &json!(1), &json!(2)), "{found}");
        let pins: Vec<String> = upgrade["pins"].as_array().unwrap().iter().map(|pin| format!("{} {} {}", pin["side"], pin["pin"], pin["change"])).collect();
        assert_eq!(pins, [
            r#""input" "b" "removed""#, r#""input" "c" "added_required""#, r#""input" "d" "added""#, r#""output" "output" "type""#,
        ]);
        let problems: Vec<&str> = upgrade["problems"].as_array().unwrap().iter().map(|problem| problem["code"].as_str().unwrap()).collect();
        assert_eq!(problems, ["unknown_pin", "missing_input"], "{upgrade}");
        let patch = json!({ "patches": [{ "op": "set_field", "node": "sum", "field": "version", "value": 2 }] });
        let patched = asker.ask("PATCH", "/api/v1/graphs/web_sum/draft", &[], Some(patch)).await;
        assert_eq!(patched.status, StatusCode::OK, "{patched:?}");
        assert_eq!(asker.get("/api/v1/graphs/web_sum/upgrades?draft=true").await.json, json!([]));
        asker.token = token(&stage, "web", TokenRole::Viewer, &["web_*"]).await;
        assert_eq!(asker.get("/api/v1/graphs/web_sum/upgrades").await.json, json!([]), "which version is live shows nobody outside");
        stage.close().await;
    }

    async fn graphs_are_found_as_functions_are(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        let mut content = adding();
        content["description"] = json!("Increments a counter.");
        put(&asker, "web_increment", content).await;
        let found = async |asker: &Asker, words: &str| -> Vec<String> {
            let hits = asker.get(&format!("/api/v1/search?q={words}")).await.json;
            hits.as_array().unwrap().iter().map(|hit| format!("{} {}", hit["kind"].as_str().unwrap(), hit["name"].as_str().unwrap())).collect()
        };
        assert_eq!(found(&asker, "counter").await, ["graph web_increment"]);
        assert_eq!(found(&asker, "add").await, ["function add", "graph web_increment"], "by what it calls, too");
        asker.ask("DELETE", "/api/v1/graphs/web_increment", &[], None).await;
        assert_eq!(found(&asker, "counter").await, [""; 0]);
        // A name may change its kind.
        let source = ADD.replace("add", "web_increment").replace("Adds.", "Counter.");
        asker.put("/api/v1/functions/web_increment", json!({ "source": source })).await;
        assert_eq!(found(&asker, "counter").await, ["function web_increment"]);
        asker.token = token(&stage, "mail", TokenRole::Viewer, &["mail_*"]).await;
        assert_eq!(found(&asker, "counter").await, [""; 0]);
        stage.close().await;
    }
}
