//! Graphs, their versions, and templates.

use axum::http::StatusCode;
use model::access::token::TokenRole;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{API, CALCULATE, INPUT, PRINT, STORE, create, detail, graph, id, open};
use crate::http::asking::token;

fn one() -> Value {
    graph(&[("a", STORE, json!({ "input": 1 }))], &[])
}

store::on_both! {
    async fn a_graph_is_shown_as_it_was_sent(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let sent = graph(
            &[("name", INPUT, json!({ "name": "name" })), ("print", PRINT, json!({}))],
            &["name.value => print.text"],
        );
        let created = create(&asker, sent.clone()).await;
        for field in ["nodes", "links", "name", "description", "subgraphs", "is_template"] {
            assert_eq!(created[field], sent[field], "{field}");
        }
        assert_eq!((&created["version"], &created["is_active"]), (&json!(1), &json!(true)));
        assert!(id(&created).parse::<uuid::Uuid>().is_ok());
        assert_eq!(asker.get(&format!("{API}/graphs/{}", id(&created))).await.json, created);
        let listed = asker.get(&format!("{API}/graphs")).await.json;
        let meta = json!({ "id": id(&created), "version": 1, "is_active": true, "is_template": false, "name": "Test Graph", "description": "For tests" });
        assert_eq!(listed, json!([meta]));
        // It is a graph like every other, under a name that is derived from its title.
        assert_eq!(asker.get("/api/v1/graphs/test_graph").await.status, StatusCode::OK);
        let second = create(&asker, sent).await;
        assert_ne!(id(&second), id(&created));
        assert_eq!(asker.get("/api/v1/graphs/test_graph_2").await.status, StatusCode::OK);
        stage.close().await;
    }

    async fn each_change_is_a_version_and_any_can_be_active(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let created = create(&asker, one()).await;
        let address = format!("{API}/graphs/{}", id(&created));
        let mut changed = created.clone();
        changed["nodes"][0]["input_default"]["input"] = json!(2);
        let second = asker.put(&address, changed.clone()).await;
        assert_eq!((second.status, &second.json["version"], &second.json["is_active"]), (StatusCode::OK, &json!(2), &json!(true)));
        assert_eq!(second.json["nodes"][0]["id"], "a", "ids of nodes stay");
        // Saying again what is there is no version.
        assert_eq!(asker.put(&address, changed).await.json["version"], 2);
        let versions = asker.get(&format!("{address}/versions")).await.json;
        let shown: Vec<_> = versions.as_array().unwrap().iter().map(|one| (one["version"].as_u64(), one["is_active"].as_bool())).collect();
        assert_eq!(shown, [(Some(2), Some(true)), (Some(1), Some(false))]);
        let back = asker.put(&format!("{address}/versions/active"), json!({ "active_graph_version": 1 })).await;
        assert_eq!((back.status, &back.json), (StatusCode::OK, &Value::Null));
        assert_eq!(asker.get(&address).await.json, created);
        assert_eq!(asker.get(&format!("{address}?version=2")).await.json["nodes"][0]["input_default"]["input"], 2);
        assert_eq!(asker.get(&format!("{address}/versions/2")).await.json["is_active"], false);
        assert_eq!(asker.get(&format!("{address}/versions/9")).await.status, StatusCode::NOT_FOUND);
        let absent = asker.put(&format!("{address}/versions/active"), json!({ "active_graph_version": 9 })).await;
        assert_eq!(absent.status, StatusCode::NOT_FOUND);
        for (wrong, told) in [
            (json!({ "id": "3e53486c-cf57-477e-ba2a-cb02dc828e1a" }), "the `id` in the body is not that of the address"),
            (json!({ "is_template": true }), "`is_template` cannot be changed"),
        ] {
            let mut body = created.clone();
            body.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
            assert_eq!(detail(&asker.put(&address, body).await), (StatusCode::BAD_REQUEST, told));
        }
        stage.close().await;
    }

    async fn a_template_is_copied_and_not_run(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let template = asker.post(&format!("{API}/templates"), json!({ "graph": one() })).await.json;
        assert_eq!((&template["is_template"], &template["is_active"]), (&json!(true), &json!(false)));
        assert_eq!(asker.get(&format!("{API}/graphs")).await.json, json!([]));
        assert_eq!(asker.get(&format!("{API}/templates")).await.json[0]["id"], template["id"]);
        let address = format!("{API}/templates/{}", id(&template));
        assert_eq!(asker.get(&address).await.json, template);
        assert_eq!(asker.get(&format!("{API}/graphs/{}", id(&template))).await.status, StatusCode::NOT_FOUND);
        let run = asker.post(&format!("{API}/graphs/{}/execute", id(&template)), json!({})).await;
        assert_eq!(run.status, StatusCode::NOT_FOUND);
        let mut changed = template.clone();
        changed["description"] = json!("changed");
        assert_eq!(asker.put(&address, changed).await.json["version"], 2);
        assert_eq!(asker.get(&format!("{address}/versions")).await.json[1]["description"], "For tests");
        let copy = asker.post(&format!("{API}/graphs"), json!({ "template_id": id(&template), "template_version": 1 })).await;
        assert_eq!((copy.status, &copy.json["is_template"], &copy.json["version"]), (StatusCode::OK, &json!(false), &json!(1)));
        assert_eq!((&copy.json["description"], &copy.json["nodes"]), (&json!("For tests"), &template["nodes"]));
        let neither = asker.post(&format!("{API}/graphs"), json!({})).await;
        assert_eq!(detail(&neither), (StatusCode::BAD_REQUEST, "either `graph` or `template_id` must be given"));
        stage.close().await;
    }

    async fn groups_are_linked_by_their_borders_only(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let grouped = |link: &str| {
            let nodes = [("1", STORE, json!({ "input": 1 })), ("2", INPUT, json!({ "name": "x" })), ("3", STORE, json!({}))];
            let mut graph = graph(&nodes, &[link, "2.value -> 3.data"]);
            graph["nodes"][2]["input_default"] = json!({ "input": 0 });
            graph["subgraphs"] = json!({ "3e53486c-cf57-477e-ba2a-cb02dc828e1a": ["2", "3"] });
            json!({ "graph": graph })
        };
        let crossing = asker.post(&format!("{API}/graphs"), grouped("1.output -> 3.input")).await;
        assert_eq!(crossing.status, StatusCode::BAD_REQUEST);
        assert!(detail(&crossing).1.contains("different subgraph"), "{crossing:?}");
        let accepted = asker.post(&format!("{API}/graphs"), grouped("1.output -> 2.value")).await;
        assert_eq!(accepted.status, StatusCode::OK, "{accepted:?}");
        assert_eq!(accepted.json["subgraphs"], json!({ "3e53486c-cf57-477e-ba2a-cb02dc828e1a": ["2", "3"] }));
        assert_eq!((accepted.json["nodes"].as_array().unwrap().len(), accepted.json["links"].as_array().unwrap().len()), (3, 2));
        stage.close().await;
    }

    // A link to a pin that does not exist can be saved in AutoGPT, and a graph without a start "succeeds".
    async fn what_cannot_work_is_refused_with_its_node_and_pin(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let refused = async |graph: Value| {
            let answer = asker.post(&format!("{API}/graphs"), json!({ "graph": graph })).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{answer:?}");
            detail(&answer).1.to_owned()
        };
        let store = |id| (id, STORE, json!({ "input": 1 }));
        let pin = refused(graph(&[store("a"), ("print", PRINT, json!({}))], &["a.output -> print.txet"])).await;
        assert!(pin.contains("node `print`") && pin.contains("`txet`"), "{pin}");
        let pin = refused(graph(&[store("a"), ("print", PRINT, json!({}))], &["a.outptu -> print.text"])).await;
        assert!(pin.contains("node `a`") && pin.contains("`outptu`"), "{pin}");
        let node = refused(graph(&[store("a")], &["a.output -> nobody.text"])).await;
        assert!(node.contains("`nobody`"), "{node}");
        let start = "the graph has no node to start with";
        assert_eq!(refused(graph(&[("a", STORE, json!({})), ("b", STORE, json!({}))], &["a.output -> b.input", "b.output -> a.input"])).await, start);
        assert_eq!(refused(graph(&[], &[])).await, start);
        assert!(refused(json!({ "nodes": [{ "id": "a", "block": "@store" }] })).await.contains("`block_id`"));
        assert!(refused(json!({ "name": "x" })).await.contains("not a graph"));
        assert_eq!(asker.get(&format!("{API}/graphs")).await.json, json!([]), "nothing was stored");
        stage.close().await;
    }

    async fn a_block_that_is_not_here_is_reported_and_kept(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let sent = graph(&[("a", STORE, json!({ "input": 1 })), ("odd", "a block of ones own", json!({ "x": 1 }))], &["a.output -> odd.y"]);
        let created = create(&asker, sent.clone()).await;
        assert!(created["notes"][0].as_str().unwrap().contains("node `odd`"), "{created}");
        assert_eq!((&created["nodes"], &created["links"]), (&sent["nodes"], &sent["links"]));
        stage.close().await;
    }

    async fn secrets_are_neither_stored_nor_shown(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let chat = "1f292d4a-41a4-4977-9684-7c8d560b9f91";
        let created = create(&asker, graph(&[("a", STORE, json!({ "input": 1 })), ("ask", chat, json!({ "prompt": "hi", "api_key": "sk-abcdefghijklmnop" }))], &[])).await;
        assert!(created["notes"].to_string().contains("a secret was left out"), "{created}");
        for path in ["/autogpt/api/graphs/", "/api/v1/graphs/test_graph"] {
            let path = if path.ends_with('/') { format!("{path}{}", id(&created)) } else { path.to_owned() };
            assert!(!asker.get(&path).await.json.to_string().contains("sk-abc"), "{path}");
        }
        let settings = asker.post(&format!("{API}/settings"), json!({ "config": {}, "secrets": { "openai_api_key": "sk-abcdefghijklmnop" } })).await;
        assert_eq!((settings.status, &settings.json["updated_fields"]["secrets"]), (StatusCode::OK, &json!(["openai_api_key"])));
        let config = asker.post(&format!("{API}/settings"), json!({ "config": { "num_workers": 9 } })).await;
        assert_eq!(config.status, StatusCode::BAD_REQUEST, "{config:?}");
        stage.close().await;
    }

    // Anybody may do anything in AutoGPT.
    async fn a_narrow_token_sees_what_it_may_touch_alone(database: &TestDatabase) {
        let (stage, mut asker) = open(database).await;
        let hidden = create(&asker, one()).await;
        let mut named = one();
        named["name"] = json!("web.flow");
        let seen = create(&asker, named.clone()).await;
        asker.token = token(&stage, "web", TokenRole::Builder, &["web.*"]).await;
        let listed = asker.get(&format!("{API}/graphs")).await.json;
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &seen["id"]));
        assert_eq!(asker.get(&format!("{API}/graphs/{}", id(&hidden))).await.status, StatusCode::NOT_FOUND);
        let other = asker.post(&format!("{API}/graphs"), json!({ "graph": one() })).await;
        assert_eq!(other.status, StatusCode::FORBIDDEN, "{other:?}");
        assert_eq!(create(&asker, named).await["name"], "web.flow");
        assert_eq!(asker.post(&format!("{API}/settings"), json!({ "secrets": { "k": "abcdefgh" } })).await.status, StatusCode::FORBIDDEN);
        asker.token.clear();
        assert_eq!(asker.get(&format!("{API}/graphs")).await.status, StatusCode::UNAUTHORIZED);
        stage.close().await;
    }

    async fn ids_that_are_empty_become_new_ones_and_calculations_keep_theirs(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let mut sent = graph(&[("", STORE, json!({ "input": 1 })), ("c", CALCULATE, json!({ "operation": "Add", "a": 1, "b": 2 }))], &[]);
        sent["nodes"][0].as_object_mut().unwrap().shift_remove("id");
        let created = create(&asker, sent).await;
        assert!(created["nodes"][0]["id"].as_str().unwrap().parse::<uuid::Uuid>().is_ok(), "{created}");
        assert_eq!(created["nodes"][1]["id"], "c");
        stage.close().await;
    }
}
