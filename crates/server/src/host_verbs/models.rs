//! `model`: one request to the language model that the server is configured with, as OpenAI's API has it.

use model::budget::estimate::{self, Estimate};
use model::budget::{Amounts, Chain, Dimension, Spending};
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::Arguments;
use secrecy::ExposeSecret;
use serde_json::{Map, Value as Json};

use super::{Host, Refusal, Reply, StepReply, VerbArguments, budgets, finish};
use crate::error::Error;
use crate::llm::{self, ModelError};
use crate::secrets::opening;
use crate::secrets::redaction::Redaction;

pub(super) async fn execute(
    host: &Host<'_>,
    step: Step,
    verb: HostVerb,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let mut request = match asked(host, verb, arguments) {
        Ok(request) => request,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let (price, estimate) = (host.ctx.engine.config.model.price, estimate(verb, &request));
    let cost = |chain: &Chain| estimate.reserve(&price.unwrap_or_default(), chain);
    if let (None, Some(_)) = (price, budgets::room(host, Dimension::Money).await?) {
        return finish(host, step, Err(Refusal::Refused(UNPRICED.to_owned()))).await;
    }
    let reserved = match budgets::reserve(host, &step, false, cost).await? {
        Ok(reserved) => reserved,
        Err(refused) => return budgets::refuse(host, step, refused).await,
    };
    if let Some(most) = reserved.most_output {
        request.insert("max_tokens".to_owned(), most.into());
    }
    let (reply, sent) = ask(host, verb, request).await;
    let spending = match (&reply, sent) {
        (Ok(reply), _) => estimate::spent(reply, &price.unwrap_or_default(), reserved.amounts),
        (Err(_), Sent::Nothing) => Spending::default(),
        (Err(_), Sent::Refused) => Spending::unmeasured(Amounts { turns: 1, ..Amounts::default() }),
        (Err(_), Sent::Unknown) => Spending::unmeasured(reserved.amounts),
    };
    budgets::finish(host, step, reply, &spending).await
}

/// The request as it is sent, but for what a budget adds.
fn asked(host: &Host<'_>, verb: HostVerb, arguments: Arguments) -> Result<Map<String, Json>, Refusal> {
    let mut given = VerbArguments::new(verb, arguments)?;
    let Some(Json::Object(mut request)) = given.value("request") else {
        return Err(Refusal::Refused(format!("`request` of `{}` must be an object", verb.name())));
    };
    let config = &host.ctx.engine.config.model;
    if let (Some(name), HostVerb::ModelComplete) = (&config.name, verb) {
        request.insert("model".to_owned(), name.clone().into());
    }
    Ok(request)
}

fn estimate(verb: HostVerb, request: &Map<String, Json>) -> Estimate {
    let request = Json::Object(request.clone());
    if verb == HostVerb::ModelComplete {
        Estimate::of_chat(&request)
    } else {
        Estimate::of_embeddings(&request)
    }
}

/// How far a request got that has no answer.
#[derive(Clone, Copy)]
enum Sent {
    Nothing,
    /// The server refused it, which costs nothing.
    Refused,
    /// It may have been answered.
    Unknown,
}

async fn ask(host: &Host<'_>, verb: HostVerb, request: Map<String, Json>) -> (Reply, Sent) {
    let path = if verb == HostVerb::ModelComplete { "chat/completions" } else { "embeddings" };
    let config = &host.ctx.engine.config.model;
    let key = match opening::open(&host.ctx, &config.key).await {
        Ok(key) => Some(key),
        // A server of one's own may ask for none.
        Err(Error::Absent { .. }) if config.url.is_some() => None,
        Err(Error::Absent { .. }) => return (Err(Refusal::Failed(unconfigured(&config.key))), Sent::Nothing),
        Err(error) => return (Err(Refusal::of(&error)), Sent::Nothing),
    };
    let answer = llm::ask(&host.ctx.http_client, config, path, key.as_ref(), &Json::Object(request)).await;
    let sent = match &answer {
        Err(ModelError::Url(_)) => Sent::Nothing,
        Err(ModelError::Refused { .. }) => Sent::Refused,
        _ => Sent::Unknown,
    };
    let answer = answer.map_err(|error| format!("the language model did not answer: {error}"));
    let key = key.map(|key| String::from_utf8_lossy(key.expose_secret()).into_owned());
    (without_key(answer, key.as_deref().map(|key| (config.key.as_str(), key))), sent)
}

const UNPRICED: &str = "a budget limits money, and the price of the language model is not known; state `[model] price` in \
                        `config.toml` (`0/0/0` if it costs nothing), or limit `tokens` instead of `money`";

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
