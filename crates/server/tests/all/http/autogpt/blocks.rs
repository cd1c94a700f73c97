//! Blocks by themselves.

use axum::http::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{API, CALCULATE, FIND, INPUT, STORE, TEMPLATE, detail, open};

store::on_both! {
    async fn blocks_are_listed_by_all_their_ids_with_schemas(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        stage.add(&["def own(x: int) -> int:\n    \"\"\"Of ones own.\"\"\"\n    return x\n"]).await;
        let blocks = asker.get(&format!("{API}/blocks")).await.json;
        let block = |id: &str| -> Value { blocks.as_array().unwrap().iter().find(|one| one["id"] == id).cloned().unwrap() };
        let keys: Vec<String> = block(CALCULATE).as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["id", "name", "inputSchema", "outputSchema", "description", "categories", "contributors", "staticOutput"]);
        assert_eq!(block(CALCULATE)["inputSchema"]["required"], json!(["operation", "a", "b"]));
        assert_eq!(block(FIND)["name"], block("0e50422c-6dee-4145-83d6-3a5a392f65de")["name"]);
        assert!(block(TEMPLATE)["inputSchema"]["properties"]["format"].is_object());
        assert!(block(INPUT)["outputSchema"]["properties"]["value"].is_object());
        assert_eq!((&block(STORE)["staticOutput"], &block(CALCULATE)["staticOutput"]), (&json!(true), &json!(false)));
        assert_eq!(block("selfmade:own")["description"], "Of ones own.");
        let missing = blocks.as_array().unwrap().iter().find(|one| one["name"] == "CountItemsBlock");
        assert_eq!(missing, None, "its function is not in the brain");
        stage.close().await;
    }

    async fn a_block_is_executed_by_itself(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let execute = async |id: &str, input: Value| asker.post(&format!("{API}/blocks/{id}/execute"), input).await;
        let sum = execute(CALCULATE, json!({ "operation": "Add", "a": 4, "b": 5 })).await;
        assert_eq!((sum.status, &sum.json), (StatusCode::OK, &json!({ "result": [9.0] })));
        let text = execute(TEMPLATE, json!({ "format": "{a}, {b}!", "values": { "a": "Hello" }, "values_#_b": "World" })).await;
        assert_eq!(text.json, json!({ "output": ["Hello, World!"] }), "{text:?}");
        assert_eq!(execute(STORE, json!({ "input": 1, "data": 0 })).await.json, json!({ "output": [0] }));
        assert_eq!(execute(INPUT, json!({ "name": "x", "value": false })).await.json, json!({ "value": [false] }));
        // In AutoGPT wrong input is an error of the server, and what is divided by zero is infinite.
        let wrong = execute(CALCULATE, json!({ "operation": "Add", "a": "four", "b": 5 })).await;
        assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(detail(&wrong).1.contains("`a`"), "{wrong:?}");
        let missing = execute(STORE, json!({})).await;
        assert_eq!(detail(&missing), (StatusCode::BAD_REQUEST, "the input `input` is missing"));
        let failed = execute(CALCULATE, json!({ "operation": "Divide", "a": 4, "b": 0 })).await;
        assert_eq!(detail(&failed), (StatusCode::INTERNAL_SERVER_ERROR, "ZeroDivisionError: 4 cannot be divided by 0"));
        assert_eq!(execute("nobody", json!({})).await.status, StatusCode::NOT_FOUND);
        let user = asker.post(&format!("{API}/auth/user"), json!(null)).await;
        assert!(user.json["id"].as_str().unwrap().starts_with("token:"), "{user:?}");
        stage.close().await;
    }
}
