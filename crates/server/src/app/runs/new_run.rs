//! A new Run: resolves what it runs, and checks its input.

use std::sync::Arc;

use model::access::Access;
use model::access::scope::Scope;
use model::entry::{EntryKey, EntryKind};
use model::function::FunctionContent;
use model::function::run_options::Running;
use model::function::signature::Parameter;
use model::input::{InputSchema, bind};
use model::revision::Revision;
use model::run::{How, Run, RunState};
use serde_json::{Map, Value};

use super::graph_options;
use super::read::recorded_run;
use super::{Input, StartRun, Target};
use crate::app::functions::{Which, not_found};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::{Callable, Prepared};

/// What a Function takes.
pub(crate) async fn parameters(ctx: &Ctx, target: &Target) -> Result<Vec<Parameter>, Error> {
    Ok(find(ctx, target).await?.signature().parameters.clone())
}

/// Whether a Function takes such an input.
pub(crate) async fn check_input(ctx: &Ctx, target: &Target, input: Map<String, Value>) -> Result<(), Error> {
    checked(&*find(ctx, target).await?, input.into(), false).map(drop)
}

/// What is to be run, where the brain was just read to be at a revision. If it does not exist, the error suggests the closest
/// visible name.
pub(super) async fn resolve(
    ctx: &Ctx,
    access: &Access,
    target: &Target,
    now: Revision,
) -> Result<Arc<Prepared>, Error> {
    let found = match target {
        Target::Live(name) => ctx.engine.closures.live_at(ctx, name, now).await,
        _ => find(ctx, target).await,
    };
    match found {
        Err(Error::NotFound { key, near: None }) => {
            Err(not_found(ctx, access.only(), &key, Which::Live).await?)
        }
        found => found,
    }
}

async fn find(ctx: &Ctx, target: &Target) -> Result<Arc<Prepared>, Error> {
    let closures = &ctx.engine.closures;
    match target {
        Target::Live(name) => closures.live(ctx, name).await,
        Target::AsOf(name, revision) => closures.as_of(ctx, name, *revision).await,
        Target::Exact(version) => closures.of_version(ctx, *version).await,
        Target::Number(name, number) => {
            for kind in [EntryKind::Function, EntryKind::Graph] {
                let key = EntryKey::new(kind, name.clone());
                if let Some(version) = ctx.store.version(&key, *number).await? {
                    return closures.of_version(ctx, version.head.version_id).await;
                }
            }
            let key = EntryKey::function(name.clone());
            Err(not_found(ctx, &Scope::none(), &key, Which::Number(*number)).await?)
        }
        Target::Draft(name) => {
            let draft = ctx.store.graph_draft(name).await?;
            let draft = draft.ok_or_else(|| Error::NoGraphDraft { graph: name.clone() })?;
            closures.of_draft(ctx, &draft).await
        }
        Target::Code(draft) => closures.of_code(ctx, &draft.name, &draft.code, draft.as_of).await,
        Target::Recorded(run) => closures.for_run(ctx, &recorded_run(ctx, *run).await?).await,
    }
}

/// A Run that is not recorded: what a trial executes.
pub(crate) fn pretended(ctx: &Ctx, prepared: &Prepared, input: Map<String, Value>) -> Run {
    new_run(
        ctx,
        &Access::of_command_line(),
        StartRun::of(Target::Live(prepared.key.name.clone()), Input::default()),
        prepared,
        input,
    )
}

/// What is recorded of a Run before anything happens; its input has been checked.
pub(super) fn record(
    ctx: &Ctx,
    access: &Access,
    mut request: StartRun,
    prepared: &Prepared,
) -> Result<Run, Error> {
    let input = checked(prepared, std::mem::take(&mut request.input), request.graph.is_partial())?;
    graph_options::check(prepared, &request.graph, &input)?;
    Ok(new_run(ctx, access, request, prepared, input))
}

/// Arguments by name, if the Function takes them. A run of some nodes of a Graph needs only what these take.
fn checked(
    prepared: &Prepared,
    Input { positional, named }: Input,
    is_partial: bool,
) -> Result<Map<String, Value>, Error> {
    let wrong = |source| Error::RunInput { key: prepared.key.clone(), source };
    if is_partial {
        let signature = prepared.signature().all_optional();
        let input = bind(&signature, positional, named).map_err(wrong)?;
        InputSchema::compile(&signature).check(&input).map_err(wrong)?;
        return Ok(input);
    }
    let input = bind(prepared.signature(), positional, named).map_err(wrong)?;
    prepared.schema.check(&input).map_err(wrong)?;
    Ok(input)
}

fn new_run(
    ctx: &Ctx,
    access: &Access,
    request: StartRun,
    prepared: &Prepared,
    input: Map<String, Value>,
) -> Run {
    let key = prepared.key.clone();
    let (running, resumable) = match &prepared.callable {
        Callable::Function(function) => {
            let FunctionContent { running, grants, .. } = &*function.content;
            // What goes through the network is no Step.
            (running.clone(), running.idempotent || grants.network.is_empty())
        }
        Callable::Graph(..) => (Running::default(), true),
    };
    let graph = (!request.graph.is_usual()).then(|| Box::new(request.graph));
    let how = How {
        graph,
        waited: false,
        priority: request.priority.unwrap_or(running.priority),
        due_at: request.due_at,
        timeout_ms: request.timeout_ms,
        retry: request.retry.unwrap_or(running.retry),
        idempotency_key: request.idempotency_key,
        concurrency: running.concurrency_of(&key.name, &input),
        resumable,
        depth: request.depth,
        is_node: request.is_node,
        record: running.record,
        budget: request.budget.stated_over(running.budget),
        is_bounded_above: request.is_bounded_above,
        draft: prepared.draft.clone(),
    };
    // What it asks the brain about, and what it starts by name, is as it was then.
    let revision = match &request.target {
        Target::AsOf(_, revision) => *revision,
        Target::Live(_)
        | Target::Exact(_)
        | Target::Number(..)
        | Target::Draft(_)
        | Target::Code(_)
        | Target::Recorded(_) => prepared.revision(),
    };
    Run {
        run_id: request.run_id.unwrap_or_else(|| ctx.ids.run()),
        version_id: prepared.version_id,
        key,
        revision,
        state: RunState::Queued,
        ending: None,
        input: Value::Object(input),
        output: None,
        error: None,
        actor: access.actor.clone(),
        authority: Arc::clone(&access.authority),
        parent: request.parent,
        created_at: ctx.clock.now(),
        started_at: None,
        finished_at: None,
        attempt: 1,
        how,
        closure: Some(prepared.hash),
        event_seq: request.event_seq,
        chain: request.chain,
        waiting: None,
        usage: None,
        cancelled: None,
        lease: None,
    }
}
