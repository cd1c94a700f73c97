//! Executes one Run, from the moment this node owns it until its ending is committed.

pub(crate) mod budget;
pub(crate) mod calls;
pub(crate) mod host;
pub(crate) mod injected_secrets;
mod isolation;
pub(crate) mod journal;
pub(crate) mod live;
pub(crate) mod outcome;
pub(crate) mod output;
pub(crate) mod replay;
mod returned;
mod schedule_failures;
pub(crate) mod store_next;
mod suspension;
pub(crate) mod trial;
pub(crate) mod verbs;
pub(crate) mod writing;

use std::sync::Arc;
use std::time::Duration;

use model::access::actor::Actor;
use model::access::scope::Scope;
use model::function::run_options::Record;
use model::ids::RunId;
use model::python::Dialect;
use model::run::step::Step;
use model::run::{End, Lease, Next, Outcome, Requeue, Run, RunState};
use sandbox::{EgressPolicy, Host, JobLimits, Value};
use serde_json::Value as Json;

use self::budget::Deadline;
use self::host::{Collected, Parts, RunHost, RunProgress, Watch};
use self::injected_secrets::InjectedSecrets;
use self::journal::Journal;
use self::store_next::store_next;
use super::cells::executor::Work;
use super::graph;
use super::node::admission::CellPlace;
use super::node::database_retry::retry_while_unavailable;
use super::node::owned_runs::{Interrupt, Interruption, OwnedRun};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::{Callable, Prepared, PreparedFunction};
use crate::secrets::redaction::Redaction;

/// Everything needed to execute a Run.
pub(crate) struct Execution {
    /// Its input is as it is recorded.
    pub(crate) run: Run,
    /// What it is executed with instead, because a secret is in it that is not recorded.
    pub(crate) given: Option<Json>,
    pub(crate) lease: Lease,
    pub(crate) prepared: Arc<Prepared>,
    /// What it asked for before.
    pub(crate) steps: Vec<Step>,
    pub(crate) watch: Option<Watch>,
    /// Redacts the secrets that its input hands over.
    pub(crate) handed_over: Redaction,
    pub(crate) owned: OwnedRun,
    /// None for what the queue gave a place.
    pub(crate) place: Option<CellPlace>,
}

/// Executes a Run and returns its record: ended, waiting, or queued for another try.
pub(crate) async fn execute(ctx: &Ctx, execution: Execution) -> Result<Run, Error> {
    let (id, name) = (execution.run.run_id, execution.run.key.name.clone());
    tracing::debug!(run.id = %id, function.name = %name, "run {id} of `{name}` begins");
    ctx.metrics.begin();
    let run = run_to_end(ctx, execution).await?;
    if matches!(run.state, RunState::Failed | RunState::Cancelled) {
        end_children(ctx, &run).await;
    }
    ctx.metrics.end(&run);
    ctx.traces.end(&run, &ctx.metrics);
    log_end(&run);
    Ok(run)
}

async fn run_to_end(ctx: &Ctx, execution: Execution) -> Result<Run, Error> {
    let prepared = Arc::clone(&execution.prepared);
    let deadline = match retry_while_unavailable(ctx, || Deadline::of(ctx, &execution.run)).await? {
        Some(deadline) if deadline.is_over(ctx.clock.now()) => {
            let Execution { run, lease, owned, .. } = execution;
            let next = Next::End(deadline.end());
            return released(owned, store_next(ctx, run, lease, next, Collected::default()).await);
        }
        deadline => deadline,
    };
    match &prepared.callable {
        Callable::Function(function) => execute_function(ctx, execution, function, deadline.as_ref()).await,
        Callable::Graph(graph, _) => graph::execute(ctx, execution, graph, deadline.as_ref()).await,
    }
}

async fn execute_function(
    ctx: &Ctx,
    execution: Execution,
    function: &PreparedFunction,
    deadline: Option<&Deadline>,
) -> Result<Run, Error> {
    let Execution { run, given, lease, prepared, steps, watch, handed_over, mut owned, place: _place } =
        execution;
    let interrupt = owned.interrupt.clone();
    let handed = match retry_while_unavailable(ctx, || InjectedSecrets::open(ctx, function)).await {
        Ok(handed) => handed,
        Err(error) if error.is_passing() => return Err(error),
        Err(error) => {
            let hint = match &error {
                Error::Absent { name, .. } => format!("; store it with `selfmade secret set {name}`"),
                _ => String::new(),
            };
            let end = End::failed("SecretUnavailable", handed_over.text(&format!("{error}{hint}")), None);
            return released(owned, store_next(ctx, run, lease, Next::End(end), Collected::default()).await);
        }
    };
    // What it prints, returns, raises and asks for is compared with the secrets that it has, and with no others.
    let redaction = Arc::new(handed.redaction().and(handed_over));
    let host = RunHost::new(Parts {
        ctx: ctx.clone(),
        journal: Journal::new(run.run_id, steps, ctx.engine.config.bounds),
        run: run.clone(),
        prepared: Arc::clone(&prepared),
        interrupt: interrupt.clone(),
        redaction: Arc::clone(&redaction),
        lease: Some(lease),
        watch,
    });
    let work = match given {
        Some(input) => work(ctx, &Run { input, ..run.clone() }, function, handed),
        None => work(ctx, &run, function, handed),
    };
    let mut work = match work {
        Ok(work) => work,
        Err(error) => {
            let end = End::failed("NotExecuted", redaction.text(&error.to_string()), None);
            return released(owned, store_next(ctx, run, lease, Next::End(end), Collected::default()).await);
        }
    };
    if work.egress.is_some() && run.how.record != Record::None {
        ctx.expect_requests(run.run_id, &redaction);
    }
    if let Some(deadline) = deadline {
        work.limits.wall = deadline.within(work.limits.wall, ctx.clock.now());
    }
    owned.begin(&host);
    let mut executed = execute_work(ctx, &host, work, &interrupt).await;
    // The next cell is made once the ending is committed.
    let _refill = executed.as_mut().ok().and_then(|executed| executed.refill.take());
    let has_returned = has_returned(&executed);
    let mut ended =
        executed.map(|executed| outcome::end_of(executed, &run.key.name, &function.content.grants));
    if let Ok(end) = &mut ended {
        returned::check(&host, function, &redaction, end);
    }
    if let Some(deadline) = deadline {
        ended = ended.map(|end| deadline.explained(end, ctx.clock.now()));
    }
    let mut collected = host.collected();
    collected.asked_nothing = host.0.journal.is_empty();
    let outcome = match interrupt.why() {
        // The code may have ended before it heard; then how it ended counts.
        Some(why) if !has_returned => match interrupted(why) {
            Some(outcome) => outcome,
            None => return released(owned, Err(Error::LeaseLost { run: run.run_id })),
        },
        _ => match ended {
            Ok(end) => host.outcome(end),
            Err(error) => Outcome::Ended(End::failed("NotExecuted", error.to_string(), None)),
        },
    };
    let next = redacted(run.next(outcome, ctx.clock.now(), ctx.ids.chance()), &redaction);
    // Its requests are written by then, so that they can be removed with the rest.
    if matches!(&next, Next::End(end) if !run.keeps(end)) && !function.content.grants.network.is_empty() {
        ctx.forget_requests(run.run_id).await;
    }
    released(owned, store_next(ctx, run, lease, next, collected).await)
}

/// Nobody waits for what it had started and could not see to its end.
async fn end_children(ctx: &Ctx, run: &Run) {
    end_run(ctx, run.run_id, run.run_id).await;
}

/// Cancels a Run and all that it started, for the Run that started it.
pub(super) async fn end_run(ctx: &Ctx, id: RunId, starter: RunId) {
    let none = Scope::none();
    let cancel = || async {
        let actor = Actor::Run(starter);
        Ok(ctx.store.request_cancel(id, &actor, ctx.clock.now(), &none).await?)
    };
    match retry_while_unavailable(ctx, cancel).await {
        Ok(children) => {
            for child in children {
                ctx.engine.running.interrupt(child, Interruption::Cancelled);
            }
        }
        Err(error) => tracing::warn!(run.id = %id, "cannot end what run {id} has started: {error}"),
    }
}

/// What could not be stored before this process gave up is left for whoever finds it.
pub(super) fn released(owned: OwnedRun, stored: Result<Run, Error>) -> Result<Run, Error> {
    if matches!(stored, Ok(_) | Err(Error::LeaseLost { .. })) {
        owned.stored();
    }
    stored
}

/// Without secrets.
pub(super) fn redacted(next: Next, redaction: &Redaction) -> Next {
    match next {
        Next::End(mut end) => {
            end.error = end.error.map(|error| redaction.error(error));
            end.output = end.output.map(|output| redaction.json(output));
            Next::End(end)
        }
        Next::Requeue(requeue) => {
            let error = requeue.error.map(|error| redaction.error(error));
            Next::Requeue(Requeue { error, ..requeue })
        }
        Next::Suspend(waiting) => Next::Suspend(waiting),
    }
}

fn has_returned(executed: &Result<super::Executed, super::ExecutionError>) -> bool {
    matches!(executed, Ok(executed) if matches!(executed.outcome.ending, sandbox::Ending::Returned(_)))
}

/// Executes, telling the watcher how the environment is made.
pub(crate) async fn execute_work(
    ctx: &Ctx,
    host: &RunHost,
    work: Work,
    interrupt: &Interrupt,
) -> Result<super::Executed, super::ExecutionError> {
    let told = {
        let host = host.clone();
        Arc::new(move |progress| host.0.tell(RunProgress::Environment(progress)))
    };
    let host: Arc<dyn Host> = Arc::new(host.clone());
    let executed = ctx.engine.executor.execute(work, host, told, interrupt.token.clone()).await;
    if let Ok(executed) = &executed {
        ctx.metrics.executed(outcome::kind(&executed.outcome.ending));
    }
    executed
}

/// What resulted from it, or nothing if it is someone else's now.
pub(super) fn interrupted(why: Interruption) -> Option<Outcome> {
    Some(match why {
        Interruption::Cancelled => Outcome::Cancelled,
        Interruption::Suspended(waiting) => Outcome::Waits(waiting),
        Interruption::Stopped => Outcome::ServerStops,
        Interruption::Diverged(divergence) => Outcome::Diverged(divergence.to_string()),
        Interruption::DatabaseFailed(why) => Outcome::DatabaseFailed(why),
        Interruption::NotJournaled(why) => Outcome::Ended(End::failed("NotJournaled", why, None)),
        Interruption::LeaseLost => return None,
    })
}

/// The job of a Run, from what its Version may and wants.
pub(crate) fn work(
    ctx: &Ctx,
    run: &Run,
    function: &PreparedFunction,
    handed: InjectedSecrets,
) -> Result<Work, Error> {
    let content = &function.content;
    let (grants, config) = (&content.grants, &ctx.engine.config);
    // BabyAGI's functions know no limits, and those that talk to a model take their time.
    let usual = if content.dialect == Dialect::Babyagi { config.timeout * 10 } else { config.timeout };
    let wall = run.how.timeout_ms.or(grants.limits.timeout_ms).map_or(usual, Duration::from_millis);
    let limits = JobLimits {
        wall,
        cpu: wall,
        memory_bytes: grants.limits.memory_bytes.unwrap_or(config.memory_bytes),
        processes: grants.limits.processes.unwrap_or(JobLimits::default().processes),
        ..JobLimits::default()
    };
    let egress = (!grants.network.is_empty()).then(|| EgressPolicy {
        hosts: grants.network.iter().cloned().collect(),
        private: config.private.clone(),
        secrets: handed.sealed,
        redact: handed.elsewhere,
        label: run.run_id.to_string(),
        ..EgressPolicy::default()
    });
    let isolation = isolation::of(run, function, &limits);
    let input = Value::from_json(&run.input).map_err(|error| Error::Input {
        problem: format!("the input cannot be passed to the function: {error}"),
        hint: "an object whose only key begins with `$` stands for a Python value; use another key"
            .to_owned(),
    })?;
    Ok(Work {
        requirements: function.requirements.clone(),
        closure: Arc::clone(&function.closure),
        input,
        secrets: handed.texts,
        verbs: function.verbs.clone(),
        limits,
        egress,
        isolation,
    })
}

/// What kind of error it was, and not its text, which may hold what was passed in.
fn log_end(run: &Run) {
    let (id, name) = (run.run_id, &run.key.name);
    let how = match run.state {
        RunState::Succeeded => "succeeded",
        RunState::Failed => "failed",
        RunState::Cancelled => "was cancelled",
        RunState::Waiting => "waits",
        RunState::Queued => "is queued again",
        RunState::Running => "goes on",
    };
    let duration_ms = run.duration_us().unwrap_or_default() / 1_000;
    let error = run.error.as_ref().map(|error| format!(" ({})", error.type_name)).unwrap_or_default();
    tracing::info!(
        run.id = %id,
        function.name = %name,
        run.state = run.state.as_str(),
        duration_ms,
        "run {id} of `{name}` {how}{error} after {duration_ms} ms"
    );
}
