//! A language model that only repeats what one answered before, in OpenAI's form, on this machine.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::error::Error;

/// One answer, and how to tell what it answers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Answer {
    /// A text that the request contains.
    when: String,
    text: String,
    input_tokens: u64,
    output_tokens: u64,
}

/// Answers until it is dropped.
pub(super) struct Recording {
    pub(super) address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Recording {
    pub(super) async fn serve(answers: Vec<Answer>) -> Result<Recording, Error> {
        let failed = |source| Error::Write { what: "to a port of this machine".to_owned(), source };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let answers = Arc::new(Mutex::new(answers));
        let router = Router::new().fallback(answer).with_state(answers);
        let serving = tokio::spawn(async move {
            // It ends with the demo.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Recording { address, serving })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Each answer is given once, in the order in which they were recorded.
async fn answer(State(answers): State<Arc<Mutex<Vec<Answer>>>>, Json(request): Json<Value>) -> Response {
    let asked = contents(&request);
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    match answers.iter().position(|answer| asked.contains(&answer.when)) {
        Some(place) => {
            let answer = answers.remove(place);
            match request["stream"].as_bool() {
                Some(true) => ([(CONTENT_TYPE, "text/event-stream")], streamed(&answer)).into_response(),
                _ => Json(completion(&request, &answer)).into_response(),
            }
        }
        None => {
            let message =
                "the recording has no answer to this: the functions of the agent ask for something else now";
            (StatusCode::NOT_FOUND, Json(json!({ "error": { "message": message } }))).into_response()
        }
    }
}

fn contents(request: &Value) -> String {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// As a language model writes, a line at a time.
fn streamed(answer: &Answer) -> String {
    let written = answer.text.split_inclusive('\n').map(
        |line| json!({ "choices": [{ "index": 0, "delta": { "content": line }, "finish_reason": null }] }),
    );
    let ended = [
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }),
        json!({ "choices": [], "usage": usage(answer) }),
    ];
    let events: String = written.chain(ended).map(|event| format!("data: {event}\n\n")).collect();
    format!("{events}data: [DONE]\n\n")
}

fn completion(request: &Value, answer: &Answer) -> Value {
    json!({
        "id": "recording",
        "object": "chat.completion",
        "model": request["model"],
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": answer.text },
            "finish_reason": "stop",
        }],
        "usage": usage(answer),
    })
}

fn usage(answer: &Answer) -> Value {
    let (input, output) = (answer.input_tokens, answer.output_tokens);
    json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output })
}
