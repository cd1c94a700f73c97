//! Answers the question that a Run is waiting on.

use model::access::Access;
use model::access::verb::Verb;
use model::budget::{Limits, request};
use model::ids::RunId;
use model::input::depth::{MAX_DEPTH, fits_in};
use model::run::host_verb::HostVerb;
use model::run::{RunState, Waiting, question};
use serde_json::Value;

use super::read::get;
use crate::app::{budgets, meta_tools};
use crate::ctx::Ctx;
use crate::error::Error;

/// Answers the question a Run waits for.
pub async fn answer(ctx: &Ctx, access: &Access, id: RunId, value: Value) -> Result<(), Error> {
    access.may(Verb::AnswerRun)?;
    let run = get(ctx, access, id).await?;
    if !fits_in(&value, MAX_DEPTH) {
        return Err(Error::Input {
            problem: format!("run {id}: the value is nested deeper than {MAX_DEPTH} levels"),
            hint: "hand in a flatter value".to_owned(),
        });
    }
    let Some(Waiting::Person { step, question, .. }) = run.waiting else {
        return Err(nothing_asked(ctx, id, run.state).await?);
    };
    let value = ctx.redaction_for(&[&access.authority]).await?.json(value);
    question::check_answer(&question, &value).map_err(|error| Error::Input {
        problem: format!("run {id}: {error}"),
        hint: "answer with one of them, exactly as written".to_owned(),
    })?;
    let is_answered = match request::asked(&question) {
        Some(asked) => grant(ctx, access, id, step, (&asked, &value)).await?,
        None => {
            let value = result_of(ctx, id, step, value).await?;
            ctx.store.answer_run(id, step, &value, &access.actor, ctx.clock.now()).await?
        }
    };
    if !is_answered {
        let state = get(ctx, access, id).await?.state;
        return Err(nothing_asked(ctx, id, state).await?);
    }
    Ok(())
}

/// What the code gets: the answer as it is, or as a tool answers.
async fn result_of(ctx: &Ctx, run: RunId, step: u32, answer: Value) -> Result<Value, Error> {
    let step = ctx.store.step(run, step).await?;
    let is_tool = step.is_some_and(|step| step.verb == HostVerb::ToolsCall.name());
    Ok(if is_tool { meta_tools::answered(&answer).to_json() } else { answer })
}

/// Answers a question for a larger budget: the Run hears what was added to its limits, or nothing.
async fn grant(
    ctx: &Ctx,
    access: &Access,
    id: RunId,
    step: u32,
    (asked, answer): (&Limits, &Value),
) -> Result<bool, Error> {
    access.may(Verb::ExtendRun)?;
    let (granted, now) = (request::granted(asked, answer).unwrap_or_default(), ctx.clock.now());
    if granted.is_empty() {
        return Ok(ctx.store.answer_run(id, step, &Value::Null, &access.actor, now).await?);
    }
    let accounts = budgets::raisable(ctx, access, id, &granted).await?;
    let audit = budgets::extension(ctx, access, id, &granted);
    let added = serde_json::to_value(granted).unwrap_or_default();
    let more = (accounts.as_slice(), &granted);
    Ok(ctx.store.answer_run_extending(id, step, &added, &access.actor, now, more, &audit).await?)
}

/// Whoever answers twice is told so.
async fn nothing_asked(ctx: &Ctx, run: RunId, state: RunState) -> Result<Error, Error> {
    let steps = ctx.store.steps(run).await?;
    let answered = steps.iter().any(|step| step.answered_by.is_some());
    Ok(Error::NothingAsked { run, state, answered })
}
