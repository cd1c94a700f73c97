//! The loop of a Run of a Graph: executes the scheduler's actions, journals them, and waits for their results.

mod applying;
mod calls;
mod commands;
mod effects;
mod ending;
mod templates;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use model::graph::builtin::{Answer, Effect, Output, execute as execute_builtin};
use model::graph::scheduler::{Action, ExecutionId, Plan, State};
use model::graph::{GraphContent, Node, Values};
use model::ids::RunId;
use model::run::bounds::OverBound;
use model::run::step::Step;
use model::run::{End, Lease, Outcome, Waiting};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use self::commands::LISTEN;
pub(super) use self::ending::end_of;
use self::ending::{timed_out, too_much_data};
use super::journal::GraphJournal;
use super::node::{Call, NodeEvent};
use super::opening::{Outputs, open};
use super::results::failure;
use super::waiting::Waits;
use crate::ctx::Ctx;
use crate::engine::execution::host::{RunHost, RunProgress};
use crate::error::Error;
use crate::prepare::PreparedGraph;

pub(super) async fn execute(
    host: &RunHost,
    graph: &PreparedGraph,
    input: Value,
    lease: Lease,
) -> Result<Outcome, Error> {
    let plan = match &graph.plan {
        Ok(plan) => plan,
        Err(problem) => return Ok(Outcome::Ended(End::failed("GraphInvalid", problem.clone(), None))),
    };
    let (plan, opened) = open(&host.0.ctx, &host.0.run, graph, plan, input, lease.fence == 1).await?;
    let (events_in, events) = unbounded_channel();
    let journal = GraphJournal::new(host, lease, &opened);
    GraphRun {
        host,
        graph,
        plan: &plan,
        is_new: opened.is_new,
        state: opened.state,
        actions: opened.actions.into(),
        outputs: opened.outputs,
        journal,
        effects: HashMap::new(),
        waits: Waits::default(),
        ready: VecDeque::new(),
        under_way: 0,
        unreported: Vec::new(),
        over: None,
        tasks: JoinSet::new(),
        events,
        events_in,
    }
    .run()
    .await
}

struct GraphRun<'a> {
    host: &'a RunHost,
    graph: &'a PreparedGraph,
    plan: &'a Plan,
    /// Nothing has happened in it, so there are no commands either.
    is_new: bool,
    state: State,
    actions: VecDeque<Action>,
    outputs: Outputs,
    journal: GraphJournal,
    /// Of built-in blocks that are under way.
    effects: HashMap<ExecutionId, Effect>,
    waits: Waits,
    /// Calls that are journaled and not started.
    ready: VecDeque<Call>,
    /// Calls that are started and not ended.
    under_way: usize,
    /// Outputs that were not reported to watchers yet.
    unreported: Vec<(String, Value)>,
    /// Why it cannot go on.
    over: Option<End>,
    /// Dropping them ends only the watching: the Runs go on, and are found again.
    tasks: JoinSet<()>,
    events: UnboundedReceiver<NodeEvent>,
    events_in: UnboundedSender<NodeEvent>,
}

impl GraphRun<'_> {
    async fn run(mut self) -> Result<Outcome, Error> {
        let deadline = self.deadline();
        if !self.is_new {
            self.take_commands().await?;
        }
        loop {
            self.apply_all().await?;
            if let Some(end) = self.over.take() {
                return Ok(Outcome::Ended(end));
            }
            if self.outputs.ended.is_some() {
                return Ok(Outcome::Ended(self.end()));
            }
            let now = self.ctx().clock.now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Ok(Outcome::Ended(timed_out()));
            }
            if let Some(waiting) = self.waiting(now) {
                return Ok(Outcome::Waits(waiting));
            }
            // A breakpoint may be released while other nodes are running.
            let listen = self.state.is_held().then(|| now + LISTEN);
            let wake =
                [self.waits.next(), deadline, listen].into_iter().flatten().min().unwrap_or(Timestamp::MAX);
            let clock = self.ctx().clock.clone();
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => self.handle_all(event)?,
                () = clock.wait_until(wake) => {
                    self.take_due_times()?;
                    if self.state.is_held() {
                        self.take_commands().await?;
                    }
                }
            }
        }
    }

    fn ctx(&self) -> &Ctx {
        &self.host.0.ctx
    }

    fn node(&self, execution: ExecutionId) -> &Node {
        let GraphContent { nodes, .. } = &self.graph.content;
        &nodes[execution.node.0 as usize]
    }

    fn deadline(&self) -> Option<Timestamp> {
        let run = &self.host.0.run;
        let timeout = Duration::from_millis(run.how.timeout_ms?);
        // What lies beyond the last moment there is never comes.
        Some(run.started_at.unwrap_or(run.created_at).checked_add(timeout).unwrap_or(Timestamp::MAX))
    }

    /// Does everything that can be done at once, writes it, and starts what follows from it.
    async fn apply_all(&mut self) -> Result<(), Error> {
        while let Some(action) = self.actions.pop_front() {
            match action {
                Action::Execute { execution, input } => self.execute(execution, &input)?,
                Action::Output { name, value } => {
                    self.outputs.give(name.clone(), &value);
                    if self.host.0.watch.is_some() {
                        self.unreported.push((name, Value::clone(&value)));
                    }
                }
                Action::Reject { execution, pin, message } => self.rejected(execution, &pin, &message),
                Action::Finish(outcome) => self.outputs.ended = Some(outcome),
                // What is held is in the state, until somebody lets it go on. A Run that is cancelled is interrupted.
                Action::Cancel { .. } | Action::Hold { .. } | Action::HoldValue { .. } => {}
            }
            if self.journal.is_full() {
                self.write().await?;
                // Lets other tasks run while a Graph has much to do without waiting.
                tokio::task::yield_now().await;
            }
            if self.over.is_some() {
                break;
            }
        }
        self.write().await?;
        if self.over.is_none() {
            self.launch();
        }
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Error> {
        self.journal.write(self.host).await?;
        for (name, value) in self.unreported.drain(..) {
            self.host.0.tell(RunProgress::Yielded(json!({ "$tuple": [name, value] })));
        }
        Ok(())
    }

    fn execute(&mut self, execution: ExecutionId, input: &Values) -> Result<(), Error> {
        let most = self.ctx().engine.config.bounds.nodes;
        if self.journal.steps() >= most {
            let message = format!(
                "this run has had {most} node executions, the maximum for one run; divide the work between several runs"
            );
            self.over = Some(End::failed("TooManyNodes", message, None));
            return Ok(());
        }
        let most = self.ctx().engine.config.bounds.journal_bytes;
        if self.journal.bytes() > most {
            let node = self.node(execution).id.clone();
            self.over = Some(too_much_data(&OverBound::GraphJournal { node, most }));
            return Ok(());
        }
        if let Some(outputs) = self.pinned(execution) {
            return self.at_once(execution, input, Ok(outputs));
        }
        let Some(builtin) = self.plan.builtin(execution.node) else {
            return self.call_block(execution, input);
        };
        match execute_builtin(builtin, input) {
            Answer::Outputs(outputs) => self.at_once(execution, input, Ok(outputs)),
            Answer::Failed(message) => self.at_once(execution, input, Err(failure("ValueError", &message))),
            Answer::Effect(effect) => self.effect(execution, input, effect),
        }
    }

    /// What a node is to give without being executed.
    fn pinned(&self, execution: ExecutionId) -> Option<Vec<Output>> {
        self.host.0.run.how.graph.as_ref()?.outputs_of(&self.node(execution).id)
    }

    /// The Step of an execution: of this one, or of one that was interrupted.
    fn begin(&mut self, execution: ExecutionId, input: &Values, child: Option<RunId>) -> Step {
        if let Some(step) = self.journal.begun(execution) {
            return step.clone();
        }
        let (node, now) = (self.node(execution).id.clone(), self.ctx().clock.now());
        self.journal.begin(execution, &node, input, child, now)
    }

    fn handle_all(&mut self, first: NodeEvent) -> Result<(), Error> {
        self.handle(first)?;
        while !self.journal.is_full() {
            let Ok(event) = self.events.try_recv() else { break };
            self.handle(event)?;
        }
        Ok(())
    }

    fn handle(&mut self, event: NodeEvent) -> Result<(), Error> {
        match event {
            NodeEvent::Yielded { execution, index, output } => {
                let Some(step) = self.journal.begun(execution) else { return Ok(()) };
                if index < self.state.emitted(execution) {
                    return Ok(());
                }
                let position = step.position;
                let failed = match output {
                    Ok((pin, value)) => self.emit(execution, position, index, pin, value)?,
                    Err(error) => Some(error),
                };
                if let Some(error) = failed {
                    self.stop(execution);
                    self.ended(execution, Err(error))?;
                }
                Ok(())
            }
            NodeEvent::Waits { execution } => {
                self.waits.for_run(execution);
                Ok(())
            }
            NodeEvent::Ended { execution, outputs } => {
                self.under_way -= 1;
                self.waits.no_longer(execution);
                self.ended(execution, outputs)
            }
            NodeEvent::Lost { error } => Err(error),
        }
    }

    fn waiting(&self, now: Timestamp) -> Option<Waiting> {
        let run = &self.host.0.run;
        let is_idle = self.ready.is_empty() && self.under_way == self.waits.runs() && self.events.is_empty();
        if !is_idle || !self.host.0.may_suspend {
            return None;
        }
        let since = run.started_at.unwrap_or(run.created_at);
        self.waits.waiting(since, now, self.ctx().engine.config.hold, self.held())
    }
}
