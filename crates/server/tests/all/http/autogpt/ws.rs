//! The WebSocket: subscriptions and the events of node executions.

use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use model::access::token::TokenRole;
use serde_json::{Value, json};
use server::app::tokens;
use server::http::HttpConfig;
use store::testing::TestDatabase;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::{API, PRINT, STORE, create, graph, id, open};
use crate::engine::script::Stage;
use crate::http::asking::{Asker, token};
use crate::http::listening::{Listening, listen};
use crate::http::sockets::{Socket, closed, connect, heard};
use crate::world::ME;

struct Client {
    socket: Socket,
}

impl Client {
    async fn open(listening: &Listening, token: &str) -> Client {
        let socket = connect(listening, &format!("/autogpt/ws?token={token}"), &[]).await.unwrap();
        Client { socket }
    }

    /// What is answered to a message.
    async fn says(&mut self, message: Value) -> Value {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
        heard(&mut self.socket).await
    }

    async fn subscribes(&mut self, graph: &str) {
        let answer = self.says(json!({ "method": "subscribe", "data": { "graph_id": graph } })).await;
        assert_eq!(answer, json!({ "method": "subscribe", "success": true, "channel": graph }));
    }

    /// Nodes and statuses of what happens, until a node has completed.
    async fn until_completed(&mut self, node: &str) -> Vec<(String, String)> {
        let mut events = Vec::new();
        loop {
            let event = heard(&mut self.socket).await;
            assert_eq!(event["method"], "execution_event", "{event}");
            assert_eq!(event["channel"], event["data"]["graph_id"]);
            let text = |field: &str| event["data"][field].as_str().unwrap().to_owned();
            events.push((text("node_id"), text("status")));
            if events.last().is_some_and(|(of, status)| of == node && status == "COMPLETED") {
                return events;
            }
        }
    }
}

async fn listening(database: &TestDatabase) -> (Stage, Asker, Listening, String) {
    let (stage, asker) = open(database).await;
    let listening = listen(&stage, HttpConfig::default()).await;
    let token = token(&stage, "client", TokenRole::Viewer, &[]).await;
    (stage, asker, listening, token)
}

fn printing() -> Value {
    graph(&[("a", STORE, json!({ "input": 1 })), ("print", PRINT, json!({}))], &["a.output -> print.text"])
}

async fn execute(asker: &Asker, graph: &str) {
    let started = asker.post(&format!("{API}/graphs/{graph}/execute"), json!({})).await;
    assert!(started.status.is_success(), "{started:?}");
}

store::on_both! {
    async fn a_client_subscribes_hears_and_unsubscribes(database: &TestDatabase) {
        let (stage, asker, listening, token) = listening(database).await;
        let made = create(&asker, printing()).await;
        let other = create(&asker, printing()).await;
        let go = Arc::new(Notify::new());
        let waits = Arc::clone(&go);
        stage.script.part("print_text", move |_, _| {
            let waits = Arc::clone(&waits);
            async move {
                waits.notified().await;
                Ok(super::yields(&[("status", json!("printed"))]))
            }
        });
        let mut client = Client::open(&listening, &token).await;
        client.subscribes(id(&made)).await;
        execute(&asker, id(&other)).await;
        execute(&asker, id(&made)).await;
        let first = heard(&mut client.socket).await;
        assert_eq!((&first["data"]["node_id"], &first["data"]["status"], &first["data"]["output_data"]), (&json!("a"), &json!("COMPLETED"), &json!({ "output": [1] })));
        let begun = heard(&mut client.socket).await;
        assert_eq!((&begun["data"]["node_id"], &begun["data"]["status"]), (&json!("print"), &json!("RUNNING")), "{begun}");
        go.notify_one();
        go.notify_one();
        // Whichever of the two runs it let go on.
        while !stage.ctx.store.runs(&store::RunFilter { name: Some("test_graph".to_owned()), ..Default::default() }, 1).await.unwrap()[0].state.is_final() {
            go.notify_one();
            tokio::task::yield_now().await;
        }
        let ended = heard(&mut client.socket).await;
        assert_eq!((&ended["data"]["node_id"], &ended["data"]["status"], &ended["data"]["output_data"]), (&json!("print"), &json!("COMPLETED"), &json!({ "status": ["printed"] })));
        assert_eq!(ended["data"]["node_exec_id"], begun["data"]["node_exec_id"]);
        let left = client.says(json!({ "method": "unsubscribe", "data": { "graph_id": id(&made) } })).await;
        assert_eq!(left, json!({ "method": "unsubscribe", "success": true, "channel": id(&made) }));
        go.notify_one();
        execute(&asker, id(&made)).await;
        go.notify_one();
        let unknown = client.says(json!({ "method": "get_graphs" })).await;
        assert_eq!(unknown["method"], "error", "no event came before: {unknown}");
        stage.close().await;
    }

    // In AutoGPT what cannot be read ends the connection.
    async fn what_is_not_understood_is_reported(database: &TestDatabase) {
        let (stage, _, listening, token) = listening(database).await;
        let mut client = Client::open(&listening, &token).await;
        let error = |text: &str| json!({ "method": "error", "success": false, "error": text });
        for (said, told) in [
            (json!({ "method": "subscribe" }), "Subscription data missing"),
            (json!({ "method": "unsubscribe", "data": {} }), "Subscription data missing"),
            (json!({ "method": "run_graph", "data": {} }), "Message type is not processed by the server"),
            (json!("subscribe"), "a message must be JSON with `method` and `data`"),
        ] {
            assert_eq!(client.says(said).await, error(told));
        }
        let absent = client.says(json!({ "method": "subscribe", "data": { "graph_id": "nobody" } })).await;
        assert_eq!(absent, error("there is no graph with the id `nobody`"));
        client.socket.send(Message::text("{")).await.unwrap();
        assert_eq!(heard(&mut client.socket).await["method"], "error");
        stage.close().await;
    }

    async fn two_clients_hear_the_same(database: &TestDatabase) {
        let (stage, asker, listening, token) = listening(database).await;
        let made = create(&asker, printing()).await;
        let (mut one, mut two) = (Client::open(&listening, &token).await, Client::open(&listening, &token).await);
        one.subscribes(id(&made)).await;
        two.subscribes(id(&made)).await;
        execute(&asker, id(&made)).await;
        let (first, second) = (one.until_completed("print").await, two.until_completed("print").await);
        assert_eq!(first, second);
        assert_eq!(first[0], ("a".to_owned(), "COMPLETED".to_owned()));
        // Who leaves takes nothing from the other.
        drop(one);
        execute(&asker, id(&made)).await;
        assert_eq!(two.until_completed("print").await[0].0, "a");
        stage.close().await;
    }

    async fn nobody_hears_what_they_may_not_see(database: &TestDatabase) {
        let (stage, asker, listening, wide) = listening(database).await;
        let made = create(&asker, printing()).await;
        assert_eq!(connect(&listening, "/autogpt/ws", &[]).await.err(), Some(401));
        assert_eq!(connect(&listening, "/autogpt/ws?token=no", &[]).await.err(), Some(401));
        let narrow = token(&stage, "narrow", TokenRole::Viewer, &["web.*"]).await;
        let mut client = Client::open(&listening, &narrow).await;
        let refused = client.says(json!({ "method": "subscribe", "data": { "graph_id": id(&made) } })).await;
        assert_eq!(refused["error"], format!("there is no graph with the id `{}`", id(&made)));
        let mut ended = Client::open(&listening, &wide).await;
        tokens::remove(&stage.ctx, &ME, "client").await.unwrap();
        stage.ctx.clock.advance(Duration::from_secs(5));
        assert_eq!(closed(&mut ended.socket).await, CloseCode::Normal);
        listening.stop.cancel();
        assert_eq!(closed(&mut client.socket).await, CloseCode::Away);
        stage.close().await;
    }
}
