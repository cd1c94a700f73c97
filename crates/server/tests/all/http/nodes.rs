//! The servers of a brain.

use std::time::Duration;

use model::ids::NodeId;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::asking::open;

store::on_both! {
    async fn servers_are_listed_with_what_they_do_and_whether_they_are_there(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let (store, now) = (&stage.ctx.store, stage.ctx.clock.now());
        let gone = NodeId(stage.ctx.ids.uuid());
        store.node_started(gone, "b:2", "", now - Duration::from_secs(60)).await.unwrap();
        store.node_started(stage.ctx.engine.node(), "a:1", "http,engine", now).await.unwrap();
        let answer = asker.get("/api/v1/nodes").await;
        let shown = |node: &Value| -> Vec<Value> {
            ["name", "roles", "alive", "runs", "this"].iter().map(|field| node[field].clone()).collect()
        };
        let nodes: Vec<Vec<Value>> = answer.json.as_array().unwrap().iter().map(shown).collect();
        let expected = [
            vec![json!("b:2"), json!([]), json!(false), json!(0), json!(false)],
            vec![json!("a:1"), json!(["http", "engine"]), json!(true), json!(0), json!(true)],
        ];
        assert_eq!(nodes, expected);
    }

    async fn a_server_that_stops_in_good_order_is_not_listed_any_more(database: &TestDatabase) {
        let (stage, asker) = open(database).await;
        let stop = sandbox::CancellationToken::new();
        let working = tokio::spawn(server::engine::work(stage.ctx.clone(), stop.clone()));
        while asker.get("/api/v1/nodes").await.json == json!([]) {}
        stop.cancel();
        working.await.unwrap();
        assert_eq!(asker.get("/api/v1/nodes").await.json, json!([]));
    }
}
