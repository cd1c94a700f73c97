//! The host of one Run: answers what its code asks, journals it, and collects what the code does.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::access::Access;
use model::call::Call;
use model::ids::RunId;
use model::output::{OutputChunk, OutputStream};
use model::run::{Lease, Run, RunError};
use model::step::Step;
use sandbox::environment::Progress;
use sandbox::{Arguments, BoxFuture, CallRecord, Host, HostError, Stream, Value};
use serde_json::json;
use tokio::sync::Notify;

use super::calls::Trace;
use super::drafts::Drafts;
use super::journal::{Journal, Place};
use super::output::Held;
use super::prepared::Prepared;
use super::running::{Interrupt, Interruption};
use super::verbs::{self, Answer};
use crate::app::error::Error;
use crate::ctx::Ctx;
use crate::redaction::Redaction;

/// What somebody who watches a Run hears.
#[derive(Clone, Debug)]
pub enum Happened {
    /// Its environment is being made.
    Environment(Progress),
    Output(Stream, String),
    Yielded(serde_json::Value),
    /// It has begun, or it has ended; its position tells it from others.
    Call(Call),
    Step(Step),
}

/// Hears what happens in a Run, as it happens. Must not block.
pub type Watch = Arc<dyn Fn(RunId, Happened) + Send + Sync>;

#[derive(Clone)]
pub(crate) struct RunHost(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) ctx: Ctx,
    pub(crate) run: Run,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) journal: Journal,
    pub(crate) interrupt: Interrupt,
    pub(crate) redaction: Arc<Redaction>,
    drafts: Mutex<Drafts>,
    /// Whether it may give its cell back while it waits.
    pub(crate) may_suspend: bool,
    /// The claim under which Steps are journaled. A replay has none: nothing new is done and nothing is written.
    lease: Option<Lease>,
    pub(crate) watch: Option<Watch>,
    collected: Mutex<Collected>,
    /// How many look on.
    pub(crate) watchers: AtomicUsize,
    /// Rung for those who look on.
    pub(crate) bell: Notify,
    /// Steps that have ended since the cell began.
    pub(crate) steps: AtomicU32,
}

/// What the code did.
#[derive(Default)]
pub(crate) struct Collected {
    held: Held,
    pub(crate) output: Vec<OutputChunk>,
    pub(crate) calls: Trace,
    /// No more comes.
    pub(crate) over: bool,
    /// It was taken for the record, because nobody looked on.
    pub(crate) gone: bool,
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
            ctx: parts.ctx,
            run: parts.run,
            prepared: parts.prepared,
            journal: parts.journal,
            interrupt: parts.interrupt,
            redaction: parts.redaction,
            drafts: Mutex::default(),
            lease: parts.lease,
            watch: parts.watch,
            collected: Mutex::default(),
            watchers: AtomicUsize::new(0),
            bell: Notify::new(),
            steps: AtomicU32::new(0),
        }))
    }

    /// All that was collected, when no more comes. Those who look on read it from here to its end.
    pub(crate) fn collected(&self) -> Collected {
        let inner = &self.0;
        let mut collected = lock(&inner.collected);
        for stream in [Stream::Stdout, Stream::Stderr] {
            if let Some(text) = collected.held.rest(stream, &inner.redaction) {
                collected.print(stream, &text);
                inner.tell(Happened::Output(stream, text));
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

impl Inner {
    /// What the Run may do of itself: what its starter may, and what its grants allow, which is what verbs it is offered.
    pub(crate) fn access(&self) -> Access {
        Access::of_run(self.run.run_id, &self.run.authority)
    }

    /// The claim that a Step has to be journaled under, so that nobody writes into the journal of a Run that others have.
    pub(crate) fn lease(&self) -> Result<Lease, Error> {
        self.lease.ok_or(Error::LeaseLost { run: self.run.run_id })
    }

    pub(crate) fn tell(&self, happened: Happened) {
        if let Some(watch) = &self.watch {
            watch(self.run.run_id, happened);
        }
    }

    /// Says to those who look on that no more comes.
    pub(crate) fn close(&self) {
        lock(&self.collected).over = true;
        self.bell.notify_waiters();
    }

    pub(crate) fn collected_so_far(&self) -> MutexGuard<'_, Collected> {
        lock(&self.collected)
    }

    pub(crate) fn drafts(&self) -> MutexGuard<'_, Drafts> {
        lock(&self.drafts)
    }

    async fn answer(&self, verb: &str, arguments: Arguments) -> Result<Value, HostError> {
        let request = self.redaction.json(request(&arguments));
        match self.journal.take(verb, request, self.ctx.clock.now()) {
            Err(divergence) => self.never(Interruption::Diverged(Box::new(divergence))).await,
            Ok(Place::Answered(step)) => {
                verbs::again(self, &step, &arguments).await?;
                answered(step)
            }
            Ok(Place::New(step)) if self.lease.is_none() => Err(HostError::Failed(format!(
                "the recorded run did not get this far: step {} is new, and a replay does nothing new",
                step.position
            ))),
            Ok(Place::New(step) | Place::Open(step)) => self.carry_out(step, arguments).await,
        }
    }

    async fn carry_out(&self, step: Step, arguments: Arguments) -> Result<Value, HostError> {
        match verbs::carry_out(self, step, arguments).await {
            Ok(Answer::Finished(step)) => {
                self.steps.fetch_add(1, Ordering::SeqCst);
                self.bell.notify_waiters();
                self.tell(Happened::Step((*step).clone()));
                answered(*step)
            }
            Ok(Answer::Suspended(waiting)) => self.never(Interruption::Suspended(waiting)).await,
            // What is not journaled must not be seen by the code, so the code does not go on.
            Err(error) => self.never(Interruption::Failed(error.to_string())).await,
        }
    }

    /// Ends the cell; the code never hears an answer.
    async fn never<T>(&self, why: Interruption) -> T {
        self.interrupt.set(why);
        std::future::pending().await
    }
}

impl Host for RunHost {
    fn verb(&self, verb: &str, arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let (inner, verb) = (Arc::clone(&self.0), verb.to_owned());
        Box::pin(async move { inner.answer(&verb, arguments).await })
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        let mut collected = lock(&self.0.collected);
        if let Some(text) = collected.held.push(stream, bytes, &self.0.redaction) {
            collected.print(stream, &text);
            self.0.tell(Happened::Output(stream, text));
            self.0.bell.notify_waiters();
        }
    }

    fn calls(&self, calls: Vec<CallRecord>) {
        let inner = &self.0;
        let mut collected = lock(&inner.collected);
        for record in calls {
            let call = collected.calls.hear(record, &inner.run, &inner.prepared, &inner.redaction);
            if let (Some(call), Some(watch)) = (call, &inner.watch) {
                watch(inner.run.run_id, Happened::Call(call.clone()));
            }
        }
        drop(collected);
        inner.bell.notify_waiters();
    }

    fn yielded(&self, value: &Value) {
        if self.0.watch.is_some() {
            self.0.tell(Happened::Yielded(self.0.redaction.json(value.to_json())));
        }
    }
}

fn request(arguments: &Arguments) -> serde_json::Value {
    let positional: Vec<_> = arguments.positional.iter().map(Value::to_json).collect();
    let named: serde_json::Map<_, _> =
        arguments.named.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
    json!({ "args": positional, "kwargs": named })
}

/// A Step as the code hears it.
fn answered(step: Step) -> Result<Value, HostError> {
    if let Some(RunError { type_name, message, .. }) = step.error {
        return Err(if type_name == verbs::REFUSED {
            HostError::Refused(message)
        } else {
            HostError::Failed(message)
        });
    }
    let result = step.result.unwrap_or_default();
    Value::from_json(&result).map_err(|error| HostError::Failed(format!("cannot read the answer: {error}")))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that holds these locks can panic half-way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
