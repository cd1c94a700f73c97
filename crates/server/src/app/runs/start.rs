//! Starts Runs: executed at once and waited for, or queued.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::function::run_options::Record;
use model::graph::run_options::BreakAt;
use model::ids::RunId;
use model::revision::Revision;
use model::run::nesting::NestingError;
use model::run::{Run, RunState};
use store::Started;
use tokio::task::{JoinError, JoinHandle};

use super::graph_options::complete;
use super::new_run::{record, resolve};
use super::read::recorded_run;
use super::wait::settled;
use super::{By, DATABASE_WAIT, StartRun, Target};
use crate::ctx::Ctx;
use crate::engine::{
    AwaitedRun, CellPlace, Execution, NoPlace, OwnedRun, execute, lease, retry_while_unavailable_until,
};
use crate::error::Error;
use crate::prepare::Prepared;
use crate::secrets::redaction::Redaction;

/// Executes at once and answers when the ending is committed, or when it waits for a person or a time.
pub async fn start(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Run, Error> {
    begin(ctx, access, request).await?.ended(ctx).await
}

/// The same for a Run that starts another. What it hands over is compared with the secrets that it was handed itself, whoever
/// started it: otherwise it would learn from what is refused or redacted which others there are.
pub(crate) async fn start_nested(
    ctx: &Ctx,
    access: &Access,
    request: StartRun,
    by: By,
    handed: &Arc<Redaction>,
) -> Result<Run, Error> {
    start_node(ctx, access, request, by, handed, Box::new(|| ())).await
}

/// The same for a node of a Graph. Should it wait for a person or a time, that is told.
pub(crate) async fn start_node(
    ctx: &Ctx,
    access: &Access,
    request: StartRun,
    by: By,
    handed: &Arc<Redaction>,
    on_wait: Box<dyn Fn() + Send + Sync>,
) -> Result<Run, Error> {
    if by == By::Name {
        judge(ctx, access, &request.target).await?;
    }
    let (here, access, handed) = (ctx.clone(), access.clone(), Arc::clone(handed));
    // If the starter is interrupted between recording the Run and executing it, someone still has to execute it.
    let begun = tokio::spawn(async move {
        let now = here.store.revision().await?;
        let begun = begin_judged(&here, &access, request, &handed, now).await?;
        Ok::<_, Error>(begun.on_its_own(&here))
    });
    match begun.await.map_err(JoinError::try_into_panic) {
        Ok(begun) => begun?.ended_telling(ctx, on_wait).await,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The process ends.
        Err(Err(_)) => std::future::pending().await,
    }
}

/// A Run that is recorded, and has yet to be executed or waited for. Dropping it leaves a Run that nobody executes
/// until this process finds it, within a third of a lease.
#[must_use]
pub struct Begun {
    pub run_id: RunId,
    /// Whether a Run waits for it.
    nested: bool,
    /// Whether it is a node of that Run.
    is_node: bool,
    /// Absent if the queue has it, or someone began it before.
    executing: Option<Executing>,
    /// For one whose end may not be recorded.
    awaited: Option<AwaitedRun>,
}

enum Executing {
    NotBegun(Box<Execution>),
    Task(JoinHandle<Result<Run, Error>>),
}

impl Begun {
    /// Its ending, or what it waits for.
    pub async fn ended(self, ctx: &Ctx) -> Result<Run, Error> {
        self.ended_telling(ctx, Box::new(|| ())).await
    }

    async fn ended_telling(self, ctx: &Ctx, on_wait: Box<dyn Fn() + Send + Sync>) -> Result<Run, Error> {
        let Begun { run_id, nested, is_node, executing, awaited } = self;
        if is_node && executing.is_none() && is_waiting(ctx, run_id).await? {
            on_wait();
        }
        if let Some(executing) = executing {
            let executed = match executing {
                Executing::NotBegun(execution) => execute(ctx, *execution).await,
                Executing::Task(task) => task.await.unwrap_or(Err(Error::LeaseLost { run: run_id })),
            };
            match executed {
                Ok(run) if run.state.is_final() || (run.state == RunState::Waiting && !nested) => {
                    return Ok(run);
                }
                Ok(run) if run.state == RunState::Waiting => on_wait(),
                // Whoever has it sees it through.
                Ok(_) | Err(Error::LeaseLost { .. }) => {}
                Err(Error::Store(source)) => return Err(Error::OfRun { run: run_id, source }),
                Err(error) => return Err(error),
            }
        }
        let run = settled(ctx, run_id, nested).await?;
        Ok(awaited.and_then(|awaited| awaited.ended()).unwrap_or(run))
    }

    /// A Run that another one waits for goes on when that one is interrupted: it ends as it should, and is found when the other
    /// is resumed.
    fn on_its_own(self, ctx: &Ctx) -> Begun {
        let executing = self.executing.map(|executing| match executing {
            Executing::NotBegun(execution) => {
                let ctx = ctx.clone();
                Executing::Task(tokio::spawn(async move { execute(&ctx, *execution).await }))
            }
            Executing::Task(task) => Executing::Task(task),
        });
        Begun { executing, ..self }
    }
}

/// One that was begun before may wait by now.
async fn is_waiting(ctx: &Ctx, run: RunId) -> Result<bool, Error> {
    Ok(ctx.store.run(run).await?.is_some_and(|run| run.state == RunState::Waiting))
}

/// Records a Run that is to be executed at once.
pub async fn begin(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Begun, Error> {
    judge(ctx, access, &request.target).await?;
    let heads = ctx.store.heads().await?;
    let redaction = ctx.redaction_after(heads.secrets_changed, &[&access.authority]).await?;
    begin_judged(ctx, access, request, &redaction, heads.revision).await
}

/// Whether this Access may run it.
async fn judge(ctx: &Ctx, access: &Access, target: &Target) -> Result<(), Error> {
    access.may(Verb::StartRun)?;
    match target {
        Target::Live(name) | Target::Number(name, _) | Target::AsOf(name, _) => {
            Ok(access.may_touch(Verb::StartRun, name.as_str())?)
        }
        Target::Code(draft) => {
            access.may_touch(Verb::StartRun, draft.name.as_str())?;
            Ok(access.may_touch(Verb::ProposeChangeset, draft.name.as_str())?)
        }
        Target::Draft(name) => {
            access.may_touch(Verb::StartRun, name.as_str())?;
            // Whether there is one is told to those who may read it.
            Ok(access.may_touch(Verb::ProposeChangeset, name.as_str())?)
        }
        Target::Recorded(run) => {
            let run = recorded_run(ctx, *run).await?;
            Ok(access.may_touch(Verb::StartRun, run.key.name.as_str())?)
        }
        Target::Exact(version) => {
            let heads = ctx.store.version_heads(&[*version]).await?;
            let name = heads.first().map_or("", |head| head.key.name.as_str());
            Ok(access.may_touch(Verb::StartRun, name)?)
        }
    }
}

/// `redaction` is of the secrets that the starter may use; `now` is where the brain was just read to be.
async fn begin_judged(
    ctx: &Ctx,
    access: &Access,
    request: StartRun,
    redaction: &Redaction,
    now: Revision,
) -> Result<Begun, Error> {
    let (nested, is_node, max_wait) = (request.parent.is_some(), request.is_node, request.max_wait);
    let prepared = resolve(ctx, access, &request.target, now).await?;
    // Whoever follows sees the access's own functions, and of others only the answer.
    let watch = request.watch.clone().filter(|_| access.covers(prepared.key.name.as_str()));
    let mut request = request;
    complete(ctx, access, &mut request, &prepared).await?;
    let mut run = record(ctx, access, request, &prepared)?;
    let awaited = (run.how.record != Record::All).then(|| ctx.engine.awaited.wait_for(run.run_id));
    // Others may have its place, and the queue knows whose turn it is; or another server executes it.
    let is_queued = run.how.concurrency.is_some() || run.how.due_at.is_some() || !ctx.engine.executes();
    let place = match (is_queued, nested) {
        (true, _) => None,
        (false, true) => Some(enter_nested(ctx, access, run.how.depth).await?),
        (false, false) => enter(ctx, access, max_wait).await?,
    };
    if place.is_none() {
        let run = enqueue(ctx, run, &prepared, redaction).await?;
        return Ok(Begun { run_id: run.run_id, nested, is_node, executing: None, awaited });
    }
    run.how.waited = true;
    refuse_key(&run, redaction)?;
    let handed_over = redaction.only_in(&run.input);
    if !handed_over.is_empty() {
        refuse_breakpoints(&run)?;
    }
    let given = (!handed_over.is_empty()).then(|| {
        // It cannot be executed again with what is recorded.
        run.how.resumable = false;
        let recorded = handed_over.json(run.input.clone());
        std::mem::replace(&mut run.input, recorded)
    });
    let lease = lease(ctx);
    let run = run.begun(lease);
    let _claiming = ctx.engine.claiming.read().await;
    if let Started::Existing(first) = store_run(ctx, &run, &prepared).await? {
        return Ok(Begun { run_id: first.run_id, nested, is_node, executing: None, awaited: None });
    }
    let run_id = run.run_id;
    let owned = OwnedRun::take(&ctx.engine.running, run_id, lease);
    let steps = Vec::new();
    let execution = Execution { run, given, lease, prepared, steps, watch, handed_over, owned, place };
    Ok(Begun { run_id, nested, is_node, executing: Some(Executing::NotBegun(Box::new(execution))), awaited })
}

/// What stands at a breakpoint waits without a place, and is executed again from its record.
fn refuse_breakpoints(run: &Run) -> Result<(), Error> {
    let breakpoints = run.how.graph.as_ref().map(|options| &options.breakpoints);
    if breakpoints.is_none_or(|breakpoints| *breakpoints == BreakAt::default()) {
        return Ok(());
    }
    Err(Error::Input {
        problem: format!(
            "the input of `{}` holds a secret, which is not recorded, so the run cannot stop at breakpoints",
            run.key.name
        ),
        hint: "run it without breakpoints, or let the functions in it get the secret by their `secrets=`"
            .to_owned(),
    })
}

/// A place to be executed in, or none if it has not become free in time.
pub(super) async fn enter(
    ctx: &Ctx,
    access: &Access,
    max_wait: Option<Duration>,
) -> Result<Option<CellPlace>, Error> {
    let until = max_wait.map_or(Timestamp::MAX, |max_wait| ctx.clock.now() + max_wait);
    match ctx.engine.admission.enter(&access.authority.holder, &ctx.clock, until).await {
        Ok(place) => Ok(Some(place)),
        Err(NoPlace::Late) => Ok(None),
        Err(NoPlace::Crowded { waiting }) => Err(Error::Crowded { waiting }),
    }
}

/// A place for a Run that another one waits for. It is entered before the Run is recorded, and before this process
/// claims anything: whoever waits in line holds nothing but what its parents hold.
async fn enter_nested(ctx: &Ctx, access: &Access, depth: u32) -> Result<CellPlace, Error> {
    let cells = ctx.engine.nested_cells(depth)?;
    match cells.enter(&access.authority.holder, &ctx.clock, Timestamp::MAX).await {
        Ok(place) => Ok(place),
        Err(NoPlace::Crowded { waiting }) => Err(NestingError::Crowded { waiting }.into()),
        // Nobody is late who waits for ever.
        Err(NoPlace::Late) => Err(NestingError::Crowded { waiting: 0 }.into()),
    }
}

/// Records a Run. A database that cannot be used is waited for, for a while: whoever starts it has to hear whether it was recorded,
/// and a try whose answer was lost may have recorded it.
async fn store_run(ctx: &Ctx, run: &Run, prepared: &Prepared) -> Result<Started, Error> {
    let is_again = AtomicBool::new(false);
    let until = ctx.clock.now() + DATABASE_WAIT;
    let drafted = prepared.drafted();
    let stored = retry_while_unavailable_until(ctx, until, || async {
        let is_again = is_again.swap(true, Ordering::Relaxed);
        match ctx.store.start_run_of(run, &prepared.members, drafted.as_ref()).await {
            Err(error @ store::Error::Unique { .. }) if is_again => match ctx.store.run(run.run_id).await? {
                Some(found) if is_this(&found, run) => Ok(Started::New),
                _ => Err(error.into()),
            },
            Ok(Started::Existing(first)) if is_again && is_this(&first, run) => Ok(Started::New),
            started => Ok(started?),
        }
    });
    match stored.await {
        // Nobody knows whether it was recorded.
        Err(Error::Store(source @ store::Error::ConnectionLost { .. })) => {
            Err(Error::OfRun { run: run.run_id, source })
        }
        stored => stored,
    }
}

/// Whether it is this very record, and not that of an earlier request. A queued one may have been claimed since.
fn is_this(found: &Run, run: &Run) -> bool {
    found.run_id == run.run_id
        && found.created_at == run.created_at
        && (run.lease.is_none() || found.lease == run.lease)
}

/// Records a Run for the next node with a free slot.
pub async fn queue(ctx: &Ctx, access: &Access, mut request: StartRun) -> Result<Run, Error> {
    judge(ctx, access, &request.target).await?;
    let heads = ctx.store.heads().await?;
    let prepared = resolve(ctx, access, &request.target, heads.revision).await?;
    complete(ctx, access, &mut request, &prepared).await?;
    let run = record(ctx, access, request, &prepared)?;
    let redaction = ctx.redaction_after(heads.secrets_changed, &[&access.authority]).await?;
    enqueue(ctx, run, &prepared, &redaction).await
}

/// What a Run would be recorded as; what it loads is recorded already. For those who queue it in a batch of their own.
pub(crate) async fn recorded(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Run, Error> {
    judge(ctx, access, &request.target).await?;
    let prepared = resolve(ctx, access, &request.target, ctx.store.revision().await?).await?;
    let run = record(ctx, access, request, &prepared)?;
    // What an Event carries was compared with secrets where it was made.
    if run.event_seq.is_none() {
        refuse_secrets(&run, &*ctx.redaction_for(&[&access.authority]).await?)?;
    }
    ctx.store.record_closure(prepared.hash, &prepared.members).await?;
    Ok(run)
}

/// A key is stored as it is, because a second request must find it; and so are the values of nodes.
fn refuse_key(run: &Run, redaction: &Redaction) -> Result<(), Error> {
    if let Some(options) = &run.how.graph
        && serde_json::to_value((&options.pinned, &options.input, &options.recorded))
            .is_ok_and(|values| !redaction.only_in(&values).is_empty())
    {
        return Err(Error::Input {
            problem: "a pinned output or a given value of a node contains the value of a secret, and these are stored"
                .to_owned(),
            hint: "let the node be executed, or use another value".to_owned(),
        });
    }
    if !run.how.idempotency_key.as_ref().is_some_and(|key| redaction.is_in(key)) {
        return Ok(());
    }
    Err(Error::Input {
        problem: "the idempotency key contains the value of a secret, and keys are stored".to_owned(),
        hint: "use another key, such as a hash".to_owned(),
    })
}

fn refuse_secrets(run: &Run, redaction: &Redaction) -> Result<(), Error> {
    refuse_key(run, redaction)?;
    if redaction.only_in(&run.input).is_empty() {
        return Ok(());
    }
    Err(Error::Input {
        problem: "the input contains the value of a secret, and queued inputs are stored".to_owned(),
        hint: "grant the secret to the function instead of passing it".to_owned(),
    })
}

async fn enqueue(ctx: &Ctx, run: Run, prepared: &Prepared, redaction: &Redaction) -> Result<Run, Error> {
    refuse_secrets(&run, redaction)?;
    match store_run(ctx, &run, prepared).await? {
        Started::Existing(first) => Ok(*first),
        Started::New => {
            let (id, name) = (run.run_id, &run.key.name);
            tracing::debug!(run.id = %id, function.name = %name, "run {id} of `{name}` is queued");
            Ok(run)
        }
    }
}
