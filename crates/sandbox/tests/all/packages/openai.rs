//! OpenAI's client, against a server of the same form whose key the cell never has.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Body, Bytes, Frame};
use selfmade_sandbox::{Ending, Job};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::client::{Lab, SECRET, at};
use super::environment;
use crate::egress_proxy::world::{Answer, AnyBody, Server, of_text};
use crate::support::returned;

const ASK: &str = "
from openai import OpenAI

def f(url, words):
    import selfmade
    with OpenAI(base_url=url, api_key=selfmade.secrets.KEY, max_retries=0, timeout=20) as client:
        answer = client.chat.completions.create(model='small', messages=[{'role': 'user', 'content': words}])
        return [answer.choices[0].message.content, answer.usage.total_tokens]
";

const STREAM: &str = "
from openai import OpenAI

def f(url, words):
    import selfmade
    with OpenAI(base_url=url, api_key=selfmade.secrets.KEY, max_retries=0, timeout=20) as client:
        messages = [{'role': 'user', 'content': words}]
        for piece in client.chat.completions.create(model='small', messages=messages, stream=True):
            print(piece.choices[0].delta.content)
";

async fn lab() -> Lab {
    Lab::new(environment(&["openai"]).await).await
}

fn job(lab: &Lab, source: &str, server: &Server) -> Job {
    let host = at("model.test", server);
    let input = json!({ "url": format!("https://{host}/v1"), "words": "Say hello" });
    lab.job(source, input, &[host])
}

fn answered(kind: &str, body: AnyBody) -> Response<AnyBody> {
    Response::builder().header("content-type", kind).body(body).unwrap()
}

#[tokio::test]
async fn a_completion_is_asked_for_with_a_sealed_key() {
    let lab = lab().await;
    let completion = json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "small",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "Hello" } }],
        "usage": { "prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3 },
    });
    let answer: Arc<Answer> =
        Arc::new(move |_, _| answered("application/json", of_text(completion.to_string())));
    let server = lab.outside.https_server_with(&["model.test"], answer).await;
    assert_eq!(returned(lab.cells.run(&job(&lab, ASK, &server)).await.ending), json!(["Hello", 3]));
    let seen = server.seen().remove(0);
    assert!(seen.starts_with("POST /v1/chat/completions\n"), "{seen}");
    assert!(seen.contains(&format!("authorization: Bearer {SECRET}\n")), "{seen}");
    assert!(seen.contains("\"content\":\"Say hello\""), "{seen}");
}

/// A body whose pieces come when the test sends them.
struct Pieces(UnboundedReceiver<Bytes>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

fn piece(word: &str) -> Bytes {
    let chunk = json!({
        "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "small",
        "choices": [{ "index": 0, "delta": { "content": word } }],
    });
    Bytes::from(format!("data: {chunk}\n\n"))
}

#[tokio::test]
async fn a_streamed_completion_arrives_piece_by_piece() {
    let lab = lab().await;
    let (sender, receiver) = unbounded_channel();
    let pieces = Mutex::new(Some(Pieces(receiver)));
    let answer: Arc<Answer> = Arc::new(move |_, _| {
        let pieces = pieces.lock().unwrap().take().expect("it is asked once");
        answered("text/event-stream", pieces.boxed_unsync())
    });
    let server = lab.outside.https_server_with(&["model.test"], answer).await;
    let job = job(&lab, STREAM, &server);
    // The next piece is sent only when the cell has shown the one before.
    let sending = async {
        for word in ["Hel", "lo"] {
            sender.send(piece(word)).unwrap();
            while !lab.cells.ear.stdout().contains(&format!("{word}\n")) {
                lab.cells.ear.heard.notified().await;
            }
        }
        sender.send(Bytes::from("data: [DONE]\n\n")).unwrap();
        drop(sender);
    };
    let (outcome, ()) = tokio::join!(lab.cells.run(&job), sending);
    assert_eq!(returned(outcome.ending), json!(null));
    assert_eq!(lab.cells.ear.stdout(), "Hel\nlo\n");
}

#[tokio::test]
async fn a_host_that_is_not_listed_is_named_as_the_cause() {
    let lab = lab().await;
    let input = json!({ "url": "https://elsewhere.test/v1", "words": "" });
    let job = lab.job(ASK, input, &["model.test".to_owned()]);
    let Ending::Raised(error) = lab.cells.run(&job).await.ending else { panic!("it should have raised") };
    assert_eq!(error.type_name, "openai.APIConnectionError");
    let cause = error.cause.unwrap().message;
    assert!(cause.contains("add `elsewhere.test` to the function's `network` grant"), "{cause}");
}
