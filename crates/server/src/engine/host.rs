//! The host of one Run: answers what its code asks, journals it, and collects what the code does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::ids::RunId;
use model::run::{Run, RunError};
use model::step::Step;
use sandbox::environment::Progress;
use sandbox::{Arguments, BoxFuture, CallRecord, Host, HostError, Stream, Value};
use serde_json::json;

use super::drafts::Drafts;
use super::journal::{Journal, Place};
use super::output::Held;
use super::prepared::Prepared;
use super::running::{Interrupt, Interruption};
use super::verbs::{self, Answer};
use crate::ctx::Ctx;
use crate::redaction::Redaction;

/// What somebody who watches a Run hears.
#[derive(Clone, Debug)]
pub enum Happened {
    /// Its environment is being made.
    Environment(Progress),
    Output(Stream, String),
    Yielded(serde_json::Value),
    Call(CallRecord),
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
    /// In a replay nothing new is done and nothing is written.
    pub(crate) replay: bool,
    pub(crate) watch: Option<Watch>,
    collected: Mutex<Collected>,
}

/// What the code did.
#[derive(Default)]
pub(crate) struct Collected {
    held: Held,
    pub(crate) output: Vec<(Stream, String)>,
    pub(crate) calls: Vec<CallRecord>,
}

/// What a host needs to know of its Run.
pub(crate) struct Parts {
    pub(crate) ctx: Ctx,
    pub(crate) run: Run,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) journal: Journal,
    pub(crate) interrupt: Interrupt,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) replay: bool,
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
            replay: parts.replay,
            watch: parts.watch,
            collected: Mutex::default(),
        }))
    }

    /// All that was collected, when no more comes.
    pub(crate) fn collected(&self) -> Collected {
        let mut collected = std::mem::take(&mut *lock(&self.0.collected));
        for stream in [Stream::Stdout, Stream::Stderr] {
            if let Some(text) = collected.held.rest(stream, &self.0.redaction) {
                self.0.tell(Happened::Output(stream, text.clone()));
                collected.output.push((stream, text));
            }
        }
        collected
    }
}

impl Inner {
    pub(crate) fn tell(&self, happened: Happened) {
        if let Some(watch) = &self.watch {
            watch(self.run.run_id, happened);
        }
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
            Ok(Place::New(step)) if self.replay => Err(HostError::Failed(format!(
                "the recorded run did not get this far: step {} is new, and a replay does nothing new",
                step.position
            ))),
            Ok(Place::New(step) | Place::Open(step)) => self.carry_out(step, arguments).await,
        }
    }

    async fn carry_out(&self, step: Step, arguments: Arguments) -> Result<Value, HostError> {
        match verbs::carry_out(self, step, arguments).await {
            Ok(Answer::Finished(step)) => {
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
            self.0.tell(Happened::Output(stream, text.clone()));
            collected.output.push((stream, text));
        }
    }

    fn calls(&self, calls: Vec<CallRecord>) {
        if self.0.watch.is_some() {
            for call in &calls {
                self.0.tell(Happened::Call(shown(call.clone(), &self.0.redaction)));
            }
        }
        lock(&self.0.collected).calls.extend(calls);
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

/// A Call without secrets.
fn shown(mut call: CallRecord, redaction: &Redaction) -> CallRecord {
    let strike_out = |value: &mut Value| {
        if let Ok(shown) = Value::from_json(&redaction.json(value.to_json())) {
            *value = shown;
        }
    };
    match &mut call {
        CallRecord::Begun { arguments, .. } => strike_out(arguments),
        CallRecord::Finished { result: Ok(output), .. } => strike_out(output),
        CallRecord::Finished { result: Err(error), .. } => {
            error.type_name = redaction.text(&error.type_name).into_owned();
            error.message = redaction.cut_text(&error.message);
        }
    }
    call
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
