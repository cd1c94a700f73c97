//! `ask` and `ask_budget`: a question to a person. The Run waits, without a cell where it can, until someone answers.

use model::budget::{Limits, request};
use model::run::Waiting;
use model::run::host_verb::HostVerb;
use model::run::question;
use model::run::step::Step;
use sandbox::Arguments;
use serde_json::{Map, Value as Json, json};

use super::{Host, Refusal, StepReply, VerbArguments, finish};
use crate::error::Error;

pub(super) async fn execute(
    host: &Host<'_>,
    step: Step,
    verb: HostVerb,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let question = match asked(verb, arguments) {
        Ok(question) => question,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    match wait(host, &step, question).await? {
        Ok(suspended) => Ok(suspended),
        Err(refusal) => finish(host, step, Err(refusal)).await,
    }
}

/// Lets the Run wait for a person's answer to the Step.
pub(super) async fn wait(
    host: &Host<'_>,
    step: &Step,
    question: Json,
) -> Result<Result<StepReply, Refusal>, Error> {
    if !host.may_suspend {
        let text = "only a function whose effects are all steps may ask a person, because it is executed again \
                    with the answer; declare it `idempotent=True`, or reach the network from a function it calls";
        return Ok(Err(Refusal::Refused(text.to_owned())));
    }
    let question = host.redaction.json(question);
    if let Err(error) = question::check_size(&question, host.ctx.engine.config.bounds.event_bytes) {
        return Ok(Err(Refusal::Refused(error.to_string())));
    }
    let position = step.position;
    // An open Step is there already when the Run was lost while it waited.
    if host.ctx.store.step(step.run_id, position).await?.is_none() {
        let event = question::event(&host.run, position, &question, host.ctx.clock.now());
        let lease = host.lease()?;
        host.journal(step, || host.ctx.store.record_step_with(step, lease, std::slice::from_ref(&event)))
            .await?;
    }
    Ok(Ok(StepReply::Suspended(Waiting::Person { step: position, question, until: None })))
}

fn asked(verb: HostVerb, arguments: Arguments) -> Result<Json, Refusal> {
    let given = VerbArguments::new(verb, arguments)?;
    if verb == HostVerb::AskBudget { asked_budget(given) } else { asked_freely(given) }
}

fn asked_freely(mut given: VerbArguments) -> Result<Json, Refusal> {
    let question = given.required_text("question");
    let options = given.value("options").map(listed);
    if options.as_ref().is_some_and(|options| options.as_array().is_none_or(Vec::is_empty)) {
        let text = "`options` of `ask` must be a list of possible answers; omit it if any answer will do";
        return Err(Refusal::Refused(text.to_owned()));
    }
    Ok(json!({ "question": question, "options": options }))
}

fn asked_budget(mut given: VerbArguments) -> Result<Json, Refusal> {
    let reason = given.required_text("reason");
    let mut asked = Map::new();
    for dimension in ["money", "tokens", "turns", "functions", "seconds", "depth"] {
        if let Some(amount) = given.value(dimension) {
            asked.insert(dimension.to_owned(), amount);
        }
    }
    let asked = Limits::of_option(&asked.into()).map_err(|_| {
        let text = "`ask_budget` needs how much more is asked for: `money` in dollars, or a whole number of `tokens`, `turns`, \
                    `functions`, `seconds` or `depth`";
        Refusal::Refused(text.to_owned())
    })?;
    Ok(request::question(&reason, &asked))
}

/// A tuple offers what a list does.
fn listed(options: Json) -> Json {
    match options {
        Json::Object(mut value) if value.len() == 1 && value.contains_key("$tuple") => {
            value.shift_remove("$tuple").unwrap_or_default()
        }
        options => options,
    }
}
