//! `tools`: the meta-tools, for the loop of an agent. A call is one Step, whatever it leads to: a search, a Run, or a question.

use model::access::grants::Grants;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::{Arguments, HostError};
use serde_json::{Map, Value as Json, json};

use super::run::{Child, child};
use super::{Host, Refusal, Reply, StepReply, VerbArguments, ask, budgets, finish, finish_begun};
use crate::app::changesets::workspace::Workspace;
use crate::app::functions::trials;
use crate::app::meta_tools::{self, Caller, ToolAnswer, ToolCall};
use crate::app::runs::code::{self, RunCode};
use crate::app::runs::{By, Target};
use crate::error::Error;

/// Those that the function of the Run can offer for whoever started it.
pub(super) fn list(host: &Host<'_>) -> Json {
    meta_tools::definitions(&host.access(), &held(host))
}

pub(super) async fn call(host: &Host<'_>, step: Step, arguments: Arguments) -> Result<StepReply, Error> {
    let (name, given) = match named(host, arguments) {
        Ok(named) => named,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let (access, held) = (host.access(), held(host));
    match meta_tools::read(&access, &held, &name, given) {
        Err(refused) => finish(host, step, Ok(refused.to_json())).await,
        Ok(ToolCall::Run { name, input }) => match host.workspace.proposal_with(&name) {
            Some(proposal) => {
                let arguments = arguments_of(&input);
                let returned = trials::run_draft(&host.ctx, &access, &proposal, &name, arguments).await;
                let answer = match returned {
                    Ok(returned) => Ok(meta_tools::of_trial(&name, &returned)),
                    Err(error) => ToolAnswer::of_error(error),
                };
                finish(host, step, reply(answer)).await
            }
            None => run(host, step, Target::AsOf(name, host.run.revision), input).await,
        },
        Ok(ToolCall::RunCode { code, input, grants }) => {
            let code = RunCode {
                script: code,
                grants,
                held: Some(held),
                as_of: Some(host.run.revision),
                name: None,
            };
            match target(host, &step, code, &input).await {
                Ok(target) => run(host, step, target, input).await,
                Err(error) => finish(host, step, reply(ToolAnswer::of_error(error))).await,
            }
        }
        Ok(ToolCall::Ask { question, options }) => {
            let question = json!({ "question": question, "options": options.filter(is_a_choice) });
            match ask::wait(host, &step, question).await? {
                Ok(suspended) => Ok(suspended),
                Err(Refusal::Refused(why)) => {
                    finish(host, step, Ok(ToolAnswer::refused(why).to_json())).await
                }
                Err(refusal) => finish(host, step, Err(refusal)).await,
            }
        }
        Ok(call @ ToolCall::Propose { .. }) => {
            let new = budgets::new_drafts(host).await?;
            let propose = async |step: &Step| {
                let caller =
                    Caller { as_of: host.run.revision, workspace: host.workspace, once: step.once() };
                reply(meta_tools::execute(&host.ctx, &access, &caller, call).await)
            };
            budgets::propose(host, step, new, propose).await
        }
        Ok(call) => {
            let (as_of, once) = (host.run.revision, step.once());
            let caller = Caller { as_of, workspace: host.workspace, once };
            let answer = meta_tools::execute(&host.ctx, &access, &caller, call).await;
            finish(host, step, reply(answer)).await
        }
    }
}

/// Does again in this process what a call did to the drafts.
pub(super) fn again(workspace: &Workspace, step: &Step, arguments: Arguments) -> Result<(), HostError> {
    let answer = step.result.as_ref().filter(|answer| answer["ok"] == true);
    let Some(answer) = answer else { return Ok(()) };
    let mut given = VerbArguments::new(HostVerb::ToolsCall, arguments)
        .map_err(|refusal| HostError::Failed(refusal.into_error().message))?;
    let (tool, given) = (given.required_text("name"), given.value("arguments").unwrap_or_default());
    let text = |value: &Json| value.as_str().map(str::to_owned);
    match tool.as_str() {
        "propose" => workspace.clear(),
        "draft" => {
            let answered = meta_tools::drafted_source(answer);
            let source = answered.or_else(|| Some((text(&given["source"])?, text(&given["name"]))));
            if let Some((source, name)) = source {
                workspace.put_source(&source, name).map_err(|error| HostError::Failed(error.to_string()))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The name of the tool, and its arguments. What is not the input of a Run is stored or shown to people, so no secret may be in it.
fn named(host: &Host<'_>, arguments: Arguments) -> Result<(String, Json), Refusal> {
    let mut given = VerbArguments::new(HostVerb::ToolsCall, arguments)?;
    let name = given.open_text("name", host)?;
    let given = given.value("arguments").unwrap_or_default();
    let mut shown = given.clone();
    shown.as_object_mut().map(|shown| shown.shift_remove("input"));
    if host.redaction.only_in(&shown).is_empty() {
        return Ok((name, given));
    }
    let text = "`arguments` of `tools.call` contain the value of a secret, and they would be stored; pass it in `input`";
    Err(Refusal::Refused(text.to_owned()))
}

/// What the function of the Run holds.
fn held(host: &Host<'_>) -> Grants {
    host.prepared.function().map(|function| function.content.grants.clone()).unwrap_or_default()
}

/// A Step that is executed again finds the script that it started before, whatever has become of the brain since.
async fn target(
    host: &Host<'_>,
    step: &Step,
    code: RunCode,
    input: &Map<String, Json>,
) -> Result<Target, Error> {
    if let Some(child) = step.child
        && host.ctx.store.run(child).await?.is_some()
    {
        return Ok(Target::Recorded(child));
    }
    code::target(&host.ctx, &host.access(), code, input).await
}

/// Runs it for the Step, and says what came of it.
async fn run(
    host: &Host<'_>,
    step: Step,
    target: Target,
    input: Map<String, Json>,
) -> Result<StepReply, Error> {
    let ended = match child(host, step, target, input.into(), By::Name).await? {
        Child::Ended(ended) => *ended,
        Child::Ending => return Ok(StepReply::Ending),
        Child::Refused(refused) => return Ok(refused),
    };
    let answer = match ended.run {
        Ok(run) => meta_tools::of_run(&host.ctx, &host.access(), &run).await,
        Err(error) => ToolAnswer::of_error(error),
    };
    finish_begun(host, ended.step, reply(answer)).await
}

fn reply(answer: Result<ToolAnswer, Error>) -> Reply {
    answer.map(|answer| answer.to_json()).map_err(|error| Refusal::of(&error))
}

/// No options are none.
fn is_a_choice(options: &Json) -> bool {
    options.as_array().is_some_and(|options| !options.is_empty())
}

fn arguments_of(input: &Map<String, Json>) -> Arguments {
    let value = |json: &Json| sandbox::Value::from_json(json).ok();
    let named = input.iter().filter_map(|(name, json)| Some((name.clone(), value(json)?)));
    Arguments { positional: Vec::new(), named: named.collect() }
}
