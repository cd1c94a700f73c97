//! `/autogpt/ws`: the node executions of graphs, as they happen.
//!
//! A client subscribes to graphs and gets an `execution_event` for what the nodes of their runs do. Its queue is bounded: one that does
//! not keep up learns that it missed some.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use model::access::verb::Verb;
use model::entry::EntryKind;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, NotDone};
use crate::app::autogpt::feed::Listener;
use crate::app::autogpt::find;
use crate::http::problem::Problem;
use crate::http::request::authorization::{Role, to};
use crate::http::request::caller::Caller;
use crate::http::state::Door;

/// A message of a client names a graph.
const MOST_HEARD_BYTES: usize = 4 << 10;
/// Messages that wait for one client.
const QUEUE: usize = 64;
/// Graphs that one client subscribes to.
const SUBSCRIPTIONS: usize = 100;
/// A client that takes longer to read one message is gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
const ALIVE: Duration = Duration::from_secs(15);

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(open))
}

/// A caller who may not be able to send headers, as a browser is not.
struct SocketCaller(Allowed<Role<to::ReadRuns>>);

impl FromRequestParts<Door> for SocketCaller {
    type Rejection = NotDone;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, NotDone> {
        let pairs = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let token = pairs.into_iter().find(|(name, _)| name == "token").map(|(_, token)| token);
        if let Some(Ok(bearer)) = token.map(|token| HeaderValue::from_str(&format!("Bearer {token}"))) {
            parts.headers.entry(header::AUTHORIZATION).or_insert(bearer);
        }
        Allowed::from_request_parts(parts, door).await.map(SocketCaller)
    }
}

/// The node executions of the graphs that the client subscribes to
#[utoipa::path(get, path = "/autogpt/ws", params(("token" = Option<String>, Query, description = "Instead of `Authorization`")),
    responses((status = 101, description = "A WebSocket")))]
#[expect(
    clippy::disallowed_methods,
    reason = "the socket ends with its caller's token or session, as all streams do"
)]
async fn open(
    State(door): State<Door>,
    SocketCaller(caller): SocketCaller,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, NotDone> {
    let upgrade = upgrade
        .map_err(|wrong| NotDone::bad_request(format!("cannot open a WebSocket: {}", wrong.body_text())))?;
    let place = door.socket_place().ok_or_else(Problem::too_many_sockets)?;
    let (door, caller) = (door.clone(), Caller::clone(&caller));
    let upgrade = upgrade.max_message_size(MOST_HEARD_BYTES).max_frame_size(MOST_HEARD_BYTES);
    Ok(upgrade.on_upgrade(move |socket| serve(socket, door, caller, place)))
}

async fn serve(mut socket: WebSocket, door: Door, caller: Caller, place: OwnedSemaphorePermit) {
    let (sender, messages) = channel(QUEUE);
    let client = Client { door, caller, sender, subscriptions: HashMap::new() };
    if let Some((code, reason)) = client.talk(&mut socket, messages).await {
        let close = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        let _ = tokio::time::timeout(SEND_TIMEOUT, socket.send(Message::Close(Some(close)))).await;
    }
    drop(place);
}

struct Client {
    door: Door,
    caller: Caller,
    sender: Sender<Value>,
    /// By the id of the graph.
    subscriptions: HashMap<String, Subscription>,
}

/// Ends when it is dropped.
struct Subscription(JoinHandle<()>);

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a client says.
#[derive(Debug, Deserialize)]
struct ClientMessage {
    method: String,
    #[serde(default)]
    data: Value,
}

impl Client {
    /// Why it ends; nothing if the client is gone.
    async fn talk(
        mut self,
        socket: &mut WebSocket,
        mut messages: Receiver<Value>,
    ) -> Option<(u16, &'static str)> {
        let clock = self.door.ctx().clock.clone();
        let stop = self.door.stop().clone();
        let mut lapsed = Box::pin(self.caller.lapsed(self.door.ctx()));
        let (mut is_answered, mut ping_at) = (true, clock.now() + ALIVE);
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return Some((close_code::AWAY, "the server stops")),
                () = &mut lapsed => return Some((close_code::NORMAL, "the token or session has ended")),
                heard = socket.recv() => match heard {
                    Some(Ok(Message::Text(text))) => Message::text(self.handle(&text).await.to_string()),
                    Some(Ok(Message::Pong(_))) => {
                        is_answered = true;
                        continue;
                    }
                    Some(Ok(Message::Ping(_))) => continue,
                    Some(Ok(Message::Binary(_))) => Message::text(error("a message must be a text").to_string()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                },
                // There is always a sender, which is this client.
                Some(message) = messages.recv() => {
                    // It may have unsubscribed since.
                    let channel = message["channel"].as_str().unwrap_or_default();
                    if !self.subscriptions.contains_key(channel) {
                        continue;
                    }
                    Message::text(message.to_string())
                }
                () = clock.wait_until(ping_at) => {
                    if !is_answered {
                        return None;
                    }
                    (is_answered, ping_at) = (false, clock.now() + ALIVE);
                    Message::Ping(Default::default())
                }
            };
            if !matches!(tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await, Ok(Ok(()))) {
                return None;
            }
        }
    }

    async fn handle(&mut self, text: &str) -> Value {
        let Ok(ClientMessage { method, data }) = serde_json::from_str(text) else {
            return error("a message must be JSON with `method` and `data`");
        };
        let graph = data["graph_id"].as_str();
        match (method.as_str(), graph) {
            ("subscribe", Some(graph)) => match self.subscribe(graph).await {
                Ok(()) => json!({ "method": "subscribe", "success": true, "channel": graph }),
                Err(refused) => error(refused.detail()),
            },
            ("unsubscribe", Some(graph)) => {
                self.subscriptions.remove(graph);
                json!({ "method": "unsubscribe", "success": true, "channel": graph })
            }
            ("subscribe" | "unsubscribe", None) => error("Subscription data missing"),
            _ => error("Message type is not processed by the server"),
        }
    }

    async fn subscribe(&mut self, graph: &str) -> Result<(), NotDone> {
        if self.subscriptions.len() >= SUBSCRIPTIONS && !self.subscriptions.contains_key(graph) {
            return Err(NotDone::bad_request(format!(
                "a client subscribes to {SUBSCRIPTIONS} graphs at most"
            )));
        }
        let (ctx, access) = (self.door.ctx(), self.caller.access());
        let Some(name) = find(ctx, access, Verb::ReadRuns, EntryKind::Graph, graph).await? else {
            return Err(Problem::of("not_found", format!("there is no graph with the id `{graph}`")).into());
        };
        let listener = self.door.graph_feed().listen(access, &name).await?;
        let task = tokio::spawn(forward(listener, graph.to_owned(), self.sender.clone()));
        self.subscriptions.insert(graph.to_owned(), Subscription(task));
        Ok(())
    }
}

/// Hands on what happens, as fast as the client reads.
async fn forward(mut listener: Listener, graph: String, sender: Sender<Value>) {
    loop {
        let message = match listener.executions.recv().await {
            Ok(execution) => {
                let execution = Arc::unwrap_or_clone(execution);
                json!({ "method": "execution_event", "channel": graph, "data": execution })
            }
            Err(RecvError::Lagged(missed)) => {
                let text = format!(
                    "{missed} executions were not told, because they were not read in time; ask for them"
                );
                json!({ "method": "error", "success": false, "channel": graph, "error": text })
            }
            Err(RecvError::Closed) => return,
        };
        if sender.send(message).await.is_err() {
            return;
        }
    }
}

fn error(text: &str) -> Value {
    json!({ "method": "error", "success": false, "error": text })
}
