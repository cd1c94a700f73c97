//! A scripted model server on loopback that speaks all three wire formats: it answers from a list or by a function of what it is asked,
//! remembers what that was, and behaves as badly as servers do.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use hyper::{HeaderMap, StatusCode, header};
use model::llm::Protocol;
use model::llm::scripted::{self, ScriptedReply, StreamedEvent};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// In how large pieces texts are streamed.
const PIECE: usize = 4;
const DIMENSIONS: usize = 8;

/// What it was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub protocol: Protocol,
    pub body: Value,
    /// The body as it came.
    pub text: String,
    /// The key that was sent.
    pub key: Option<String>,
}

/// What it does.
#[derive(Clone, Debug)]
pub enum Behaviour {
    Reply(ScriptedReply),
    /// Each event of the stream waits for [`ScriptedModel::release`].
    Gated(ScriptedReply),
    /// Breaks off after so many events.
    Cut {
        reply: ScriptedReply,
        events: usize,
    },
    Status {
        status: u16,
        retry_after: Option<u64>,
        body: Value,
    },
    /// A response that is not what it should be.
    Raw(String),
}

impl Behaviour {
    pub fn status(status: u16, said: &str) -> Behaviour {
        Behaviour::Status { status, retry_after: None, body: json!({ "error": { "message": said } }) }
    }

    /// Refuses for now, and says for how many seconds.
    pub fn busy(status: u16, retry_after: u64) -> Behaviour {
        let body = json!({ "error": { "message": "busy" } });
        Behaviour::Status { status, retry_after: Some(retry_after), body }
    }
}

type Script = Arc<dyn Fn(&Asked, usize) -> Behaviour + Send + Sync>;

struct Stage {
    script: Script,
    asked: Mutex<Vec<Asked>>,
    gate: Semaphore,
}

/// Serves until it is dropped.
pub struct ScriptedModel {
    address: SocketAddr,
    stage: Arc<Stage>,
    _serving: JoinSet<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds the lock can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptedModel {
    /// Answers by what it is asked, and by how often it was asked before.
    pub async fn start(
        script: impl Fn(&Asked, usize) -> Behaviour + Send + Sync + 'static,
    ) -> std::io::Result<ScriptedModel> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let stage =
            Arc::new(Stage { script: Arc::new(script), asked: Mutex::default(), gate: Semaphore::new(0) });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&stage));
        let mut serving = JoinSet::new();
        serving.spawn(async move { drop(axum::serve(listener, router).await) });
        Ok(ScriptedModel { address, stage, _serving: serving })
    }

    /// Answers one after the other; after the last, refuses.
    pub async fn of(list: Vec<Behaviour>) -> std::io::Result<ScriptedModel> {
        let list = Mutex::new(VecDeque::from(list));
        let next = move || lock(&list).pop_front();
        ScriptedModel::start(move |_, _| {
            next().unwrap_or_else(|| Behaviour::status(400, "the script has ended"))
        })
        .await
    }

    /// Where its API begins.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.stage.asked).clone()
    }

    /// Lets so many more events of gated streams through.
    pub fn release(&self, events: usize) {
        self.stage.gate.add_permits(events);
    }
}

async fn answer(State(stage): State<Arc<Stage>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let key = key_of(request.headers());
    let bytes =
        request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    let protocol = match path.as_str() {
        "/v1/chat/completions" => Protocol::ChatCompletions,
        "/v1/responses" => Protocol::Responses,
        "/v1/messages" => Protocol::Messages,
        "/v1/embeddings" => return whole(200, &embeddings(&body)),
        "/v1/models" => return whole(200, &json!({ "object": "list", "data": [{ "id": "scripted" }] })),
        _ => return whole(404, &json!({ "error": { "message": "there is nothing here" } })),
    };
    let asked = Asked { protocol, body, text, key };
    let before = {
        let mut all = lock(&stage.asked);
        all.push(asked.clone());
        all.len() - 1
    };
    behave(&stage, &asked, (stage.script)(&asked, before))
}

fn key_of(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let key = text("x-api-key").or_else(|| text("authorization")?.strip_prefix("Bearer "));
    key.map(str::to_owned)
}

fn behave(stage: &Arc<Stage>, asked: &Asked, behaviour: Behaviour) -> Response {
    let model_id = asked.body["model"].as_str().unwrap_or_default();
    let written = |reply: &ScriptedReply| scripted::whole(asked.protocol, reply, model_id);
    let is_stream = asked.body["stream"] == true;
    match behaviour {
        Behaviour::Reply(reply) if !is_stream => whole(200, &written(&reply)),
        Behaviour::Reply(reply) => {
            streamed(scripted::events(asked.protocol, &written(&reply), PIECE), None, None)
        }
        Behaviour::Gated(reply) => {
            let events = scripted::events(asked.protocol, &written(&reply), PIECE);
            streamed(events, None, Some(Arc::clone(stage)))
        }
        Behaviour::Cut { reply, events } => {
            streamed(scripted::events(asked.protocol, &written(&reply), PIECE), Some(events), None)
        }
        Behaviour::Status { status, retry_after, body } => {
            let mut response = whole(status, &body);
            if let Some(seconds) = retry_after {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
            }
            response
        }
        Behaviour::Raw(text) => Response::new(Body::from(text)),
    }
}

fn whole(status: u16, body: &Value) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

fn streamed(events: Vec<StreamedEvent>, cut: Option<usize>, gate: Option<Arc<Stage>>) -> Response {
    let count = cut.unwrap_or(events.len());
    let sent = stream::iter(events.into_iter().take(count)).then(move |StreamedEvent { event, data }| {
        let gate = gate.clone();
        async move {
            if let Some(stage) = gate
                && let Ok(permit) = stage.gate.acquire().await
            {
                permit.forget();
            }
            let name = event.map(|name| format!("event: {name}\n")).unwrap_or_default();
            Ok::<_, Infallible>(Bytes::from(format!("{name}data: {data}\n\n")))
        }
    });
    let mut response = Response::new(Body::from_stream(sent));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    response
}

/// Vectors that differ with the text and are the same for the same one.
fn embeddings(body: &Value) -> Value {
    let texts: Vec<&Value> = match &body["input"] {
        Value::Array(texts) => texts.iter().collect(),
        text => vec![text],
    };
    let vector = |text: &Value| -> Vec<f64> {
        let mut sums = [0.0; DIMENSIONS];
        for (at, byte) in text.as_str().unwrap_or_default().bytes().enumerate() {
            sums[at % DIMENSIONS] += f64::from(byte) / 128.0;
        }
        sums.to_vec()
    };
    let data =
        texts.iter().enumerate().map(|(index, text)| json!({ "index": index, "embedding": vector(text) }));
    json!({ "object": "list", "data": data.collect::<Vec<_>>(), "usage": { "prompt_tokens": texts.len(), "total_tokens": texts.len() } })
}
