//! WebSockets: the same streams, with the same keys to the door.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use model::access::token::TokenRole;
use serde_json::{Value, json};
use server::app::tokens;
use server::http::HttpConfig;
use store::testing::TestDatabase;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::asking::{ADD, Asker, token};
use super::listening::{Listening, listen};
use crate::engine::script::Stage;
use crate::world::ME;

pub(super) type Socket = WebSocketStream<TcpStream>;

async fn open(database: &TestDatabase, config: HttpConfig) -> (Stage, Listening, String) {
    let stage = Stage::open(database).await;
    stage.add(&[ADD]).await;
    stage.script.part("add", |_, _| async { Ok(3.into()) });
    let listening = listen(&stage, config).await;
    let token = token(&stage, "t", TokenRole::Viewer, &[]).await;
    (stage, listening, token)
}

pub(super) async fn connect(
    listening: &Listening,
    path: &str,
    headers: &[(&'static str, &str)],
) -> Result<Socket, u16> {
    let mut request = format!("ws://{}{path}", listening.address).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let stream = TcpStream::connect(listening.address).await.unwrap();
    match client_async(request, stream).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

pub(super) async fn heard(socket: &mut Socket) -> Value {
    match socket.next().await.unwrap().unwrap() {
        Message::Text(text) => serde_json::from_str(&text).unwrap(),
        other => panic!("{other:?}"),
    }
}

pub(super) async fn closed(socket: &mut Socket) -> CloseCode {
    loop {
        if let Message::Close(Some(frame)) = socket.next().await.unwrap().unwrap() {
            return frame.code;
        }
    }
}

store::on_both! {
    async fn events_come_over_a_socket_from_where_it_broke_off(database: &TestDatabase) {
        let (stage, listening, token) = open(database, HttpConfig::default()).await;
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let mut socket = connect(&listening, "/api/v1/events?kind=run.*", &headers).await.unwrap();
        let runs = [stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap(), stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap()];
        let first = heard(&mut socket).await;
        assert_eq!((first["event"].as_str(), first["data"]["data"]["run_id"].as_str()), (Some("run.finished"), Some(runs[0].run_id.to_string().as_str())));
        drop(socket);
        let path = format!("/api/v1/events?kind=run.*&after={}", first["id"].as_str().unwrap());
        let mut again = connect(&listening, &path, &headers).await.unwrap();
        assert_eq!(heard(&mut again).await["data"]["data"]["run_id"], runs[1].run_id.to_string());
        listening.stop.cancel();
        assert_eq!(closed(&mut again).await, CloseCode::Away);
        listening.served.await.unwrap();
        stage.close().await;
    }

    async fn a_run_is_reported_over_a_socket_until_it_ends(database: &TestDatabase) {
        let (stage, listening, token) = open(database, HttpConfig::default()).await;
        let run = stage.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        let bearer = format!("Bearer {token}");
        let path = format!("/api/v1/runs/{}/stream", run.run_id);
        let mut socket = connect(&listening, &path, &[("authorization", &bearer)]).await.unwrap();
        let told = heard(&mut socket).await;
        assert_eq!((&told["event"], &told["data"]["state"]), (&json!("state"), &json!("succeeded")));
        assert_eq!(closed(&mut socket).await, CloseCode::Normal);
        stage.close().await;
    }

    async fn whoever_has_no_token_or_comes_from_elsewhere_gets_no_socket(database: &TestDatabase) {
        let (stage, listening, _) = open(database, HttpConfig::default()).await;
        let path = "/api/v1/events";
        assert_eq!(connect(&listening, path, &[]).await.err(), Some(401));
        let asker = Asker::of(&stage).await;
        let link = asker.door.sign_in_path().unwrap();
        let signed_in = asker.bare("GET", &link, &[("host", "localhost")], None).await;
        let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
        assert_eq!(connect(&listening, path, &[("cookie", &cookie)]).await.err(), Some(403), "browsers say where they come from");
        assert_eq!(connect(&listening, path, &[("cookie", &cookie), ("origin", "http://evil.example")]).await.err(), Some(403));
        let own = format!("http://{}", listening.address);
        assert!(connect(&listening, path, &[("cookie", &cookie), ("origin", &own)]).await.is_ok());
        stage.close().await;
    }

    async fn nothing_is_heard_and_there_are_so_many_at_once(database: &TestDatabase) {
        let (stage, listening, token) = open(database, HttpConfig { sockets: 1, ..HttpConfig::default() }).await;
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let mut first = connect(&listening, "/api/v1/events", &headers).await.unwrap();
        assert_eq!(connect(&listening, "/api/v1/events", &headers).await.err(), Some(503));
        first.send(Message::text("hello")).await.unwrap();
        assert_eq!(closed(&mut first).await, CloseCode::Policy);
        stage.close().await;
    }

    async fn a_stream_ends_with_the_token_it_was_opened_with(database: &TestDatabase) {
        let (stage, listening, token) = open(database, HttpConfig::default()).await;
        let bearer = format!("Bearer {token}");
        let mut socket = connect(&listening, "/api/v1/events?after=0", &[("authorization", &bearer)]).await.unwrap();
        heard(&mut socket).await;
        tokens::remove(&stage.ctx, &ME, "t").await.unwrap();
        stage.ctx.clock.advance(Duration::from_secs(5));
        assert_eq!(closed(&mut socket).await, CloseCode::Normal);
        stage.close().await;
    }

    async fn a_client_that_does_not_answer_is_let_go(database: &TestDatabase) {
        let (stage, listening, token) = open(database, HttpConfig::default()).await;
        let bearer = format!("Bearer {token}");
        let mut socket = connect(&listening, "/api/v1/events?after=1", &[("authorization", &bearer)]).await.unwrap();
        // The last there is: nothing but pings comes after it.
        assert_eq!(heard(&mut socket).await["event"], "changeset.applied");
        stage.ctx.clock.advance(Duration::from_secs(15));
        while !matches!(socket.next().await.unwrap().unwrap(), Message::Ping(_)) {}
        // The client would answer when it is polled next, and is not.
        let mut silent = socket.into_inner();
        stage.ctx.clock.advance(Duration::from_secs(15));
        let mut rest = Vec::new();
        silent.read_to_end(&mut rest).await.unwrap();
        assert!(rest.is_empty(), "no other ping, but an end: {rest:?}");
        stage.close().await;
    }
}
