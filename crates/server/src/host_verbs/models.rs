//! `model`: one request to the language model that the server is configured with, as OpenAI's API has it.

use model::run::host_verb::HostVerb;
use secrecy::ExposeSecret;
use serde_json::Value as Json;

use super::{Host, Refusal, Reply, VerbArguments};
use crate::error::Error;
use crate::llm;
use crate::secrets::opening;
use crate::secrets::redaction::Redaction;

pub(super) async fn execute(host: &Host<'_>, verb: HostVerb, mut given: VerbArguments) -> Reply {
    let is_chat = verb == HostVerb::ModelComplete;
    let path = if is_chat { "chat/completions" } else { "embeddings" };
    let Some(Json::Object(mut request)) = given.value("request") else {
        return Err(Refusal::Refused(format!("`request` of `{}` must be an object", verb.name())));
    };
    let config = &host.ctx.engine.config.model;
    if let (Some(name), true) = (&config.name, is_chat) {
        request.insert("model".to_owned(), name.clone().into());
    }
    let key = match opening::open(&host.ctx, &config.key).await {
        Ok(key) => Some(key),
        // A server of one's own may ask for none.
        Err(Error::Absent { .. }) if config.url.is_some() => None,
        Err(Error::Absent { .. }) => return Err(Refusal::Failed(unconfigured(&config.key))),
        Err(error) => return Err(Refusal::of(&error)),
    };
    let answer = llm::ask(&host.ctx.http_client, config, path, key.as_ref(), &Json::Object(request)).await;
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
