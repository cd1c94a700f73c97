//! Host verbs: what a Function may ask of the server while it runs. Each is executed through `app` with the Run as the
//! Actor, and journaled as a Step before the Function hears the answer.

mod ask;
mod babyagi;
mod brain;
mod budgets;
mod call;
mod emit;
mod files;
mod models;
mod node;
mod plain;
mod propose;
mod run;
mod sleep;
mod stop;
mod storage;
mod tools;
mod verb_arguments;

use std::ops::Deref;

use model::budget::exhausted::BUDGET_EXHAUSTED;
use model::run::RunError;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use sandbox::{Arguments, HostError};
use serde_json::Value as Json;

use self::verb_arguments::VerbArguments;
use crate::app::changesets::workspace::Workspace;
use crate::engine::execution::host::Inner;
use crate::engine::{HostVerbs, NodeStart, REFUSED, Replying, RunningNode, StepReply};
use crate::error::Error;

/// The type of an error that is not a refusal.
const FAILED: &str = "selfmade.Failed";

/// The verbs of one Run, with what it has drafted.
#[derive(Default)]
struct Verbs {
    workspace: Workspace,
}

pub(crate) fn of_run() -> Box<dyn HostVerbs> {
    Box::<Verbs>::default()
}

impl HostVerbs for Verbs {
    fn execute<'a>(&'a self, host: &'a Inner, step: Step, arguments: Arguments) -> Replying<'a> {
        let host = Host { inner: host, workspace: &self.workspace };
        Box::pin(async move { execute(&host, step, arguments).await })
    }

    fn run_node<'a>(&'a self, host: &'a Inner, node: NodeStart) -> RunningNode<'a> {
        Box::pin(node::run(host, node))
    }

    fn again(&self, step: &Step, arguments: Arguments) -> Result<(), HostError> {
        if step.error.is_some() {
            return Ok(());
        }
        match HostVerb::named(&step.verb) {
            Some(HostVerb::BrainDraft) => brain::redraft(&self.workspace, arguments),
            // What was proposed is no draft any more.
            Some(HostVerb::BrainPropose) => {
                self.workspace.clear();
                Ok(())
            }
            Some(HostVerb::ToolsCall) => tools::again(&self.workspace, step, arguments),
            _ => Ok(()),
        }
    }
}

/// The host of a Run, and what the Run has drafted.
struct Host<'a> {
    inner: &'a Inner,
    workspace: &'a Workspace,
}

impl Deref for Host<'_> {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        self.inner
    }
}

/// What a verb answers: a value, or why there is none.
type Reply = Result<Json, Refusal>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Refusal {
    Refused(String),
    Failed(String),
    /// A budget has no room for it.
    Exhausted(String),
    /// The database could not be used, which is nothing that the code should hear.
    Unavailable(String),
}

impl Refusal {
    /// As the code of the function should read it.
    fn of(error: &Error) -> Refusal {
        // Which token to use instead is nothing that code in a cell can choose.
        if let Error::Denied(denied) = error {
            return Refusal::Refused(denied.to_string());
        }
        if error.is_passing() {
            return Refusal::Unavailable(error.to_string());
        }
        let text = match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        };
        Refusal::Failed(text)
    }

    fn into_error(self) -> RunError {
        let (type_name, message) = match self {
            Refusal::Refused(message) => (REFUSED, message),
            Refusal::Exhausted(message) => (BUDGET_EXHAUSTED, message),
            Refusal::Failed(message) | Refusal::Unavailable(message) => (FAILED, message),
        };
        RunError::of(type_name, message)
    }
}

/// Executes a Step that is new, or was begun and not finished. An error means that it could not be journaled.
async fn execute(host: &Host<'_>, step: Step, arguments: Arguments) -> Result<StepReply, Error> {
    let Some(verb) = HostVerb::named(&step.verb) else {
        let refusal = Refusal::Refused(format!("there is no verb `{}`", step.verb));
        return finish(host, step, Err(refusal)).await;
    };
    if let Some(needed) = verb.needs()
        && let Err(denied) = host.access().may(needed)
    {
        return finish(host, step, Err(Refusal::Refused(denied.to_string()))).await;
    }
    match verb {
        HostVerb::Run => run::execute(host, step, arguments).await,
        HostVerb::FuncRun => babyagi::run(host, step, arguments).await,
        HostVerb::Call => call::execute(host, step, arguments).await,
        HostVerb::Sleep => sleep::execute(host, step, arguments).await,
        HostVerb::Ask | HostVerb::AskBudget => ask::execute(host, step, verb, arguments).await,
        HostVerb::ToolsCall => tools::call(host, step, arguments).await,
        HostVerb::Emit => emit::execute(host, step, arguments).await,
        HostVerb::BrainPropose => propose::execute(host, step, arguments).await,
        HostVerb::ModelChat | HostVerb::ModelComplete | HostVerb::ModelEmbed => {
            models::execute(host, step, verb, arguments).await
        }
        HostVerb::StorageSet | HostVerb::StorageRemove => storage::change(host, step, verb, arguments).await,
        verb => {
            let given = match VerbArguments::new(verb, arguments) {
                Ok(given) => given,
                Err(refusal) => return finish(host, step, Err(refusal)).await,
            };
            match budgets::new_functions(host, verb, &given).await? {
                0 => {
                    let reply = at_once(host, &step, verb, given).await;
                    finish(host, step, reply).await
                }
                new => {
                    let propose = async |step: &Step| at_once(host, step, verb, given).await;
                    budgets::propose(host, step, new, propose).await
                }
            }
        }
    }
}

/// Verbs that are done when they are journaled.
async fn at_once(host: &Host<'_>, step: &Step, verb: HostVerb, given: VerbArguments) -> Reply {
    use HostVerb as V;
    match verb {
        V::Now => Ok(plain::now(host)),
        V::Random => plain::random(host),
        V::Log => plain::log(host, given),
        V::BrainList | V::BrainSearch | V::BrainRead | V::BrainDraft | V::BrainCheck => {
            brain::execute(host, verb, given).await
        }
        V::FilesList | V::FilesRead | V::FilesWrite | V::FilesRemove => {
            files::execute(host, verb, given).await
        }
        V::ToolsList => Ok(tools::list(host)),
        V::StorageGet | V::StorageList => storage::read(host, verb, given).await,
        V::FuncGetFunction
        | V::FuncGetFunctions
        | V::FuncGetFunctionVersions
        | V::FuncGetFunctionImports
        | V::FuncGetAllImports
        | V::FuncGetTriggers
        | V::FuncGetTriggered
        | V::FuncAddFunction
        | V::FuncUpdateFunction
        | V::FuncActivateFunctionVersion
        | V::FuncAddTrigger
        | V::FuncRemoveFunction => babyagi::execute(host, step, verb, given).await,
        // No Run is offered the one, and the others have been handled.
        V::Mock
        | V::Run
        | V::FuncRun
        | V::Call
        | V::Sleep
        | V::Ask
        | V::AskBudget
        | V::ToolsCall
        | V::Emit
        | V::BrainPropose
        | V::ModelChat
        | V::ModelComplete
        | V::ModelEmbed
        | V::StorageSet
        | V::StorageRemove => Err(Refusal::Refused(format!("`{}` is not available to runs", verb.name()))),
    }
}

/// Journals a Step with what came of it.
async fn finish(host: &Host<'_>, step: Step, reply: Reply) -> Result<StepReply, Error> {
    if let Err(Refusal::Unavailable(why)) = reply {
        return Ok(StepReply::Unavailable(why));
    }
    let step = finished(host, step, reply);
    let lease = host.lease()?;
    host.journal(&step, || host.ctx.store.record_step(&step, lease)).await?;
    Ok(StepReply::Finished(Box::new(step)))
}

/// Journals that a Step has begun, before its effect.
async fn begin(host: &Host<'_>, step: &Step) -> Result<(), Error> {
    let lease = host.lease()?;
    host.journal(step, || host.ctx.store.begin_step(step, lease)).await
}

/// Journals the end of one that is journaled as begun.
async fn finish_begun(host: &Host<'_>, step: Step, reply: Reply) -> Result<StepReply, Error> {
    if let Err(Refusal::Unavailable(why)) = reply {
        return Ok(StepReply::Unavailable(why));
    }
    let step = finished(host, step, reply);
    let lease = host.lease()?;
    host.journal(&step, || host.ctx.store.finish_step(&step, lease)).await?;
    Ok(StepReply::Finished(Box::new(step)))
}

/// Without secrets, and so the code hears it: were it handed more than is journaled, it would not be handed the same when
/// it is executed again.
fn finished(host: &Host<'_>, mut step: Step, reply: Reply) -> Step {
    let reply = reply.map(|result| host.redaction.json(result)).and_then(|result| {
        let room = host.journal.admit_answer(&result);
        room.map(|()| result).map_err(|over| Refusal::Failed(over.to_string()))
    });
    match reply {
        Ok(result) => step.result = Some(result),
        Err(refusal) => {
            let error = host.redaction.error(refusal.into_error());
            host.journal.count_error(&error);
            step.error = Some(error);
        }
    }
    step.finished_at = Some(host.ctx.clock.now());
    step
}
