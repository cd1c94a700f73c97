//! Graph files: what they become, and what a graph becomes as a file.

use axum::http::StatusCode;
use model::access::token::TokenRole;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::{Asker, open, token};
use crate::engine::graphs::graph;

/// An agent as AutoGPT exports it: an input, a block that there is not, and an output.
fn agent() -> Value {
    let link = |id: &str, from: &str, from_pin: &str, to: &str, to_pin: &str| json!({"id": id, "source_id": from, "source_name": from_pin, "sink_id": to, "sink_name": to_pin, "is_static": false});
    json!({
        "id": "a", "version": 3, "is_active": true, "name": "Lead Finder", "description": "Finds leads.",
        "created_at": "2026-01-01T00:00:00Z", "sub_graphs": [],
        "nodes": [
            {"id": "in", "block_id": "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b", "input_default": {"name": "n"}, "metadata": {}},
            {"id": "gone", "block_id": "00000000-1111-2222-3333-444444444444",
             "input_default": {"api_key": "sk-live-1234567890abcdef", "to": "x"}, "metadata": {}},
            {"id": "out", "block_id": "363ae599-353e-4804-937e-b2ee3cef3da4", "input_default": {"name": "o"}, "metadata": {}},
        ],
        "links": [link("1", "in", "result", "gone", "q"), link("2", "gone", "answer", "out", "value")],
    })
}

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

async fn put(asker: &Asker, name: &str, mut graph: Value) {
    graph.as_object_mut().unwrap().shift_remove("kind");
    let put = asker.put(&format!("/api/v1/graphs/{name}"), json!({ "graph": graph })).await;
    assert_eq!(put.status, StatusCode::OK, "{put:?}");
}

store::on_both! {
    async fn an_agent_is_imported_whole_and_written_again_as_it_was(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let tried = asker.post("/api/v1/graphs/import?dry_run=true", agent()).await.json;
        assert_eq!(tried["graphs"], json!([{ "name": "lead_finder", "nodes": 3, "links": 2, "placeholders": 1, "replaces": null }]), "{tried}");
        assert_eq!((&tried["applied"], asker.get("/api/v1/graphs/lead_finder").await.code()), (&Value::Null, "not_found"));
        assert!(!tried["checks"].as_array().unwrap().is_empty());

        let done = asker.post("/api/v1/graphs/import", agent()).await.json;
        assert_eq!(done["applied"]["moves"][0]["name"], "lead_finder", "{done}");
        assert_eq!(done["report"]["missing"][0]["block_id"], "00000000-1111-2222-3333-444444444444");
        let stored = asker.get("/api/v1/graphs/lead_finder").await.json.to_string();
        assert!(!stored.contains("sk-live"), "{stored}");

        let exported = asker.get("/api/v1/graphs/lead_finder/export?format=agent").await.json;
        let file = &exported["file"];
        assert_eq!(file["nodes"][1]["block_id"], agent()["nodes"][1]["block_id"]);
        assert_eq!((&file["links"], &file["nodes"][1]["input_default"]), (&agent()["links"], &json!({ "api_key": "", "to": "x" })));
        let again = asker.post("/api/v1/graphs/import?name=copy", file.clone()).await.json;
        assert_eq!(again["graphs"][0]["name"], "copy", "{again}");
        stage.close().await;
    }

    async fn ours_go_out_and_come_in_with_the_graphs_that_they_call(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        put(&asker, "team.inner", adding()).await;
        let outer = graph(&[("in", "@input", json!({"name": "n"})), ("call", "team.inner", json!({})), ("out", "@output", json!({"name": "out"}))], &["in.output -> call.n", "call.out -> out.value"]);
        put(&asker, "team", outer).await;
        let exported = asker.get("/api/v1/graphs/team/export").await.json;
        assert_eq!(exported["file"]["graphs"].as_object().unwrap().keys().collect::<Vec<_>>(), ["team", "team.inner"]);
        let old = asker.get("/api/v1/graphs/team/export?format=graph2024").await;
        assert_eq!((old.code(), old.json["error"]["message"].as_str().unwrap()), ("bad_input", "a graph file of 2024 cannot hold `team.inner`, which the graph calls; export it as an agent file"));
        let imported = asker.post("/api/v1/graphs/import?name=other", exported["file"].clone()).await.json;
        let names: Vec<&str> = imported["graphs"].as_array().unwrap().iter().map(|graph| graph["name"].as_str().unwrap()).collect();
        assert_eq!((names, imported["applied"]["moves"].as_array().unwrap().len()), (vec!["other", "other.inner"], 2), "one changeset");
        let run = asker.post("/api/v1/runs", json!({ "function": "other", "input": { "n": 2 } })).await.json;
        assert_eq!(run["output"], json!({ "out": 3 }), "{run}");
        stage.close().await;
    }

    async fn as_drafts_they_are_edited_before_they_are_live(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        put(&asker, "total", adding()).await;
        let mut file = adding();
        file["description"] = json!("Adds one.");
        let done = asker.post("/api/v1/graphs/import?draft=true&unnamed=total", file.clone()).await.json;
        assert_eq!((&done["graphs"][0]["replaces"], &done["applied"]), (&json!(1), &Value::Null), "{done}");
        let draft = asker.get("/api/v1/graphs/total/draft").await.json;
        assert_eq!((&draft["base"], &draft["graph"]["description"]), (&json!(1), &json!("Adds one.")));
        assert_eq!(asker.get("/api/v1/callables/total").await.json["version"], 1);
        let taken = asker.post("/api/v1/graphs/import?draft=true&unnamed=total", file.clone()).await;
        assert_eq!((taken.status, taken.code()), (StatusCode::CONFLICT, "name_taken"), "{taken:?}");
        let function = asker.post("/api/v1/graphs/import?draft=true&name=add", file).await;
        assert_eq!(function.code(), "name_taken", "{function:?}");
        let applied = asker.post("/api/v1/graphs/total/draft/apply", json!({ "edit": 0 })).await;
        assert_eq!(applied.json["moves"][0]["to"], 2, "{applied:?}");
        stage.close().await;
    }

    async fn a_file_that_is_none_changes_nothing_and_says_why(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let refused = async |query: &str, body: Value| {
            let answer = asker.post(&format!("/api/v1/graphs/import{query}"), body).await;
            (answer.code().to_owned(), answer.json["error"]["message"].as_str().unwrap_or_default().to_owned())
        };
        let (code, message) = refused("", json!({ "name": "x", "steps": [] })).await;
        assert_eq!((code.as_str(), message.as_str()), ("bad_graph_file", "this is not a graph: it has `name` and `steps`; a graph file is an object with `nodes` and `links`, as selfmade and AutoGPT export it"));
        assert_eq!(refused("", json!([1])).await.0, "bad_graph_file");
        let (code, message) = refused("", json!({ "nodes": [{ "id": "a", "block": "add" }] })).await;
        assert_eq!((code.as_str(), message.as_str()), ("bad_input", "the file does not say what its graph is called"));
        assert_eq!(refused("?draft=true&dry_run=true", agent()).await.0, "bad_query");
        assert_eq!(refused("?name=print", agent()).await.0, "bad_query");
        // What cannot be run is refused by the checks, as always.
        let (code, _) = refused("?name=x", json!({ "nodes": [{ "id": "a", "block": "nobody" }] })).await;
        assert_eq!(code, "checks_failed");
        let bearer = format!("Bearer {}", asker.token);
        let headers = [("host", "localhost"), ("authorization", bearer.as_str())];
        let raw = asker.send("POST", "/api/v1/graphs/import", &headers, "{\"nodes\": [".to_owned()).await;
        assert_eq!(raw.code(), "bad_graph_file", "{raw:?}");
        assert_eq!(asker.get("/api/v1/graphs").await.json["items"], json!([]));
        stage.close().await;
    }

    async fn names_are_judged_before_anything_is_reported(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        put(&asker, "secret_graph", graph(&[("a", "add", json!({"a": 1, "b": 2}))], &[])).await;
        put(&asker, "web_page", graph(&[("inner", "secret_graph", json!({}))], &[])).await;
        asker.token = token(&stage, "web", TokenRole::Builder, &["web_*"]).await;
        for query in ["", "&draft=true", "&dry_run=true"] {
            let refused = asker.post(&format!("/api/v1/graphs/import?name=mail{query}"), adding()).await;
            assert_eq!(refused.code(), "forbidden", "{query}: {refused:?}");
        }
        assert_eq!(asker.post("/api/v1/graphs/import", agent()).await.code(), "forbidden", "by the name in the file");
        assert_eq!(asker.get("/api/v1/graphs/secret_graph/export").await.code(), "forbidden");
        let exported = asker.get("/api/v1/graphs/web_page/export").await.json;
        assert_eq!(exported["left_out"], json!(["secret_graph"]), "{exported}");
        assert_eq!(exported["file"]["graphs"].as_object().unwrap().len(), 1);
        // What is outside is an opaque block, whether or not it is there.
        for outside in ["secret_graph", "nowhere"] {
            let file = json!({ "nodes": [{ "id": "a", "block": outside, "input": { "any": 1 } }] });
            let tried = asker.post("/api/v1/graphs/import?name=web_new&dry_run=true", file).await.json;
            assert_eq!(tried["graphs"][0]["placeholders"], 0, "{tried}");
        }
        stage.close().await;
    }
}
