//! What the runs of a graph do, node execution by node execution, for everybody who listens.
//!
//! The runs of one graph are read once for all who see the same of them, as long as somebody listens. Each listener has a bounded
//! queue of its own: one that does not keep up learns that it missed something, and delays nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::access::scope::Scope;
use model::access::verb::Verb;
use model::entry::EntryKind;
use model::ids::RunId;
use model::name::EntryName;
use model::run::RunState;
use sandbox::CancellationToken;
use serde_json::{Value, json};
use store::{RunFilter, Topic};
use tokio::sync::broadcast;

use super::executions::RunShown;
use crate::app::runs;
use crate::app::runs::nodes::{self, NodeFilter, NodeState};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::signals;

/// What servers that cannot be heard do is polled this often.
const LOOK: Duration = Duration::from_millis(500);
/// Runs that were recorded so long ago were seen. Clocks of servers differ.
const OVERLAP: Duration = Duration::from_secs(10);
/// So many executions are told before a listener misses some.
const QUEUE: usize = 256;
/// An execution that is longer is told without its values, which its listeners can ask for.
const MOST_BYTES: usize = 256 << 10;
const AT_ONCE: u32 = 200;
const RUNS: u32 = 1_000;
const OPEN: [RunState; 3] = [RunState::Queued, RunState::Running, RunState::Waiting];

pub(crate) struct GraphFeed {
    ctx: Ctx,
    stop: CancellationToken,
    watched: Mutex<Vec<Weak<Watched>>>,
}

/// A graph that somebody listens to.
struct Watched {
    graph: EntryName,
    scope: Scope,
    told: broadcast::Sender<Arc<Value>>,
    over: CancellationToken,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

/// One who listens.
pub(crate) struct Listener {
    pub(crate) executions: broadcast::Receiver<Arc<Value>>,
    _watched: Arc<Watched>,
}

impl GraphFeed {
    pub(crate) fn new(ctx: Ctx, stop: CancellationToken) -> GraphFeed {
        GraphFeed { ctx, stop, watched: Mutex::default() }
    }

    /// From now on: whatever is started after this has returned is told.
    pub(crate) async fn listen(&self, access: &Access, graph: &EntryName) -> Result<Listener, Error> {
        access.may_touch(Verb::ReadRuns, graph.as_str())?;
        if let Some(watched) = self.known(access, graph) {
            return Ok(Listener { executions: watched.told.subscribe(), _watched: watched });
        }
        let follow = Follow::begin(&self.ctx, access, graph).await?;
        let (told, executions) = broadcast::channel(QUEUE);
        let over = self.stop.child_token();
        let (graph, scope) = (graph.clone(), access.only().clone());
        let watched = Arc::new(Watched { graph, scope, told: told.clone(), over: over.clone() });
        self.watched().push(Arc::downgrade(&watched));
        tokio::spawn(follow.until(over, told));
        Ok(Listener { executions, _watched: watched })
    }

    fn known(&self, access: &Access, graph: &EntryName) -> Option<Arc<Watched>> {
        let mut watched = self.watched();
        watched.retain(|one| one.strong_count() > 0);
        let is_same = |one: &Arc<Watched>| one.graph == *graph && one.scope == *access.only();
        watched.iter().filter_map(Weak::upgrade).find(is_same)
    }

    fn watched(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Watched>>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one reader of the runs of a graph.
struct Follow {
    ctx: Ctx,
    access: Access,
    graph: EntryName,
    since: Timestamp,
    runs: BTreeMap<RunId, Followed>,
    /// Those that have ended and may be found again, with the times at which they were recorded.
    done: BTreeMap<RunId, Timestamp>,
}

struct Followed {
    shown: RunShown,
    /// The position of the last execution that was told.
    last: u32,
    /// Those that were told and have not ended.
    open: BTreeSet<u32>,
}

impl Follow {
    async fn begin(ctx: &Ctx, access: &Access, graph: &EntryName) -> Result<Follow, Error> {
        let now = ctx.clock.now();
        let mut follow = Follow {
            ctx: ctx.clone(),
            access: access.clone(),
            graph: graph.clone(),
            since: now - OVERLAP,
            runs: BTreeMap::new(),
            done: BTreeMap::new(),
        };
        // What these have done so far is the past.
        let open = RunFilter { states: OPEN.to_vec(), ..RunFilter::default() };
        let recent = RunFilter { since: Some(follow.since), ..RunFilter::default() };
        for filter in [open, recent] {
            follow.take_new(filter).await?;
        }
        let mut past = Vec::new();
        for run in follow.runs.keys().copied().collect::<Vec<_>>() {
            follow.read(run, &mut past).await?;
        }
        Ok(follow)
    }

    async fn until(mut self, over: CancellationToken, told: broadcast::Sender<Arc<Value>>) {
        let (mut graphs, mut events) = (self.ctx.signals.graphs(), self.ctx.signals.on(Topic::Events));
        while !over.is_cancelled() {
            let mut news = Vec::new();
            if let Err(error) = self.look(&mut news).await {
                tracing::warn!("cannot read the runs of graph `{}`: {error}", self.graph);
            }
            // Whoever listens may have gone meanwhile.
            news.into_iter().for_each(|one| drop(told.send(Arc::new(one))));
            tokio::select! {
                () = over.cancelled() => {}
                () = graphs.changed() => {}
                () = events.changed() => {}
                () = self.ctx.clock.wait_until(self.ctx.clock.now() + signals::net(&self.ctx, LOOK)) => {}
            }
        }
    }

    /// What has happened since the last time.
    async fn look(&mut self, news: &mut Vec<Value>) -> Result<(), Error> {
        let now = self.ctx.clock.now();
        self.take_new(RunFilter { since: Some(self.since), ..RunFilter::default() }).await?;
        for run in self.runs.keys().copied().collect::<Vec<_>>() {
            self.read(run, news).await?;
        }
        self.since = now - OVERLAP;
        self.done.retain(|_, at| *at >= self.since);
        Ok(())
    }

    /// Follows the runs of the graph that are not followed yet.
    async fn take_new(&mut self, filter: RunFilter) -> Result<(), Error> {
        let filter = RunFilter { name: Some(self.graph.to_string()), ..filter };
        for run in runs::list(&self.ctx, &self.access, filter, RUNS).await? {
            let id = run.run_id;
            if run.key.kind != EntryKind::Graph || self.runs.contains_key(&id) || self.done.contains_key(&id)
            {
                continue;
            }
            match RunShown::of(&self.ctx, &self.access, &self.graph, id).await {
                Ok(shown) => {
                    self.runs.insert(id, Followed { shown, last: 0, open: BTreeSet::new() });
                }
                Err(error) if error.is_passing() => return Err(error),
                // It cannot be shown, as one that is pruned by now.
                Err(_) => {
                    self.done.insert(id, run.created_at);
                }
            }
        }
        Ok(())
    }

    async fn read(&mut self, id: RunId, news: &mut Vec<Value>) -> Result<(), Error> {
        let Some(followed) = self.runs.get_mut(&id) else { return Ok(()) };
        // The state first: whatever a run did before its end is there when the end is.
        match runs::get(&self.ctx, &self.access, id).await {
            Ok(run) => followed.shown.is_now(run),
            // It is pruned.
            Err(Error::RunNotFound { .. }) => {
                self.runs.remove(&id);
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        followed.read_open(&self.ctx, &self.access, id, news).await?;
        followed.read_new(&self.ctx, &self.access, id, news).await?;
        let run = followed.shown.run();
        if run.state.is_final() {
            self.done.insert(id, run.created_at);
            self.runs.remove(&id);
        }
        Ok(())
    }
}

impl Followed {
    async fn read_new(
        &mut self,
        ctx: &Ctx,
        access: &Access,
        run: RunId,
        news: &mut Vec<Value>,
    ) -> Result<(), Error> {
        loop {
            let filter = NodeFilter { after: self.last, limit: AT_ONCE, ..NodeFilter::default() };
            let (executions, is_more) = nodes::list(ctx, access, run, &filter).await?;
            for execution in executions {
                self.last = execution.position;
                if execution.state == NodeState::Running {
                    self.open.insert(execution.position);
                }
                news.extend(self.shown.execution(&execution).map(bounded));
            }
            if !is_more {
                return Ok(());
            }
        }
    }

    /// Those that have ended since, or whose run has.
    async fn read_open(
        &mut self,
        ctx: &Ctx,
        access: &Access,
        run: RunId,
        news: &mut Vec<Value>,
    ) -> Result<(), Error> {
        let mut next = self.open.first().copied();
        while let Some(position) = next {
            let filter = NodeFilter { after: position - 1, limit: AT_ONCE, ..NodeFilter::default() };
            let (executions, _) = nodes::list(ctx, access, run, &filter).await?;
            let read = executions.last().map_or(position, |last| last.position);
            for execution in executions {
                let is_over = execution.state != NodeState::Running || self.shown.run().state.is_final();
                if is_over && self.open.remove(&execution.position) {
                    news.extend(self.shown.execution(&execution).map(bounded));
                }
            }
            next = self.open.range(read + 1..).next().copied();
        }
        Ok(())
    }
}

fn bounded(mut execution: Value) -> Value {
    if execution.to_string().len() > MOST_BYTES {
        execution["input_data"] = json!({});
        execution["output_data"] = json!({});
    }
    execution
}
