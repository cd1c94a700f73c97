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
    let answer = answer.map_err(|error| format!("the language model did not answer: {error}"));
    let key = key.map(|key| String::from_utf8_lossy(key.expose_secret()).into_owned());
    without_key(answer, key.as_deref().map(|key| (config.key.as_str(), key)))
}

/// A model server may show what it was sent, and the key is not the function's.
fn without_key(answer: Result<Json, String>, key: Option<(&str, &str)>) -> Reply {
    let redaction = Redaction::of(key);
    match answer {
        Ok(answer) => Ok(redaction.json(answer)),
        Err(error) => Err(Refusal::Failed(redaction.text(&error).into_owned())),
    }
}

fn unconfigured(key: &str) -> String {
    format!(
        "no language model is configured; set the secret `{key}` for OpenAI's, or `[model] url` in `config.toml` for another"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_server_that_shows_its_key_shows_it_to_nobody() {
        let key = Some(("openai_api_key", "sk-0123456789"));
        let shown = without_key(Ok(json!({ "content": ["Bearer sk-0123456789"] })), key);
        assert_eq!(shown, Ok(json!({ "content": ["Bearer [secret openai_api_key]"] })));
        let refused = without_key(Err("401: wrong key sk-0123456789".to_owned()), key);
        assert_eq!(refused, Err(Refusal::Failed("401: wrong key [secret openai_api_key]".to_owned())));
        assert_eq!(without_key(Ok(json!("yes")), None), Ok(json!("yes")));
    }
}
