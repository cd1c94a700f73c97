//! `model`: one request to the language model that the server is configured with, as OpenAI's API has it.

use model::step::Step;
use sandbox::Arguments;
use secrecy::ExposeSecret;
use serde_json::Value as Json;

use super::{Given, Refusal, Reply};
use crate::app::error::Error;
use crate::app::secrets;
use crate::engine::host::Inner;
use crate::model_server;
use crate::redaction::Redaction;

pub(super) async fn carry_out(host: &Inner, step: &Step, arguments: Arguments) -> Reply {
    let path = match step.verb.as_str() {
        "model.complete" => "chat/completions",
        "model.embed" => "embeddings",
        verb => return Err(Refusal::Refused(format!("there is no verb `{verb}`"))),
    };
    let mut given = Given::new(&step.verb, &["request"], arguments)?;
    let Some(Json::Object(mut request)) = given.value("request") else {
        return Err(Refusal::Refused(format!("`{}` needs an object with what to ask", step.verb)));
    };
    let config = &host.ctx.engine.config.model;
    if let (Some(name), "chat/completions") = (&config.name, path) {
        request.insert("model".to_owned(), name.clone().into());
    }
    let key = match secrets::open(&host.ctx, &config.key).await {
        Ok(key) => Some(key),
        // A server of one's own may ask for none.
        Err(Error::Absent { .. }) if config.url.is_some() => None,
        Err(Error::Absent { .. }) => return Err(Refusal::Failed(unconfigured(&config.key))),
        Err(error) => return Err(Refusal::of(&error)),
    };
    let answer = model_server::ask(config, path, key.as_ref(), &Json::Object(request)).await;
    // A model server may show what it was sent, and the key is not the function's.
    let shown = key.map(|key| String::from_utf8_lossy(key.expose_secret()).into_owned());
    let redaction = Redaction::of(shown.iter().map(|value| (config.key.as_str(), value.as_str())));
    match answer {
        Ok(answer) => Ok(redaction.json(answer)),
        Err(error) => {
            let text = format!("the language model did not answer: {error}");
            Err(Refusal::Failed(redaction.text(&text).into_owned()))
        }
    }
}

fn unconfigured(key: &str) -> String {
    format!(
        "no language model is configured; set the secret `{key}` for OpenAI's, or `[model] url` in `config.toml` for another"
    )
}
