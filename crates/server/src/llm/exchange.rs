//! An exchange with one model: attempts until there is an answer or no hope of one.

use model::llm::reply::{ChatReply, Ending};
use model::llm::wire::{self, Target};
use model::llm::{ChatRequest, Llm, Usage};
use secrecy::SecretBox;
use serde_json::{Map, Value};

use super::attempt::{Answered, Attempt};
use super::error::ModelError;
use crate::clock::Clock;
use crate::http_client::HttpClient;

/// Hears text as it comes; an attempt that fails half-way is followed by one that begins anew.
pub(crate) type Heard<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// How a model is reached.
#[derive(Clone, Copy)]
pub(crate) struct Reach<'a> {
    pub(crate) client: &'a HttpClient,
    pub(crate) clock: &'a Clock,
    pub(crate) model: &'a Llm,
    pub(crate) key: Option<&'a SecretBox<Vec<u8>>>,
    /// Whether only somebody who tests it waits.
    pub(crate) is_test: bool,
}

/// An answer, and what it took to have it.
pub(crate) struct Exchange {
    pub(crate) whole: Value,
    pub(crate) is_streamed: bool,
    attempts: u32,
}

/// What is shown where an attempt broke off and its text comes again.
const AGAIN: &str = "\n[the answer broke off; the model is asked again]\n";

impl Reach<'_> {
    /// Asks for a reply.
    pub(crate) async fn chat(
        &self,
        request: &ChatRequest,
        heard: Heard<'_>,
    ) -> Result<ChatReply, ModelError> {
        self.chat_and_how(request, heard).await.map(|(reply, _)| reply)
    }

    /// The same, and whether the reply was streamed.
    pub(crate) async fn chat_and_how(
        &self,
        request: &ChatRequest,
        heard: Heard<'_>,
    ) -> Result<(ChatReply, bool), ModelError> {
        let target = self.target();
        let encoded = wire::encode(&target, request)?;
        let path = self.model.protocol.chat_path();
        let exchange = match self.exchange(path, &encoded.body, self.model.profile.streams, heard).await {
            Err(error) if error.is_overflow() => {
                let said = error.complaint().map(|complaint| complaint.said.clone()).unwrap_or_default();
                return Ok((ChatReply::overflow(&said), false));
            }
            exchange => exchange?,
        };
        let mut reply =
            wire::read(&target, request, &exchange.whole).map_err(|source| ModelError::Reply {
                name: self.model.name.clone(),
                url: self.url(path),
                protocol: self.model.protocol.as_str(),
                source,
            })?;
        let said = std::mem::replace(&mut reply.notes, encoded.notes);
        reply.notes.extend(said);
        if exchange.attempts > 1 {
            reply.notes.push(format!("the model was asked {} times", exchange.attempts));
        }
        if reply.ending == Ending::Refusal {
            reply.notes.push("the model, or its server, declined to answer".to_owned());
        }
        Ok((reply, exchange.is_streamed))
    }

    /// Sends a body as it is, with the model's id, and returns what comes back as it is, with its tokens.
    pub(crate) async fn pass(
        &self,
        path: &str,
        mut body: Map<String, Value>,
    ) -> Result<(Value, Usage), ModelError> {
        body.insert("model".to_owned(), self.model.model_id.as_str().into());
        let body = Value::Object(body);
        let whole = self.exchange(path, &body, false, &|_| {}).await?.whole;
        let usage = wire::usage(self.model.protocol, &whole);
        let usage =
            usage.unwrap_or_else(|| Usage::estimated(body.to_string().len(), whole.to_string().len()));
        Ok((whole, usage))
    }

    pub(crate) async fn exchange(
        &self,
        path: &str,
        body: &Value,
        is_stream: bool,
        heard: Heard<'_>,
    ) -> Result<Exchange, ModelError> {
        let (url, text) = (self.url(path), body.to_string());
        let Reach { client, clock, model, key, .. } = *self;
        let mut attempts = 1;
        loop {
            let attempt = Attempt { client, model, key, url: &url, body: &text, is_stream, heard };
            let failure = match attempt.make().await {
                Ok(Answered { whole, is_streamed }) => return Ok(Exchange { whole, is_streamed, attempts }),
                Err(failure) => failure,
            };
            let Some(pause) = failure.pause(attempts, self.is_test) else {
                return Err(failure.into_error(model, &url));
            };
            if failure.is_half_way() {
                heard(AGAIN);
            }
            clock.wait_until(clock.now() + pause).await;
            attempts += 1;
        }
    }

    pub(crate) fn target(&self) -> Target<'_> {
        Target { protocol: self.model.protocol, model_id: &self.model.model_id, profile: &self.model.profile }
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.model.base_url.trim_end_matches('/'))
    }
}
