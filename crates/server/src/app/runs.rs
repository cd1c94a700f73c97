//! Runs: start and wait, queue, cancel, answer, run again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use model::access::{Access, Authority};
use model::chain::Chain;
use model::entry::EntryKey;
use model::ids::{RunId, VersionId};
use model::input::bind;
use model::name::EntryName;
use model::question;
use model::retry::Retry;
use model::revision::Revision;
use model::run::{How, Run, RunState};
use model::running::Record;
use model::scope::Scope;
use model::signature::Parameter;
use model::verb::Verb;
use model::version::VersionNumber;
use serde_json::{Map, Value};
use store::{RunFilter, Started};

use super::error::Error;
use super::functions::{Which, not_found};
use crate::ctx::Ctx;
use crate::engine::{
    AwaitedRun, CellPlace, Claimed, Execution, InHand, NoPlace, Prepared, Watch, carry_out, lease, patiently,
    patiently_until, resume,
};
use crate::redaction::Redaction;

/// So long whoever starts a Run or waits for one waits for a database that cannot be used.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The live Version.
    Live(EntryName),
    Number(EntryName, VersionNumber),
    /// The Version that was live then, calling what was live then.
    AsOf(EntryName, Revision),
    Exact(VersionId),
}

/// Arguments, as a caller gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    pub positional: Vec<Value>,
    pub named: Map<String, Value>,
}

impl From<Map<String, Value>> for Input {
    fn from(named: Map<String, Value>) -> Input {
        Input { positional: Vec::new(), named }
    }
}

#[derive(Clone)]
pub struct StartRun {
    pub target: Target,
    pub input: Input,
    /// Absent means a new one.
    pub run_id: Option<RunId>,
    pub parent: Option<RunId>,
    pub chain: Chain,
    pub event_seq: Option<u64>,
    /// A second request with the same key gets the first Run.
    pub idempotency_key: Option<String>,
    pub timeout_ms: Option<u64>,
    /// Instead of what the Version declares.
    pub retry: Option<Retry>,
    pub priority: Option<i32>,
    pub due_at: Option<Timestamp>,
    /// How long to wait for a place; then the Run is queued instead. Absent means as long as it takes.
    pub patience: Option<Duration>,
    pub watch: Option<Watch>,
}

impl StartRun {
    pub fn of(target: Target, input: impl Into<Input>) -> StartRun {
        StartRun {
            target,
            input: input.into(),
            run_id: None,
            parent: None,
            chain: Chain::default(),
            event_seq: None,
            idempotency_key: None,
            timeout_ms: None,
            retry: None,
            priority: None,
            due_at: None,
            patience: None,
            watch: None,
        }
    }

    /// Hears what happens in the Run, as it happens.
    #[must_use]
    pub fn watched(self, watch: impl Fn(RunId, crate::engine::Happened) + Send + Sync + 'static) -> StartRun {
        StartRun { watch: Some(Arc::new(watch)), ..self }
    }
}

/// Executes at once and answers when the ending is committed, or when it waits for a person or a time.
pub async fn start(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Run, Error> {
    begin(ctx, access, request).await?.ended(ctx).await
}

/// How a Run comes to start another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// By a name it has at hand: its starter has to be allowed to run that.
    Name,
    /// By a call in its source, which was judged when that was applied.
    Dependency,
}

/// The same for a Run that starts another. What it hands over is compared with the secrets that it was handed itself, whoever
/// started it: otherwise it would learn from what is refused or struck out which others there are.
pub(crate) async fn start_nested(
    ctx: &Ctx,
    access: &Access,
    request: StartRun,
    by: By,
    handed: &Redaction,
) -> Result<Run, Error> {
    if by == By::Name {
        judge(ctx, access, &request.target).await?;
    }
    begin_judged(ctx, access, request, handed).await?.ended(ctx).await
}

/// A Run that is recorded, and has yet to be carried out or waited for. Dropping it leaves a Run that nobody carries out
/// until this process finds it, within a third of a lease.
#[must_use]
pub struct Begun {
    pub run_id: RunId,
    /// Whether a Run waits for it.
    nested: bool,
    /// Absent if the queue has it, or somebody began it before.
    execution: Option<Box<Execution>>,
    /// For one whose end may not be recorded.
    awaited: Option<AwaitedRun>,
}

impl Begun {
    /// Its ending, or what it waits for.
    pub async fn ended(self, ctx: &Ctx) -> Result<Run, Error> {
        let Begun { run_id, nested, execution, awaited } = self;
        if let Some(execution) = execution {
            match carried_out(ctx, *execution, nested).await {
                Ok(run) if run.state.is_final() || (run.state == RunState::Waiting && !nested) => {
                    return Ok(run);
                }
                // Whoever has it sees it through.
                Ok(_) | Err(Error::LeaseLost { .. }) => {}
                Err(Error::Store(source)) => return Err(Error::OfRun { run: run_id, source }),
                Err(error) => return Err(error),
            }
        }
        let run = settled(ctx, run_id, nested).await?;
        Ok(awaited.and_then(|awaited| awaited.ended()).unwrap_or(run))
    }
}

/// A Run that another one waits for goes on when that one is interrupted: it ends as it should, and is found when the other is
/// resumed.
async fn carried_out(ctx: &Ctx, execution: Execution, nested: bool) -> Result<Run, Error> {
    let run = if nested {
        let (ctx, run_id) = (ctx.clone(), execution.run.run_id);
        let task = tokio::spawn(async move { carry_out(&ctx, execution).await });
        task.await.unwrap_or(Err(Error::LeaseLost { run: run_id }))
    } else {
        carry_out(ctx, execution).await
    };
    ctx.engine.ended.notify_waiters();
    run
}

/// Records a Run that is to be executed at once.
pub async fn begin(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Begun, Error> {
    judge(ctx, access, &request.target).await?;
    let redaction = ctx.redaction_for(&[&access.authority]).await?;
    begin_judged(ctx, access, request, &redaction).await
}

/// Whether this Access may run it.
async fn judge(ctx: &Ctx, access: &Access, target: &Target) -> Result<(), Error> {
    access.may(Verb::StartRun)?;
    match target {
        Target::Live(name) | Target::Number(name, _) | Target::AsOf(name, _) => {
            Ok(access.may_touch(Verb::StartRun, name.as_str())?)
        }
        Target::Exact(version) => {
            let heads = ctx.store.version_heads(&[*version]).await?;
            let name = heads.first().map_or("", |head| head.key.name.as_str());
            Ok(access.may_touch(Verb::StartRun, name)?)
        }
    }
}

/// `redaction` is of the secrets that the starter may use.
async fn begin_judged(
    ctx: &Ctx,
    access: &Access,
    request: StartRun,
    redaction: &Redaction,
) -> Result<Begun, Error> {
    let (nested, patience) = (request.parent.is_some(), request.patience);
    let prepared = resolve(ctx, access, &request.target).await?;
    // Whoever looks on sees the access's own functions, and of others only the answer.
    let watch = request.watch.clone().filter(|_| access.covers(prepared.key().name.as_str()));
    let mut run = record(ctx, access, request, &prepared)?;
    let awaited = (run.how.record != Record::All).then(|| ctx.engine.awaited.wait_for(run.run_id));
    // Others may have its place; the queue knows whose turn it is.
    let is_queued = run.how.concurrency.is_some() || run.how.due_at.is_some();
    let place = if nested || is_queued { None } else { enter(ctx, access, patience).await? };
    if is_queued || (place.is_none() && !nested) {
        let run = enqueue(ctx, run, &prepared, redaction).await?;
        return Ok(Begun { run_id: run.run_id, nested, execution: None, awaited });
    }
    run.how.waited = true;
    refuse_key(&run, redaction)?;
    let handed_over = redaction.only_in(&run.input);
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
        return Ok(Begun { run_id: first.run_id, nested, execution: None, awaited: None });
    }
    let run_id = run.run_id;
    let in_hand = InHand::take(&ctx.engine.running, run_id, lease);
    let steps = Vec::new();
    let execution = Execution { run, given, lease, prepared, steps, watch, handed_over, in_hand, place };
    Ok(Begun { run_id, nested, execution: Some(Box::new(execution)), awaited })
}

/// A place to be carried out in, or none if it has not become free in time.
async fn enter(ctx: &Ctx, access: &Access, patience: Option<Duration>) -> Result<Option<CellPlace>, Error> {
    let until = patience.map_or(Timestamp::MAX, |patience| ctx.clock.now() + patience);
    match ctx.engine.admission.enter(&access.authority.holder, &ctx.clock, until).await {
        Ok(place) => Ok(Some(place)),
        Err(NoPlace::Late) => Ok(None),
        Err(NoPlace::Crowded { waiting }) => Err(Error::Crowded { waiting }),
    }
}

/// Records a Run. A database that cannot be used is waited for, for a while: whoever starts it has to hear whether it was recorded,
/// and a try whose answer was lost may have recorded it.
async fn store_run(ctx: &Ctx, run: &Run, prepared: &Prepared) -> Result<Started, Error> {
    let is_again = AtomicBool::new(false);
    let until = ctx.clock.now() + PATIENCE;
    let stored = patiently_until(ctx, until, || async {
        let is_again = is_again.swap(true, Ordering::Relaxed);
        match ctx.store.start_run(run, &prepared.members).await {
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

/// Whether it is this very record, and not that of an earlier request.
fn is_this(found: &Run, run: &Run) -> bool {
    found.run_id == run.run_id && found.created_at == run.created_at && found.lease == run.lease
}

/// Who is nested in a Run is seen through to its end; anybody else hears that it waits.
async fn settled(ctx: &Ctx, id: RunId, nested: bool) -> Result<Run, Error> {
    if nested { see_through(ctx, id).await } else { wait_for(ctx, id, is_settled).await }
}

/// Waits for the end of a Run that another Run needs, and carries it out here when it is its turn: were it left to the
/// queue, all places could be taken by Runs that wait for what is queued.
async fn see_through(ctx: &Ctx, id: RunId) -> Result<Run, Error> {
    loop {
        let mut ended = std::pin::pin!(ctx.engine.ended.notified());
        ended.as_mut().enable();
        let run = patiently(ctx, || recorded_run(ctx, id)).await?;
        if run.state.is_final() {
            return Ok(run);
        }
        let is_done = run.state == RunState::Queued && carry_out_queued(ctx, id).await?;
        if !is_done {
            look_again(ctx, ended).await;
        }
    }
}

/// False if it is not its turn: it is not due yet, others use its concurrency key up, or somebody else was quicker.
async fn carry_out_queued(ctx: &Ctx, id: RunId) -> Result<bool, Error> {
    let now = ctx.clock.now();
    let until = now + ctx.engine.config.lease;
    let claiming = ctx.engine.claiming.read().await;
    let run = ctx.store.claim_run(id, ctx.engine.node, now, until).await?;
    let Some(claimed) = run.and_then(|run| Claimed::take(ctx, run)) else { return Ok(false) };
    drop(claiming);
    let task = {
        let ctx = ctx.clone();
        tokio::spawn(async move { resume(&ctx, claimed).await })
    };
    let carried_out = task.await.unwrap_or(Err(Error::LeaseLost { run: id }));
    ctx.engine.ended.notify_waiters();
    match carried_out {
        Ok(_) => Ok(true),
        // Whoever has it sees it through.
        Err(Error::LeaseLost { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Records a Run for whoever has a free place.
pub async fn queue(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Run, Error> {
    judge(ctx, access, &request.target).await?;
    let prepared = resolve(ctx, access, &request.target).await?;
    let run = record(ctx, access, request, &prepared)?;
    let redaction = ctx.redaction_for(&[&access.authority]).await?;
    enqueue(ctx, run, &prepared, &redaction).await
}

/// What a Run would be recorded as; what it loads is recorded already. For those who queue it in a batch of their own.
pub(crate) async fn recorded(ctx: &Ctx, access: &Access, request: StartRun) -> Result<Run, Error> {
    judge(ctx, access, &request.target).await?;
    let prepared = resolve(ctx, access, &request.target).await?;
    let run = record(ctx, access, request, &prepared)?;
    // What an Event carries was compared with secrets where it was made.
    if run.event_seq.is_none() {
        refuse_secrets(&run, &*ctx.redaction_for(&[&access.authority]).await?)?;
    }
    ctx.store.record_closure(prepared.hash, &prepared.members).await?;
    Ok(run)
}

/// What a Function takes.
pub(crate) async fn parameters(ctx: &Ctx, target: &Target) -> Result<Vec<Parameter>, Error> {
    Ok(find(ctx, target).await?.content().signature.parameters.clone())
}

/// Whether a Function takes such an input.
pub(crate) async fn check_input(ctx: &Ctx, target: &Target, input: Map<String, Value>) -> Result<(), Error> {
    checked(&*find(ctx, target).await?, input.into()).map(drop)
}

/// A key is stored as it is, because a second request must find it.
fn refuse_key(run: &Run, redaction: &Redaction) -> Result<(), Error> {
    if !run.how.idempotency_key.as_ref().is_some_and(|key| redaction.is_in(key)) {
        return Ok(());
    }
    Err(Error::Input {
        problem: "the idempotency key holds the value of a secret, and it is stored".to_owned(),
        hint: "make the key of something else, or of a hash".to_owned(),
    })
}

fn refuse_secrets(run: &Run, redaction: &Redaction) -> Result<(), Error> {
    refuse_key(run, redaction)?;
    if redaction.only_in(&run.input).is_empty() {
        return Ok(());
    }
    Err(Error::Input {
        problem: "the input holds the value of a secret, and what is queued is stored".to_owned(),
        hint: "grant the secret to the function instead of handing it over".to_owned(),
    })
}

async fn enqueue(ctx: &Ctx, run: Run, prepared: &Prepared, redaction: &Redaction) -> Result<Run, Error> {
    refuse_secrets(&run, redaction)?;
    match store_run(ctx, &run, prepared).await? {
        Started::Existing(first) => Ok(*first),
        Started::New => {
            let (id, name) = (run.run_id, &run.key.name);
            tracing::debug!(run.id = %id, function.name = %name, "run {id} of `{name}` is queued");
            ctx.engine.queue.notify_one();
            Ok(run)
        }
    }
}

/// What is to be run. What is not there is told with the nearest name that may be seen.
async fn resolve(ctx: &Ctx, access: &Access, target: &Target) -> Result<Arc<Prepared>, Error> {
    match find(ctx, target).await {
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
            let key = EntryKey::function(name.clone());
            match ctx.store.version(&key, *number).await? {
                Some(version) => closures.of_version(ctx, version.head.version_id).await,
                None => Err(not_found(ctx, &Scope::none(), &key, Which::Number(*number)).await?),
            }
        }
    }
}

/// A Run that is not recorded: what a trial executes.
pub(crate) fn pretended(ctx: &Ctx, prepared: &Prepared, input: Map<String, Value>) -> Run {
    new_run(
        ctx,
        &Access::of_command_line(),
        StartRun::of(Target::Live(prepared.key().name.clone()), Input::default()),
        prepared,
        input,
    )
}

/// What is recorded of a Run before anything happens; its input has been checked.
fn record(ctx: &Ctx, access: &Access, mut request: StartRun, prepared: &Prepared) -> Result<Run, Error> {
    let input = checked(prepared, std::mem::take(&mut request.input))?;
    Ok(new_run(ctx, access, request, prepared, input))
}

/// Arguments by name, if the Function takes them.
fn checked(prepared: &Prepared, Input { positional, named }: Input) -> Result<Map<String, Value>, Error> {
    let wrong = |source| Error::RunInput { function: prepared.key().name.clone(), source };
    let input = bind(&prepared.content().signature, positional, named).map_err(wrong)?;
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
    let content = prepared.content();
    let key = prepared.key().clone();
    let running = &content.running;
    let how = How {
        waited: false,
        priority: request.priority.unwrap_or(running.priority),
        due_at: request.due_at,
        timeout_ms: request.timeout_ms,
        retry: request.retry.unwrap_or(running.retry),
        idempotency_key: request.idempotency_key,
        concurrency: running.concurrency_of(&key.name, &input),
        // What goes through the network is no Step.
        resumable: running.idempotent || content.grants.network.is_empty(),
        record: running.record,
    };
    Run {
        run_id: request.run_id.unwrap_or_else(|| ctx.ids.run()),
        version_id: Some(prepared.version.head.version_id),
        key,
        revision: prepared.revision,
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

/// What a Run that was recorded before has to load: exactly what it was recorded with.
pub(crate) async fn prepared_for(ctx: &Ctx, run: &Run) -> Result<Arc<Prepared>, Error> {
    match (run.version_id, run.closure) {
        (Some(version), Some(hash)) => ctx.engine.closures.recorded(ctx, version, hash, run.revision).await,
        _ => Err(Error::ClosureGone),
    }
}

/// Whether a Run is there is nobody's business who may not see it.
pub async fn get(ctx: &Ctx, access: &Access, run: RunId) -> Result<Run, Error> {
    Ok(seen_run(access, touched(ctx, access, run).await?))
}

/// Of somebody else's authority, a narrow reader sees whose it is and the role; of functions outside, no line.
pub(crate) fn seen_run(access: &Access, mut run: Run) -> Run {
    if access.only().is_all() {
        return run;
    }
    run.error = run.error.map(|error| error.seen(|name| access.covers(name)));
    let authority = &run.authority;
    if authority.holder != access.authority.holder {
        let (holder, role) = (authority.holder.clone(), authority.role);
        run.authority = Arc::new(Authority { role, only: Scope::All, ..Authority::unknown(holder) });
    }
    run
}

/// The Run as it is recorded, if it may be seen.
pub(crate) async fn touched(ctx: &Ctx, access: &Access, run: RunId) -> Result<Run, Error> {
    access.may(Verb::ReadRuns)?;
    let found = ctx.store.run(run).await?.filter(|run| access.covers(run.key.name.as_str()));
    found.ok_or_else(|| Error::RunNotFound { id: run.to_string() })
}

async fn recorded_run(ctx: &Ctx, run: RunId) -> Result<Run, Error> {
    ctx.store.run(run).await?.ok_or_else(|| Error::RunNotFound { id: run.to_string() })
}

pub async fn list(ctx: &Ctx, access: &Access, filter: RunFilter, limit: u32) -> Result<Vec<Run>, Error> {
    access.may(Verb::ReadRuns)?;
    let filter = RunFilter { scope: access.only().clone(), ..filter };
    Ok(ctx.store.runs(&filter, limit).await?)
}

/// Waits until a Run has ended, or waits for somebody itself.
pub async fn wait(ctx: &Ctx, access: &Access, id: RunId) -> Result<Run, Error> {
    get(ctx, access, id).await?;
    wait_for(ctx, id, is_settled).await
}

fn is_settled(run: &Run) -> bool {
    run.state.is_final() || run.state == RunState::Waiting
}

/// Waits until a Run that waited has ended or waits for something else.
pub async fn wait_past(ctx: &Ctx, access: &Access, waited: &Run) -> Result<Run, Error> {
    let awaited = ctx.engine.awaited.wait_for(waited.run_id);
    get(ctx, access, waited.run_id).await?;
    let is_new = |run: &Run| run.state == RunState::Waiting && run.waiting != waited.waiting;
    let run = wait_for(ctx, waited.run_id, |run| run.state.is_final() || is_new(run)).await?;
    Ok(awaited.ended().unwrap_or(run))
}

async fn wait_for(ctx: &Ctx, id: RunId, there: impl Fn(&Run) -> bool) -> Result<Run, Error> {
    loop {
        let mut ended = std::pin::pin!(ctx.engine.ended.notified());
        ended.as_mut().enable();
        let until = ctx.clock.now() + PATIENCE;
        let run = match patiently_until(ctx, until, || recorded_run(ctx, id)).await {
            Err(Error::Store(source)) => return Err(Error::OfRun { run: id, source }),
            run => run?,
        };
        if there(&run) {
            return Ok(run);
        }
        look_again(ctx, ended).await;
    }
}

/// Returns when a Run of this process has ended, or after a while, because other nodes do not ring here.
async fn look_again(ctx: &Ctx, ended: std::pin::Pin<&mut tokio::sync::futures::Notified<'_>>) {
    const LOOK: Duration = Duration::from_millis(250);
    tokio::select! {
        biased;
        () = ended => {}
        () = ctx.clock.wait_until(ctx.clock.now() + LOOK) => {}
    }
}

/// Ends a Run and everything it started, and what triggers started because of it as far as that may be touched. Says which Runs
/// are affected.
pub async fn cancel(ctx: &Ctx, access: &Access, id: RunId) -> Result<Vec<RunId>, Error> {
    access.may(Verb::CancelRun)?;
    let run = touched(ctx, access, id).await?;
    if run.state.is_final() && run.state != RunState::Cancelled {
        return Err(Error::RunEnded { run: id, state: run.state });
    }
    let affected = ctx.store.request_cancel(id, &access.actor, ctx.clock.now(), access.only()).await?;
    for run in &affected {
        ctx.engine.running.interrupt(*run, crate::engine::Interruption::Cancelled);
    }
    ctx.engine.ended.notify_waiters();
    ctx.engine.ring_events();
    let mut seen = Vec::with_capacity(affected.len());
    for run in affected {
        let is_seen = access.only().is_all()
            || ctx.store.run(run).await?.is_some_and(|run| access.covers(run.key.name.as_str()));
        seen.extend(is_seen.then_some(run));
    }
    Ok(seen)
}

/// Answers the question a Run waits for.
pub async fn answer(ctx: &Ctx, access: &Access, id: RunId, value: Value) -> Result<(), Error> {
    access.may(Verb::AnswerRun)?;
    let run = get(ctx, access, id).await?;
    let Some(model::run::Waiting::Person { step, question }) = run.waiting else {
        return Err(Error::NothingAsked { run: id, state: run.state });
    };
    let value = ctx.redaction_for(&[&access.authority]).await?.json(value);
    question::check_answer(&question, &value).map_err(|error| Error::Input {
        problem: format!("run {id}: {error}"),
        hint: "answer with one of them, as it stands there".to_owned(),
    })?;
    if !ctx.store.answer_run(id, step, &value, &access.actor, ctx.clock.now()).await? {
        return Err(Error::NothingAsked { run: id, state: get(ctx, access, id).await?.state });
    }
    ctx.engine.queue.notify_one();
    Ok(())
}

/// What it takes to run the same input once more, on the same Version or on the live one.
pub async fn again(ctx: &Ctx, access: &Access, id: RunId, live: bool) -> Result<StartRun, Error> {
    access.may(Verb::StartRun)?;
    let run = recorded_input(touched(ctx, access, id).await?)?;
    let target = match run.version_id {
        Some(version) if !live => Target::Exact(version),
        _ => Target::Live(run.key.name.clone()),
    };
    let input = run.input.as_object().cloned().unwrap_or_default();
    Ok(StartRun::of(target, input))
}

/// Of a Run that is not kept the input is gone.
pub(super) fn recorded_input(run: Run) -> Result<Run, Error> {
    if !run.is_forgotten() {
        return Ok(run);
    }
    let (id, name, record) = (run.run_id, &run.key.name, run.how.record.as_str());
    Err(Error::Input {
        problem: format!("the input of run {id} was not recorded: `{name}` states `record=\"{record}\"`"),
        hint: format!("run `{name}` with an input of your own"),
    })
}
