//! `run`: another Function, by name, in a cell of its own, as the brain was when this Run started.

use model::ids::RunId;
use model::name::{EntryName, NameError};
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use model::run::{Run, RunState};
use sandbox::{Arguments, Value};
use serde_json::{Map, Value as Json};

use super::{Host, Refusal, Reply, StepReply, begin, budgets, finish, finish_begun};
use crate::app::budgets::spending;
use crate::app::functions::trials;
use crate::app::runs::{self, By, StartRun, Target};
use crate::error::Error;

pub(super) async fn execute(
    host: &Host<'_>,
    step: Step,
    mut arguments: Arguments,
) -> Result<StepReply, Error> {
    let name = match named(host, &mut arguments, HostVerb::Run) {
        Ok(name) => name,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    if let Some(proposal) = host.workspace.proposal_with(&name) {
        let reply = trials::run_draft(&host.ctx, &host.access(), &proposal, &name, arguments).await;
        return finish(host, step, reply.map_err(|error| Refusal::of(&error))).await;
    }
    start(host, step, Target::AsOf(name, host.run.revision), arguments, By::Name).await
}

/// Takes the name of the function off the arguments.
pub(super) fn named(
    host: &Host<'_>,
    arguments: &mut Arguments,
    verb: HostVerb,
) -> Result<EntryName, Refusal> {
    let name = match arguments.positional.first() {
        // An error about a name quotes the name.
        Some(Value::Str(name)) if host.redaction.is_in(name) => {
            Err(Refusal::Refused("the name of the function contains the value of a secret".to_owned()))
        }
        Some(Value::Str(name)) => {
            name.parse().map_err(|error: NameError| Refusal::Refused(error.to_string()))
        }
        _ => Err(Refusal::Refused(format!("`{}` needs the name of a function first", verb.name()))),
    }?;
    arguments.positional.remove(0);
    Ok(name)
}

/// Starts a Run for a Step and waits for its end.
pub(super) async fn start(
    host: &Host<'_>,
    step: Step,
    target: Target,
    arguments: Arguments,
    by: By,
) -> Result<StepReply, Error> {
    let ended = match child(host, step, target, input(&arguments), by).await? {
        Child::Ended(ended) => *ended,
        Child::Ending => return Ok(StepReply::Ending),
        Child::Refused(refused) => return Ok(refused),
    };
    let reply = match &ended.run {
        Ok(child) => reply(child),
        Err(error) => Err(Refusal::of(error)),
    };
    finish_begun(host, ended.step, reply).await
}

/// What became of a Run that a Step started.
pub(super) enum Child {
    Ended(Box<EndedChild>),
    /// The end of the Run that started it was asked for, or another node has it.
    Ending,
    /// A budget has no room for it, and its Step says so.
    Refused(StepReply),
}

/// One that has ended or could not be started, and its Step, which is journaled as begun.
pub(super) struct EndedChild {
    pub(super) step: Step,
    pub(super) run: Result<Run, Error>,
}

/// Starts a Run for a Step and waits for its end. The Step is journaled with the Run's id first, which is its idempotency
/// key as well, so a Step that is executed again finds the Run it started before.
pub(super) async fn child(
    host: &Host<'_>,
    mut step: Step,
    target: Target,
    input: runs::Input,
    by: By,
) -> Result<Child, Error> {
    let run = &host.run;
    let begun = step.child.is_some();
    let child = step.child.unwrap_or_else(|| host.ctx.ids.run());
    if !begun {
        if let Some(refused) = spending::refuses_nested(&host.ctx, run).await? {
            return budgets::refuse(host, step, refused).await.map(Child::Refused);
        }
        step.child = Some(child);
        begin(host, &step).await?;
    }
    let request = StartRun {
        run_id: Some(child),
        parent: Some(run.run_id),
        depth: run.how.depth + 1,
        is_bounded_above: run.how.is_bounded(),
        chain: run.chain.clone(),
        idempotency_key: Some(format!("step:{child}")),
        watch: host.watch.clone(),
        ..StartRun::of(target, input)
    };
    match runs::start_nested(&host.ctx, &host.access(), request, by, &host.redaction).await {
        Err(error) if error.is_stale() => Ok(Child::Ending),
        run => Ok(Child::Ended(Box::new(EndedChild { step, run }))),
    }
}

fn input(arguments: &Arguments) -> runs::Input {
    let positional = arguments.positional.iter().map(Value::to_json).collect();
    let named: Map<String, Json> =
        arguments.named.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
    runs::Input { positional, named }
}

/// A function that the starter may not see is not named to it.
fn reply(child: &Run) -> Reply {
    let is_seen = child.authority.covers(child.key.name.as_str());
    match (child.state, &child.error) {
        (_, Some(error)) if !is_seen => Err(Refusal::Failed(format!(
            "a function that it calls failed: {}: {}",
            error.type_name, error.message
        ))),
        (RunState::Succeeded, _) => child.output.clone().ok_or_else(|| Refusal::Failed(unrecorded(child))),
        (_, Some(error)) => Err(Refusal::Failed(format!(
            "`{}` failed: {}: {} (run {})",
            child.key.name, error.type_name, error.message, child.run_id
        ))),
        (state, None) => Err(Refusal::Failed(unfinished(child.run_id, &child.key.name, state))),
    }
}

/// It was executed on another server, or before this one was lost.
fn unrecorded(child: &Run) -> String {
    let (name, record) = (&child.key.name, child.how.record.as_str());
    format!(
        "the result of `{name}` was not kept (run {}): it ran elsewhere and declares `record=\"{record}\"`; let it record all, or call it again",
        child.run_id
    )
}

fn unfinished(run: RunId, name: &EntryName, state: RunState) -> String {
    format!("`{name}` is {} (run {run})", state.as_str())
}
