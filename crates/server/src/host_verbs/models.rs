//! `model`: a function asks a language model, and does not learn its key.

use model::budget::estimate::{Estimate, Output};
use model::budget::{Amounts, Chain, Dimension, Price, Spending, TokenUsage};
use model::llm::request::{Effort, read_messages, read_tools};
use model::llm::{ChatRequest, Role};
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::Arguments;
use serde_json::{Map, Value as Json};

use super::{Host, Refusal, Reply, StepReply, VerbArguments, budgets, finish};
use crate::app::models::{self, Asked, OpenModel, Sent};
use crate::error::Error;

/// What is asked, of whom, and what that may take.
struct Question {
    /// A role or a name.
    wanted: String,
    /// Whom an unknown name is for.
    fallback: Option<Role>,
    asked: Form,
    estimate: Estimate,
}

enum Form {
    Chat(Box<ChatRequest>),
    Complete(Map<String, Json>),
    Embed(Map<String, Json>),
}

const UNPRICED: &str = "a budget limits money, and the price of the language model is not known; state it with \
                        `selfmade model add … --price-input … --price-output …`, or as `[model] price` in `config.toml` for one that \
                        is configured there (`0/0/0` if it costs nothing), or limit `tokens` instead of `money`";

/// One exchange, one Step: executed again, the Run is handed what is recorded and nobody is asked. What it may cost is reserved
/// before.
pub(super) async fn execute(
    host: &Host<'_>,
    step: Step,
    verb: HostVerb,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let mut question = match VerbArguments::new(verb, arguments).and_then(|given| question(verb, given)) {
        Ok(question) => question,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let model = match models::open_for(&host.ctx, &question.wanted, question.fallback).await {
        Ok(model) => model,
        Err(error) => return finish(host, step, Err(Refusal::of(&error))).await,
    };
    let price = model.known_price(&host.ctx.engine.config.model);
    if let (None, Some(_)) = (price, budgets::room(host, Dimension::Money).await?) {
        return finish(host, step, Err(Refusal::Refused(UNPRICED.to_owned()))).await;
    }
    let cost = |chain: &Chain| question.estimate.reserve(&price.unwrap_or_default(), chain);
    let reserved = match budgets::reserve(host, &step, false, cost).await? {
        Ok(reserved) => reserved,
        Err(refused) => return budgets::refuse(host, step, refused).await,
    };
    if let Some(most) = reserved.most_output {
        question.asked.limit_output(most);
    }
    let asked = ask(host, &step, &model, question.asked).await;
    let spending = spending(&asked, price, reserved.amounts);
    budgets::finish(host, step, reply(&model, asked), &spending).await
}

impl Form {
    fn limit_output(&mut self, most: u64) {
        match self {
            Form::Chat(request) => request.max_tokens = Some(u32::try_from(most).unwrap_or(u32::MAX)),
            Form::Complete(request) => drop(request.insert("max_tokens".to_owned(), most.into())),
            Form::Embed(_) => {}
        }
    }
}

/// A model server may show what it was sent, and the key is not the function's.
fn reply(model: &OpenModel, asked: Result<Asked, Error>) -> Reply {
    match asked {
        Ok(Asked { reply, .. }) => Ok(model.redaction.json(reply)),
        Err(error) => Err(match Refusal::of(&error) {
            Refusal::Failed(text) => Refusal::Failed(model.redacted(&text)),
            Refusal::Refused(text) => Refusal::Refused(model.redacted(&text)),
            other => other,
        }),
    }
}

/// What was spent, as the server says. All that was reserved, if it does not say, or may have answered.
fn spending(asked: &Result<Asked, Error>, price: Option<Price>, reserved: Amounts) -> Spending {
    match asked {
        Ok(Asked { usage, .. }) if !usage.is_estimated => {
            let tokens = TokenUsage {
                input: usage.input.saturating_add(usage.cached).saturating_add(usage.written),
                cached: usage.cached,
                output: usage.output,
            };
            let money = price.unwrap_or_default().cost(tokens);
            Spending { amounts: Amounts { tokens: tokens.total(), money, turns: 1, functions: 0 }, tokens }
        }
        Err(error) => match Sent::of(error) {
            Sent::Nothing => Spending::default(),
            Sent::Refused => Spending::unmeasured(Amounts { turns: 1, ..Amounts::default() }),
            Sent::Unknown => Spending::unmeasured(reserved),
        },
        Ok(_) => Spending::unmeasured(reserved),
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
        let (request, estimate) = chat_request(given).map_err(Refusal::Refused)?;
        return Ok(Question { wanted, fallback: None, asked: Form::Chat(Box::new(request)), estimate });
    }
    let Some(Json::Object(request)) = given.value("request") else {
        return Err(Refusal::Refused(format!("`request` of `{}` must be an object", verb.name())));
    };
    let whole = Json::Object(request.clone());
    let (fallback, estimate) = match verb {
        HostVerb::ModelEmbed => (Role::Embed, Estimate::of_embeddings(&whole)),
        _ => (Role::Strong, Estimate::of_chat(&whole)),
    };
    let named = request.get("model").and_then(Json::as_str);
    let wanted = named.unwrap_or(fallback.as_str()).to_owned();
    let asked = if verb == HostVerb::ModelEmbed { Form::Embed(request) } else { Form::Complete(request) };
    Ok(Question { wanted, fallback: Some(fallback), asked, estimate })
}

/// What a model without tools or schemas of its own is told of them in words, beside what they are.
const EXPLAINED: u64 = 2_048;

fn chat_request(mut given: VerbArguments) -> Result<(ChatRequest, Estimate), String> {
    let parts = ["messages", "tools", "schema"].map(|part| given.bytes(part));
    let explained = if parts[1] + parts[2] > 0 { EXPLAINED } else { 0 };
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
    let output = request.max_tokens.map_or(Output::Open, |most| Output::Stated(most.into()));
    let input = parts.iter().sum::<u64>() + explained;
    Ok((request, Estimate { input, output }))
}
