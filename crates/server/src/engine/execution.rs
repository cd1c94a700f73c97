//! One Run, from the moment this node has it to the moment its ending is committed.

use std::sync::Arc;
use std::time::Duration;

use model::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::python::Dialect;
use model::run::{Ending, Lease, Run, RunState, Waiting};
use model::running::Record;
use model::step::Step;
use sandbox::{EgressPolicy, Host, Isolation, JobLimits, Value};
use serde_json::{Value as Json, json};
use store::{Durability, Finished};

use super::executor::Work;
use super::handed::Handed;
use super::host::{Collected, Happened, Parts, RunHost, Watch};
use super::journal::Journal;
use super::outcome::{self, End};
use super::payload::recorded;
use super::prepared::Prepared;
use super::running::{Interrupt, Interruption};
use crate::app::error::Error;
use crate::app::run_lists::duration_us;
use crate::ctx::Ctx;
use crate::redaction::Redaction;

/// Everything a Run needs to be carried out.
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
    /// Strikes out the secrets that its input hands over.
    pub(crate) handed_over: Redaction,
}

/// Carries a Run out and answers with its record: ended, waiting, or queued for another try.
pub(crate) async fn carry_out(ctx: &Ctx, execution: Execution) -> Result<Run, Error> {
    let (id, name) = (execution.run.run_id, execution.run.key.name.clone());
    tracing::debug!(run.id = %id, function.name = %name, "run {id} of `{name}` begins");
    ctx.metrics.begin();
    let run = carry_to_end(ctx, execution).await?;
    ctx.metrics.end(&run);
    ctx.traces.end(&run, &ctx.metrics);
    log_end(&run);
    Ok(run)
}

async fn carry_to_end(ctx: &Ctx, execution: Execution) -> Result<Run, Error> {
    let Execution { run, given, lease, prepared, steps, watch, handed_over } = execution;
    let interrupt = Interrupt::default();
    let registered = ctx.engine.running.register(run.run_id, interrupt.clone());
    let handed = match Handed::open(ctx, &prepared).await {
        Ok(handed) => handed,
        Err(error) => {
            let end = End::failed("SecretUnavailable", error.to_string(), None);
            return close(ctx, run, lease, end, Collected::default(), &prepared, &handed_over).await;
        }
    };
    // What it prints, returns, raises and asks for is compared with the secrets that it has, and with no others.
    let redaction = Arc::new(handed.redaction().and(handed_over));
    let host = RunHost::new(Parts {
        ctx: ctx.clone(),
        journal: Journal::new(run.run_id, steps),
        run: run.clone(),
        prepared: Arc::clone(&prepared),
        interrupt: interrupt.clone(),
        redaction: Arc::clone(&redaction),
        lease: Some(lease),
        watch,
    });
    let work = match given {
        Some(input) => work(ctx, &Run { input, ..run.clone() }, &prepared, handed)?,
        None => work(ctx, &run, &prepared, handed)?,
    };
    if work.egress.is_some() && run.how.record != Record::None {
        ctx.expect_requests(run.run_id, &redaction);
    }
    registered.show(&host);
    let mut executed = execute(ctx, &host, work, &interrupt).await;
    // The next cell is made once the ending is committed.
    let _refill = executed.as_mut().ok().and_then(|executed| executed.refill.take());
    let collected = host.collected();
    let end = match interrupt.why() {
        // The code may have ended before it heard; then how it ended counts.
        Some(why) if !returned(&executed) => match interrupted(&run, why) {
            After::End(end) => end,
            After::Suspend(waiting) => return suspend(ctx, run, lease, waiting).await,
            After::LetGo => return Ok(run),
        },
        _ => match executed {
            Ok(executed) => outcome::end(executed),
            Err(error) => End::failed("NotExecuted", error.to_string(), None),
        },
    };
    close(ctx, run, lease, end, collected, &prepared, &redaction).await
}

fn returned(executed: &Result<super::Executed, super::ExecutionError>) -> bool {
    matches!(executed, Ok(executed) if matches!(executed.outcome.ending, sandbox::Ending::Returned(_)))
}

/// Executes, telling the watcher how the environment is made.
pub(crate) async fn execute(
    ctx: &Ctx,
    host: &RunHost,
    work: Work,
    interrupt: &Interrupt,
) -> Result<super::Executed, super::ExecutionError> {
    let told = {
        let host = host.clone();
        Arc::new(move |progress| host.0.tell(Happened::Environment(progress)))
    };
    let host: Arc<dyn Host> = Arc::new(host.clone());
    let executed = ctx.engine.executor.execute(work, host, told, interrupt.token.clone()).await;
    if let Ok(executed) = &executed {
        ctx.metrics.executed(outcome::kind(&executed.outcome.ending));
    }
    executed
}

/// What comes after an interruption.
enum After {
    End(End),
    Suspend(Waiting),
    /// Somebody else has the Run, or will.
    LetGo,
}

fn interrupted(run: &Run, why: Interruption) -> After {
    After::End(match why {
        Interruption::Cancelled => End::cancelled(None),
        Interruption::Suspended(waiting) => return After::Suspend(waiting),
        // The next server resumes it from its journal, if it can be.
        Interruption::Stopped if run.how.resumable => return After::LetGo,
        Interruption::Stopped => End::failed("Lost", "the server stopped while it ran", Some(Ending::Lost)),
        Interruption::Diverged(divergence) => End::failed("replay_diverged", divergence.to_string(), None),
        Interruption::Failed(why) => End::failed("NotJournaled", why, None),
    })
}

/// The job of a Run, from what its Version may and wants.
pub(crate) fn work(ctx: &Ctx, run: &Run, prepared: &Prepared, handed: Handed) -> Result<Work, Error> {
    let content = prepared.content();
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
        strike: handed.struck,
        label: run.run_id.to_string(),
        ..EgressPolicy::default()
    });
    let isolation = match content.running.isolation {
        model::running::Isolation::Fresh => Isolation::Fresh,
        model::running::Isolation::Warm => Isolation::Warm { key: warm_key(run, prepared) },
    };
    let input = Value::from_json(&run.input).map_err(|error| Error::Input {
        problem: format!("the input cannot be handed over: {error}"),
        hint: "an object whose only key begins with `$` stands for a Python value; use another key"
            .to_owned(),
    })?;
    Ok(Work {
        requirements: prepared.requirements.clone(),
        closure: Arc::clone(&prepared.closure),
        input,
        secrets: handed.texts,
        verbs: prepared.verbs.clone(),
        limits,
        egress,
        isolation,
    })
}

/// A warm cell belongs to one closure and to one authority: code that ran in it for somebody could tell them what others hand in
/// later, and could answer for it.
fn warm_key(run: &Run, prepared: &Prepared) -> String {
    // Written out whole, so that only equal ones are the same.
    format!("{} {:?}", prepared.hash, run.authority)
}

async fn suspend(ctx: &Ctx, mut run: Run, lease: Lease, waiting: Waiting) -> Result<Run, Error> {
    if !ctx.store.suspend_run(run.run_id, lease, &waiting).await? {
        return Err(Error::LeaseLost { run: run.run_id });
    }
    run.state = RunState::Waiting;
    run.waiting = Some(waiting);
    ctx.engine.queue.notify_one();
    Ok(run)
}

/// Commits the ending, or queues the Run for another try.
async fn close(
    ctx: &Ctx,
    mut run: Run,
    lease: Lease,
    mut end: End,
    collected: Collected,
    prepared: &Prepared,
    redaction: &Redaction,
) -> Result<Run, Error> {
    let now = ctx.clock.now();
    end.error = end.error.map(|error| redaction.error(error));
    end.output = end.output.map(|output| redaction.json(output));
    if let Some(rest) = rest(ctx, &run, &end) {
        let due = now + Duration::from_millis(rest);
        if ctx.store.requeue_run(run.run_id, lease, due, run.attempt + 1, end.error.as_ref()).await? {
            (run.state, run.attempt, run.error) = (RunState::Queued, run.attempt + 1, end.error);
            ctx.engine.queue.notify_one();
            return Ok(run);
        }
        // Its end was asked for, or another node has it; which of the two, finishing it shows.
        end = End::cancelled(end.usage);
    }
    let most = ctx.engine.config.payload_bytes;
    run.state = end.state;
    run.ending = end.ending;
    run.error = end.error;
    run.usage = end.usage;
    run.finished_at = Some(now);
    run.closure = Some(prepared.hash);
    let kept = end.output.clone().map(|output| recorded(output, most));
    let is_kept = run.is_kept();
    let recorded = if is_kept { None } else { Some(forget(ctx, &run, prepared).await) };
    let recorded = recorded.as_ref().unwrap_or(&run);
    let finished = Finished {
        run_id: run.run_id,
        lease,
        state: run.state,
        ending: run.ending,
        events: vec![event(recorded, kept.as_ref())],
        output: kept.filter(|_| is_kept),
        error: recorded.error.clone(),
        usage: run.usage,
        finished_at: now,
        calls: if is_kept { collected.calls.into_calls() } else { Vec::new() },
        output_chunks: if is_kept { collected.output } else { Vec::new() },
        forget: !is_kept,
    };
    // The caller gets the output at its full length, whatever is kept of it.
    run.output = end.output;
    if !is_kept {
        ctx.engine.awaited.end(&run);
    }
    // The start needs no more than that: what makes the end last makes everything before it last, too.
    let durability = if run.how.waited { ctx.engine.config.durability } else { ending_of_queued(&run) };
    if !ctx.store.finish_run(&finished, durability).await? {
        ctx.engine.awaited.forget(run.run_id);
        return Err(Error::LeaseLost { run: run.run_id });
    }
    if !run.how.waited && durability == Durability::Process {
        ctx.engine.unflushed.add(now);
    }
    ctx.engine.ring_events();
    Ok(run)
}

/// What is kept of a Run that is not recorded. Its requests are written by then, so that they can be removed with the rest.
async fn forget(ctx: &Ctx, run: &Run, prepared: &Prepared) -> Run {
    if !prepared.content().grants.network.is_empty() {
        ctx.forget_requests(run.run_id).await;
    }
    run.forgotten()
}

/// Without an ending that lasts, a Run is carried out again after a loss of power. One that may be is flushed a moment later, with
/// what it triggers.
fn ending_of_queued(run: &Run) -> Durability {
    if run.how.resumable { Durability::Process } else { Durability::Power }
}

/// What kind of error it was, and not its text, which may hold what was handed in.
fn log_end(run: &Run) {
    let (id, name) = (run.run_id, &run.key.name);
    let how = match run.state {
        RunState::Succeeded => "succeeded",
        RunState::Failed => "failed",
        RunState::Cancelled => "was cancelled",
        RunState::Waiting => "waits",
        RunState::Queued => "is tried again",
        RunState::Running => "is let go",
    };
    let duration_ms = duration_us(run).unwrap_or_default() / 1_000;
    let error = run.error.as_ref().map(|error| format!(" ({})", error.type_name)).unwrap_or_default();
    tracing::info!(
        run.id = %id,
        function.name = %name,
        run.state = run.state.as_str(),
        duration_ms,
        "run {id} of `{name}` {how}{error} after {duration_ms} ms"
    );
}

fn rest(ctx: &Ctx, run: &Run, end: &End) -> Option<u64> {
    let ending = end.ending.filter(|_| end.state == RunState::Failed)?;
    run.how.retry.rest(run.attempt, ending, ctx.ids.chance())
}

pub(crate) fn event(run: &Run, output: Option<&Json>) -> NewEvent {
    let kind = match run.state {
        RunState::Succeeded => EventKind::RunFinished,
        RunState::Cancelled => EventKind::RunCancelled,
        _ => EventKind::RunFailed,
    };
    let mut data = json!({
        "run_id": run.run_id,
        "version_id": run.version_id,
        "error": run.error,
        "ending": run.ending,
        "chain": run.chain,
    });
    // A Trigger that needs what is not there starts nothing and says so.
    if run.is_kept() {
        data["input"] = run.input.clone();
        data["output"] = output.cloned().unwrap_or_default();
    } else {
        data["error"] = json!(run.forgotten().error);
    }
    NewEvent {
        kind,
        source: run.key.name.to_string(),
        data,
        actor: Actor::Run(run.run_id),
        at: run.finished_at.unwrap_or(run.created_at),
    }
}
