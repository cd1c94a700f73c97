//! An executor that does what a test says instead of running Python, and a brain to use it with.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use model::ids::RunId;
use model::run::{Run, RunState};
use sandbox::{
    Arguments, BoxFuture, CallError, CallRecord, CancellationToken, Ending, Exception, Host, HostError,
    Killer, Outcome, Stream, Usage, Value,
};
use serde_json::{Value as Json, json};
use server::app::runs::{self, StartRun, Target};
use server::clock::Clock;
use server::engine::{Executed, ExecutionError, Executor, ProgressListener, Work};
use server::ids::Ids;
use server::{Config, Ctx, Error};
use store::testing::TestDatabase;
use tempfile::TempDir;

use crate::world::{ME, NOON, name, source};

/// What a function does in a test.
pub(crate) type Part = Arc<dyn Fn(Work, Asking) -> BoxFuture<Result<Value, Exception>> + Send + Sync>;

/// The host, as a script asks it.
#[derive(Clone)]
pub(crate) struct Asking {
    host: Arc<dyn Host>,
}

impl Asking {
    pub(crate) async fn verb(&self, verb: &str, positional: Vec<Value>) -> Result<Value, HostError> {
        self.verb_in("main", verb, positional).await
    }

    /// Asked for by a thread.
    pub(crate) async fn verb_in(
        &self,
        lane: &str,
        verb: &str,
        positional: Vec<Value>,
    ) -> Result<Value, HostError> {
        self.host.verb(lane, verb, Arguments { positional, ..Arguments::default() }).await
    }

    pub(crate) fn print(&self, text: &str) {
        self.host.output(Stream::Stdout, text.as_bytes());
    }

    pub(crate) fn eprint(&self, text: &str) {
        self.host.output(Stream::Stderr, text.as_bytes());
    }

    /// A call with this argument, which answers it.
    pub(crate) fn call_with(&self, position: u32, text: &str) {
        let text = Value::from(text);
        let arguments = Value::Map(vec![("text".to_owned(), text.clone())]);
        let begun = CallRecord::Begun { position, parent: None, function: 0, arguments, at_us: 1 };
        self.host.calls(vec![begun, CallRecord::Finished { position, duration_us: 7, result: Ok(text) }]);
    }

    /// A call of the function at this place of the closure.
    pub(crate) fn call_of(
        &self,
        function: usize,
        position: u32,
        text: &str,
        result: Result<Value, CallError>,
    ) {
        let arguments = Value::Map(vec![("text".to_owned(), Value::from(text))]);
        let begun = CallRecord::Begun { position, parent: Some(1), function, arguments, at_us: 1 };
        self.host.calls(vec![begun, CallRecord::Finished { position, duration_us: 7, result }]);
    }

    pub(crate) fn call_begins(&self, position: u32) {
        self.host.calls(vec![begun(position)]);
    }

    pub(crate) fn call_ends(&self, position: u32) {
        self.host.calls(vec![finished(position)]);
    }

    /// One that has ended by the time it is told.
    pub(crate) fn call(&self, position: u32) {
        self.host.calls(vec![begun(position), finished(position)]);
    }
}

/// Of the function by itself.
fn begun(position: u32) -> CallRecord {
    let arguments = Value::Map(Vec::new());
    CallRecord::Begun { position, parent: None, function: 0, arguments, at_us: 1 }
}

fn finished(position: u32) -> CallRecord {
    CallRecord::Finished { position, duration_us: 7, result: Ok(Value::Int(1)) }
}

/// Plays the part of the function that is to be executed.
#[derive(Default)]
pub(crate) struct Script {
    parts: Mutex<BTreeMap<String, Part>>,
    pub(crate) executions: AtomicUsize,
    /// How often an environment was asked for, and whether none is ever ready.
    pub(crate) prepared: AtomicUsize,
    pub(crate) never_ready: AtomicBool,
    /// Whose shared cells were let go.
    pub(crate) released: Mutex<Vec<String>>,
}

impl Script {
    pub(crate) fn part<F, A>(&self, function: &str, part: F)
    where
        F: Fn(Work, Asking) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Value, Exception>> + Send + 'static,
    {
        let part: Part = Arc::new(move |work, asking| Box::pin(part(work, asking)));
        self.parts.lock().unwrap().insert(function.to_owned(), part);
    }
}

impl Executor for Script {
    fn execute(
        &self,
        work: Work,
        host: Arc<dyn Host>,
        _told: ProgressListener,
        cancel: CancellationToken,
    ) -> BoxFuture<Result<Executed, ExecutionError>> {
        self.executions.fetch_add(1, Ordering::SeqCst);
        let entry = work.closure.functions[work.closure.entry].name.clone();
        let part =
            self.parts.lock().unwrap().get(&entry).cloned().unwrap_or_else(|| panic!("no part `{entry}`"));
        Box::pin(async move {
            let asking = Asking { host };
            let ending = tokio::select! {
                biased;
                () = cancel.cancelled() => Ending::Killed { by: Killer::Cancel },
                played = part(work, asking) => match played {
                    Ok(value) => Ending::Returned(value),
                    Err(exception) => Ending::Raised(exception),
                },
            };
            let outcome =
                Outcome { ending, usage: Usage::default(), output_dropped_bytes: 0, calls_dropped: 0 };
            Ok(Executed { outcome, cold: false, refill: None })
        })
    }

    fn prepare(&self, _: Vec<String>, _: ProgressListener) -> BoxFuture<Result<(), ExecutionError>> {
        self.prepared.fetch_add(1, Ordering::SeqCst);
        if self.never_ready.load(Ordering::SeqCst) {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn release(&self, owner: &str) {
        self.released.lock().unwrap().push(owner.to_owned());
    }

    fn stop(&self) -> BoxFuture<()> {
        Box::pin(std::future::ready(()))
    }
}

pub(crate) fn raised(type_name: &str, message: &str) -> Exception {
    Exception {
        type_name: type_name.to_owned(),
        message: message.to_owned(),
        traceback: String::new(),
        cause: None,
        host: None,
        value: None,
    }
}

fn config(database: &TestDatabase, home: &TempDir) -> Config {
    Config::new(home.path().to_owned(), database.location().clone(), None)
}

/// A brain whose functions are played.
pub(crate) struct Stage {
    pub(crate) ctx: Ctx,
    pub(crate) script: Arc<Script>,
    home: Arc<TempDir>,
    stop: CancellationToken,
}

impl Stage {
    pub(crate) async fn open(database: &TestDatabase) -> Stage {
        let clock = Clock::still(NOON.parse::<Timestamp>().unwrap());
        let home = Arc::new(tempfile::tempdir().unwrap());
        Stage::at(config(database, &home), clock, home, Arc::default()).await
    }

    /// Executes one queued run at a time.
    pub(crate) async fn narrow(database: &TestDatabase) -> Stage {
        Stage::configured(database, |config| config.engine.at_once = 1).await
    }

    pub(crate) async fn configured(database: &TestDatabase, change: impl FnOnce(&mut Config)) -> Stage {
        let clock = Clock::still(NOON.parse::<Timestamp>().unwrap());
        let home = Arc::new(tempfile::tempdir().unwrap());
        let mut config = config(database, &home);
        change(&mut config);
        Stage::at(config, clock, home, Arc::default()).await
    }

    /// With the same ids each time.
    pub(crate) async fn counting(database: &TestDatabase) -> Stage {
        let clock = Clock::still(NOON.parse::<Timestamp>().unwrap());
        let home = Arc::new(tempfile::tempdir().unwrap());
        let (script, ids) = (Arc::<Script>::default(), Ids::counting(clock.clone()));
        let executor: Arc<dyn Executor> = Arc::clone(&script) as Arc<dyn Executor>;
        let ctx = Ctx::open_executing(config(database, &home), clock, ids, executor).await.unwrap();
        Stage { ctx, script, home, stop: CancellationToken::new() }
    }

    async fn at(config: Config, clock: Clock, home: Arc<TempDir>, script: Arc<Script>) -> Stage {
        let executor: Arc<dyn Executor> = Arc::clone(&script) as Arc<dyn Executor>;
        let ids = Ids::random(clock.clone());
        let ctx = Ctx::open_executing(config, clock, ids, executor).await.unwrap();
        Stage { ctx, script, home, stop: CancellationToken::new() }
    }

    /// Another server on the same brain, with the same clock and the same parts.
    pub(crate) async fn another(&self, database: &TestDatabase) -> Stage {
        let config = config(database, &self.home);
        Stage::at(config, self.ctx.clock.clone(), Arc::clone(&self.home), Arc::clone(&self.script)).await
    }

    /// Another one, whose clock is wrong.
    pub(crate) async fn another_at(&self, database: &TestDatabase, clock: Clock) -> Stage {
        let config = config(database, &self.home);
        Stage::at(config, clock, Arc::clone(&self.home), Arc::clone(&self.script)).await
    }

    /// Hears what other servers change, until the stage is dropped.
    pub(crate) async fn listen(&self) {
        let (store, stop) = (self.ctx.store.clone(), self.stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = store.listen() => {}
            }
        });
        while !self.ctx.store.receives_notifications() {
            tokio::task::yield_now().await;
        }
    }

    /// Matches Events until the stage is dropped.
    pub(crate) fn watch(&self) {
        tokio::spawn(server::triggers::watch(self.ctx.clone(), self.stop.clone()));
    }

    /// The data folder.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// Stores bare sources.
    pub(crate) async fn add(&self, sources: &[&str]) {
        let intents = sources.iter().map(|text| source(text)).collect();
        let proposal = server::app::changesets::drafts::Proposal::of("", intents);
        server::app::changesets::register(&self.ctx, &ME, &proposal).await.unwrap();
    }

    /// Stores a decorated source.
    pub(crate) async fn register(&self, text: &str) {
        let intent = server::app::functions::read_function(text, "test.py", None).unwrap();
        let proposal = server::app::changesets::drafts::Proposal::of("", vec![intent]);
        server::app::changesets::register(&self.ctx, &ME, &proposal).await.unwrap();
    }

    /// Waits until nothing is executed here.
    pub(crate) async fn settle(&self) {
        while server::engine::is_busy(&self.ctx) {
            tokio::task::yield_now().await;
        }
    }

    /// Works on the queue until the stage is dropped.
    pub(crate) fn work(&self) {
        tokio::spawn(server::engine::work(self.ctx.clone(), self.stop.clone()));
    }

    pub(crate) async fn start(&self, function: &str, input: Json) -> Result<Run, Error> {
        runs::start(&self.ctx, &ME, request(function, input)).await
    }

    pub(crate) async fn queue(&self, function: &str, input: Json) -> Run {
        runs::queue(&self.ctx, &ME, request(function, input)).await.unwrap()
    }

    /// Waits until the record says so.
    pub(crate) async fn until(&self, run: RunId, state: RunState) -> Run {
        loop {
            let found = runs::get(&self.ctx, &ME, run).await.unwrap();
            if found.state == state {
                return found;
            }
            assert!(!found.state.is_final(), "the run is {:?}: {:?}", found.state, found.error);
            tokio::task::yield_now().await;
        }
    }

    /// The last sequence number.
    pub(crate) async fn last_event(&self) -> u64 {
        let mut seq = 0;
        while let Some(last) = self.ctx.store.events_after(seq, 1000).await.unwrap().last() {
            seq = last.seq;
        }
        seq
    }

    /// Executes nothing any more.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Lets go of the database.
    pub(crate) async fn close(self) {
        self.stop.cancel();
        self.ctx.clone().close().await;
    }

    pub(crate) fn executions(&self) -> usize {
        self.script.executions.load(Ordering::SeqCst)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub(crate) fn request(function: &str, input: Json) -> StartRun {
    let input = match input {
        Json::Object(fields) => fields,
        other => panic!("an input is an object, not {other}"),
    };
    StartRun::of(Target::Live(name(function)), input)
}

/// A function that only has to exist: what it does is scripted.
pub(crate) fn function(name: &str, parameters: &str) -> String {
    format!("def {name}({parameters}):\n    return None\n")
}

pub(crate) fn empty() -> Json {
    json!({})
}
