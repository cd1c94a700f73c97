//! `model`: a function asks a language model, and does not learn its key.

use model::llm::request::{Effort, read_messages, read_tools};
use model::llm::{ChatRequest, Role};
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::Arguments;
use serde_json::{Map, Value as Json};

use super::{Host, Refusal, Reply, VerbArguments, finish};
use crate::app::models::{self, Asked, OpenModel};
use crate::engine::StepReply;
use crate::error::Error;

/// What is asked, of whom.
struct Question {
    /// A role or a name.
    wanted: String,
    /// Whom an unknown name is for.
    fallback: Option<Role>,
    asked: Form,
}

enum Form {
    Chat(Box<ChatRequest>),
    Complete(Map<String, Json>),
    Embed(Map<String, Json>),
}

/// One exchange, one Step: executed again, the Run is handed what is recorded and nobody is asked.
pub(super) async fn execute(
    host: &Host<'_>,
    step: Step,
    verb: HostVerb,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let reply = match VerbArguments::new(verb, arguments).and_then(|given| question(verb, given)) {
        Ok(question) => answer(host, &step, question).await,
        Err(refusal) => Err(refusal),
    };
    finish(host, step, reply).await
}

async fn answer(host: &Host<'_>, step: &Step, question: Question) -> Reply {
    let opened = models::open_for(&host.ctx, &question.wanted, question.fallback).await;
    let model = opened.map_err(|error| Refusal::of(&error))?;
    // Budgets: what the exchange may take is known here, from the model's price and the question, and is reserved before the next line;
    // what it took is `Asked::usage`, and is settled after it.
    let asked = ask(host, step, &model, question.asked).await;
    // A model server may show what it was sent, and the key is not the function's.
    match asked {
        Ok(Asked { reply, .. }) => Ok(model.redaction.json(reply)),
        Err(error) => Err(match Refusal::of(&error) {
            Refusal::Failed(text) => Refusal::Failed(model.redacted(&text)),
            Refusal::Refused(text) => Refusal::Refused(model.redacted(&text)),
            other => other,
        }),
    }
}

async fn ask(host: &Host<'_>, step: &Step, model: &OpenModel, form: Form) -> Result<Asked, Error> {
    let redaction = host.redaction.and(model.redaction.clone());
    let heard = |text: &str| host.write(step, text, &redaction);
    match form {
        Form::Chat(request) => model.chat(&host.ctx, &request, &heard).await,
        Form::Complete(request) => model.complete(&host.ctx, request, &heard).await,
        Form::Embed(request) => model.embed(&host.ctx, request).await,
    }
}

fn question(verb: HostVerb, mut given: VerbArguments) -> Result<Question, Refusal> {
    if verb == HostVerb::ModelChat {
        let wanted = given.text("model").unwrap_or_else(|| Role::Strong.to_string());
        let request = chat_request(given).map_err(Refusal::Refused)?;
        return Ok(Question { wanted, fallback: None, asked: Form::Chat(Box::new(request)) });
    }
    let Some(Json::Object(request)) = given.value("request") else {
        return Err(Refusal::Refused(format!("`request` of `{}` must be an object", verb.name())));
    };
    let (fallback, asked) = match verb {
        HostVerb::ModelEmbed => (Role::Embed, Form::Embed as fn(Map<String, Json>) -> Form),
        _ => (Role::Strong, Form::Complete as fn(Map<String, Json>) -> Form),
    };
    let named = request.get("model").and_then(Json::as_str);
    let wanted = named.unwrap_or(fallback.as_str()).to_owned();
    Ok(Question { wanted, fallback: Some(fallback), asked: asked(request) })
}

fn chat_request(mut given: VerbArguments) -> Result<ChatRequest, String> {
    let messages = read_messages(given.value("messages").unwrap_or_default()).map_err(|error| error.0)?;
    let mut request = ChatRequest { messages, ..ChatRequest::default() };
    if let Some(tools) = given.value("tools") {
        request.tools = read_tools(tools).map_err(|error| error.0)?;
    }
    request.schema = given.value("schema");
    request.max_tokens = match given.number("max_tokens") {
        None => None,
        Some(limit) if limit.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&limit) => {
            Some(limit as u32)
        }
        Some(limit) => return Err(format!("`max_tokens` must be an integer of at least 1, not {limit}")),
    };
    request.temperature = given.number("temperature");
    request.effort = given.text("effort").map(|effort| effort.parse::<Effort>()).transpose()?;
    request.check().map_err(|error| error.0)?;
    Ok(request)
}
