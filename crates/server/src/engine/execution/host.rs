//! The host of one Run: handles the requests of its code, journals them, and collects what the code does.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::budget::exhausted::BUDGET_EXHAUSTED;
use model::ids::RunId;
use model::run::call::Call;
use model::run::lane::Lane;
use model::run::output::{OutputChunk, OutputStream};
use model::run::step::Step;
use model::run::{End, Ending, Lease, Outcome, Run, RunError};
use sandbox::environment::Progress;
use sandbox::{Arguments, BoxFuture, CallRecord, Host, HostError, Stream, Value};
use serde_json::json;
use tokio::sync::Notify;

use super::calls::Trace;
use super::journal::{Journal, Place};
use super::output::Held;
use super::suspension::Suspension;
use super::verbs::{HostVerbs, REFUSED, StepReply};
use super::writing::{Writing, Written};
use crate::ctx::Ctx;
use crate::engine::node::database_retry::{retry_while_unavailable, retry_while_unavailable_until};
use crate::engine::node::owned_runs::{Interrupt, Interruption};
use crate::error::Error;
use crate::prepare::Prepared;
use crate::secrets::redaction::Redaction;

/// So long a cell is kept for a database that cannot be used. After that, its Run is resumed when it can be.
const BRIEFLY: Duration = Duration::from_secs(2);

/// What watchers of a Run receive.
#[derive(Clone, Debug)]
pub enum RunProgress {
    /// Its environment is being made.
    Environment(Progress),
    Output(Stream, String),
    Yielded(serde_json::Value),
    /// It has begun, or it has ended; its position tells it from others.
    Call(Call),
    Step(Step),
    /// A language model goes on writing.
    Written(Written),
}

/// Receives what happens in a Run, as it happens. Must not block.
pub type Watch = Arc<dyn Fn(RunId, RunProgress) + Send + Sync>;

#[derive(Clone)]
pub(crate) struct RunHost(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) ctx: Ctx,
    pub(crate) run: Run,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) journal: Journal,
    pub(crate) interrupt: Interrupt,
    suspension: Suspension,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) verbs: Box<dyn HostVerbs>,
    /// Whether it may give its cell back while it waits.
    pub(crate) may_suspend: bool,
    /// The claim under which Steps are journaled. A replay has none: nothing new is done and nothing is written.
    lease: Option<Lease>,
    pub(crate) watch: Option<Watch>,
    collected: Mutex<Collected>,
    /// How many follow.
    pub(crate) watchers: AtomicUsize,
    /// Rung for those who follow.
    pub(crate) bell: Notify,
    /// Steps that have ended since the cell began.
    pub(crate) steps: AtomicU32,
    is_waiting_for_database: AtomicBool,
}

/// What the code did.
#[derive(Default)]
pub(crate) struct Collected {
    held: Held,
    pub(crate) output: Vec<OutputChunk>,
    pub(crate) calls: Trace,
    pub(crate) writing: Writing,
    /// No more comes.
    pub(crate) over: bool,
    /// It was taken for the record, because nobody looked on.
    pub(crate) gone: bool,
    /// It is known that nothing is in the journal, and nothing can come into it any more.
    pub(crate) asked_nothing: bool,
}

impl Collected {
    fn print(&mut self, stream: Stream, text: &str) {
        let stream = match stream {
            Stream::Stdout => OutputStream::Stdout,
            Stream::Stderr => OutputStream::Stderr,
        };
        match self.output.last_mut() {
            Some(last) if last.stream == stream => last.text.push_str(text),
            _ => self.output.push(OutputChunk { stream, text: text.to_owned() }),
        }
    }
}

/// What a host needs to know of its Run.
pub(crate) struct Parts {
    pub(crate) ctx: Ctx,
    pub(crate) run: Run,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) journal: Journal,
    pub(crate) interrupt: Interrupt,
    pub(crate) redaction: Arc<Redaction>,
    /// None for a replay.
    pub(crate) lease: Option<Lease>,
    pub(crate) watch: Option<Watch>,
}

impl RunHost {
    pub(crate) fn new(parts: Parts) -> RunHost {
        RunHost(Arc::new(Inner {
            may_suspend: parts.run.how.resumable,
            verbs: (parts.ctx.engine.host_verbs)(),
            ctx: parts.ctx,
            run: parts.run,
            prepared: parts.prepared,
            journal: parts.journal,
            suspension: Suspension::new(parts.interrupt.clone()),
            interrupt: parts.interrupt,
            redaction: parts.redaction,
            lease: parts.lease,
            watch: parts.watch,
            collected: Mutex::default(),
            watchers: AtomicUsize::new(0),
            bell: Notify::new(),
            steps: AtomicU32::new(0),
            is_waiting_for_database: AtomicBool::new(false),
        }))
    }

    /// All that was collected, when no more comes. Those who follow read it from here to its end.
    pub(crate) fn collected(&self) -> Collected {
        let inner = &self.0;
        let mut collected = lock(&inner.collected);
        for stream in [Stream::Stdout, Stream::Stderr] {
            if let Some(text) = collected.held.rest(stream, &inner.redaction) {
                collected.print(stream, &text);
                inner.tell(RunProgress::Output(stream, text));
            }
        }
        collected.over = true;
        collected.gone = inner.watchers.load(Ordering::SeqCst) == 0;
        let (output, calls) = if collected.gone {
            (std::mem::take(&mut collected.output), std::mem::take(&mut collected.calls))
        } else {
            (collected.output.clone(), collected.calls.clone())
        };
        drop(collected);
        inner.bell.notify_waiters();
        Collected { output, calls, ..Collected::default() }
    }
}

impl RunHost {
    /// Time that ran out while the database was waited for is not the code's fault.
    pub(crate) fn outcome(&self, end: End) -> Outcome {
        let is_late = end.ending == Some(Ending::TimedOut);
        // It may have waited for another Run, which could not be stored.
        let is_down = self.0.ctx.store.outage().is_some();
        if is_late && (is_down || self.0.is_waiting_for_database.load(Ordering::Relaxed)) {
            return Outcome::DatabaseFailed("it timed out while the database was unavailable".to_owned());
        }
        Outcome::Ended(end)
    }
}

impl Inner {
    /// What the Run may do of itself: what its starter may, and what its grants allow, which is what verbs it is offered.
    pub(crate) fn access(&self) -> Access {
        Access::of_run(self.run.run_id, &self.run.authority)
    }

    /// The claim that a Step has to be journaled under, so that nobody writes into the journal of a Run that others have.
    pub(crate) fn lease(&self) -> Result<Lease, Error> {
        self.lease.ok_or(Error::LeaseLost { run: self.run.run_id })
    }

    pub(crate) fn tell(&self, happened: RunProgress) {
        if let Some(watch) = &self.watch {
            watch(self.run.run_id, happened);
        }
    }

    /// Shows to those who follow what a language model writes for a Step.
    pub(crate) fn write(&self, step: &Step, text: &str, redaction: &Redaction) {
        let written = lock(&self.collected).writing.push(step, text, redaction);
        if let Some(written) = written {
            self.bell.notify_waiters();
            self.tell(RunProgress::Written(written));
        }
    }

    /// Says to those who follow that no more comes.
    pub(crate) fn close(&self) {
        lock(&self.collected).over = true;
        self.bell.notify_waiters();
    }

    pub(crate) fn collected_so_far(&self) -> MutexGuard<'_, Collected> {
        lock(&self.collected)
    }

    async fn answer(&self, lane: &str, verb: &str, arguments: Arguments) -> Result<Value, HostError> {
        let lane = Lane::new(lane).map_err(|error| HostError::Refused(error.to_string()))?;
        let request = self.redaction.json(request(&arguments));
        match self.journal.take(&lane, verb, request, self.ctx.clock.now()) {
            Err(divergence) => self.never(Interruption::Diverged(divergence)).await,
            Ok(Place::Answered(step)) => {
                self.verbs.again(&step, arguments)?;
                answered(step)
            }
            // Were it journaled, refusals alone could fill the journal.
            Ok(Place::Refused(over)) => Err(HostError::Refused(over.to_string())),
            Ok(Place::New(step)) if self.lease.is_none() => Err(HostError::Failed(format!(
                "the recorded run did not get this far: step {} of lane `{}` is new, and a replay does nothing new",
                step.number, step.lane
            ))),
            Ok(Place::New(step) | Place::Open(step)) => {
                let Some(_under_way) = self.suspension.begin(&step.verb) else {
                    return std::future::pending().await;
                };
                self.execute(step, arguments).await
            }
        }
    }

    async fn execute(&self, mut step: Step, mut arguments: Arguments) -> Result<Value, HostError> {
        loop {
            // One whose code cannot be executed again waits for the database, and asks for the same again.
            let again = (!self.run.how.resumable).then(|| (step.clone(), arguments.clone()));
            let why = match self.verbs.execute(self, step, arguments).await {
                Ok(StepReply::Finished(step)) => {
                    lock(&self.collected).writing.end(&step);
                    self.steps.fetch_add(1, Ordering::SeqCst);
                    self.bell.notify_waiters();
                    self.tell(RunProgress::Step((*step).clone()));
                    return answered(*step);
                }
                Ok(StepReply::Suspended(waiting)) => {
                    self.suspension.request(waiting);
                    return std::future::pending().await;
                }
                // Which of the two, ending it shows.
                Ok(StepReply::Ending) => return self.never(Interruption::Cancelled).await,
                Ok(StepReply::Unavailable(why)) => why,
                Err(error) if error.is_passing() => error.to_string(),
                // What is not journaled must not be seen by the code, so the code does not go on.
                Err(error) => return self.never(Interruption::NotJournaled(error.to_string())).await,
            };
            let Some((asked, given)) = again else {
                return self.never(Interruption::DatabaseFailed(why)).await;
            };
            self.ctx.clock.wait_until(self.ctx.clock.now() + BRIEFLY).await;
            let (run, position) = (asked.run_id, asked.position);
            let found = retry_while_unavailable(&self.ctx, || async {
                Ok(self.ctx.store.step(run, position).await?)
            })
            .await;
            match found {
                Ok(Some(found)) if found.finished_at.is_some() => return answered(found),
                Ok(found) => (step, arguments) = (found.unwrap_or(asked), given),
                Err(error) => return self.never(Interruption::DatabaseFailed(error.to_string())).await,
            }
        }
    }

    /// Writes a Step into the journal. A database that cannot be used for a moment is waited for, and by a Run whose code cannot be
    /// executed again for as long as it has time.
    pub(crate) async fn journal<F>(&self, step: &Step, mut write: impl FnMut() -> F) -> Result<(), Error>
    where
        F: Future<Output = Result<(), store::Error>>,
    {
        let until = if self.run.how.resumable { self.ctx.clock.now() + BRIEFLY } else { Timestamp::MAX };
        let is_again = AtomicBool::new(false);
        retry_while_unavailable_until(&self.ctx, until, || {
            let writing = write();
            async {
                let is_again = is_again.swap(true, Ordering::Relaxed);
                let written = writing.await;
                let failed = matches!(&written, Err(error) if error.is_passing());
                self.is_waiting_for_database.store(failed, Ordering::Relaxed);
                match written {
                    // It may have been written before, and only its answer was lost.
                    Err(error @ (store::Error::Unique { .. } | store::Error::GuardFailed { .. }))
                        if is_again =>
                    {
                        let found = self.ctx.store.step(step.run_id, step.position).await?;
                        let is_this = found.is_some_and(|found| {
                            found.lane == step.lane
                                && found.number == step.number
                                && found.verb == step.verb
                                && found.started_at == step.started_at
                                && found.finished_at == step.finished_at
                        });
                        if is_this { Ok(()) } else { Err(error.into()) }
                    }
                    written => Ok(written?),
                }
            }
        })
        .await
    }

    /// Ends the cell; the code never gets an answer.
    async fn never<T>(&self, why: Interruption) -> T {
        self.interrupt.set(why);
        std::future::pending().await
    }
}

impl Host for RunHost {
    fn verb(&self, lane: &str, verb: &str, arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let (inner, lane, verb) = (Arc::clone(&self.0), lane.to_owned(), verb.to_owned());
        Box::pin(async move { inner.answer(&lane, &verb, arguments).await })
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        let mut collected = lock(&self.0.collected);
        if let Some(text) = collected.held.push(stream, bytes, &self.0.redaction) {
            collected.print(stream, &text);
            self.0.tell(RunProgress::Output(stream, text));
            self.0.bell.notify_waiters();
        }
    }

    fn calls(&self, calls: Vec<CallRecord>) {
        let inner = &self.0;
        let mut collected = lock(&inner.collected);
        for record in calls {
            let call = collected.calls.record(record, &inner.run, &inner.prepared, &inner.redaction);
            if let (Some(call), Some(watch)) = (call, &inner.watch) {
                watch(inner.run.run_id, RunProgress::Call(call.clone()));
            }
        }
        drop(collected);
        inner.bell.notify_waiters();
    }

    fn yielded(&self, value: &Value) {
        if self.0.watch.is_some() {
            self.0.tell(RunProgress::Yielded(self.0.redaction.json(value.to_json())));
        }
    }
}

pub(super) fn request(arguments: &Arguments) -> serde_json::Value {
    let positional: Vec<_> = arguments.positional.iter().map(Value::to_json).collect();
    let named: serde_json::Map<_, _> =
        arguments.named.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
    json!({ "args": positional, "kwargs": named })
}

/// The result of a Step as the code receives it.
pub(super) fn answered(step: Step) -> Result<Value, HostError> {
    if let Some(RunError { type_name, message, .. }) = step.error {
        return Err(match type_name.as_str() {
            REFUSED => HostError::Refused(message),
            BUDGET_EXHAUSTED => HostError::Exhausted(message),
            _ => HostError::Failed(message),
        });
    }
    let result = step.result.unwrap_or_default();
    Value::from_json(&result).map_err(|error| HostError::Failed(format!("cannot read the answer: {error}")))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
