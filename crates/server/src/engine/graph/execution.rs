//! The loop of a Run of a Graph: does what the scheduler says, journals it, and waits for what comes of it.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use model::graph::builtin::{Answer, Effect, Output, WaitTime, execute as execute_builtin};
use model::graph::scheduler::{Action, EndState, ExecutionId, Happened, Plan, State};
use model::graph::{GraphContent, Node, Values};
use model::ids::RunId;
use model::input::json_size::json_size;
use model::name::EntryName;
use model::run::question;
use model::run::step::Step;
use model::run::{End, Ending, Lease, Outcome, RunError, RunState};
use model::version::VersionNumber;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use super::journal::GraphJournal;
use super::node::{Call, NodeEvent, NodeTarget, call};
use super::opening::{Outputs, open};
use super::results::{self, failure};
use super::template::render;
use super::waiting::{Held, Waits};
use crate::ctx::Ctx;
use crate::engine::execution::host::{Happened as Told, RunHost};
use crate::engine::node::database_retry::patiently;
use crate::error::Error;
use crate::prepare::{Gives, PreparedGraph};

/// So many rows are written at once.
const TURN: usize = 2_000;
/// So many Runs of nodes are under way at once in one Run of a Graph; the next wait for their turn.
const AT_ONCE: usize = 32;
/// How often it looks whether it may go on from a breakpoint, while other nodes are under way.
const LISTEN: Duration = Duration::from_millis(500);
/// So many nodes that are held are named in the record of the Run.
const SHOWN_HELD: usize = 20;
/// A year bounds what can be meant.
const LONGEST_WAIT: f64 = 366.0 * 86_400.0;

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
    let opened = open(&host.0.ctx, &host.0.run, graph, plan, input, lease.fence == 1).await?;
    let (events_in, events) = unbounded_channel();
    let journal = GraphJournal::new(host, lease, &opened);
    GraphRun {
        host,
        graph,
        plan,
        is_new: opened.is_new,
        state: opened.state,
        actions: opened.actions.into(),
        outputs: opened.outputs,
        journal,
        effects: HashMap::new(),
        waits: Waits::default(),
        ready: VecDeque::new(),
        under_way: 0,
        told: Vec::new(),
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
    /// Nothing has happened in it, so nobody has told it anything.
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
    /// Outputs that nobody was told of.
    told: Vec<(String, Value)>,
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
            self.hear_commands().await?;
        }
        loop {
            self.settle().await?;
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
            // Whoever lets it go on may do so while other nodes are under way.
            let listen = self.state.is_held().then(|| now + LISTEN);
            let wake =
                [self.waits.next(), deadline, listen].into_iter().flatten().min().unwrap_or(Timestamp::MAX);
            let clock = self.ctx().clock.clone();
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => self.hear_all(event)?,
                () = clock.wait_until(wake) => {
                    self.hear_times()?;
                    if self.state.is_held() {
                        self.hear_commands().await?;
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
        Some(run.started_at.unwrap_or(run.created_at) + Duration::from_millis(run.how.timeout_ms?))
    }

    /// Does everything that can be done at once, writes it, and starts what follows from it.
    async fn settle(&mut self) -> Result<(), Error> {
        while let Some(action) = self.actions.pop_front() {
            match action {
                Action::Execute { execution, input } => self.execute(execution, &input)?,
                Action::Output { name, value } => {
                    self.outputs.give(name.clone(), &value);
                    if self.host.0.watch.is_some() {
                        self.told.push((name, Value::clone(&value)));
                    }
                }
                Action::Reject { execution, pin, message } => self.rejected(execution, &pin, &message),
                Action::Finish(outcome) => self.outputs.ended = Some(outcome),
                // What is held is in the state, until somebody lets it go on. A Run that is cancelled is interrupted.
                Action::Cancel { .. } | Action::Hold { .. } | Action::HoldValue { .. } => {}
            }
            if self.journal.pending() >= TURN {
                self.write().await?;
                // Others have to be heard in a Graph that is busy with itself.
                tokio::task::yield_now().await;
            }
            if self.over.is_some() {
                break;
            }
        }
        self.write().await?;
        self.launch();
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Error> {
        self.journal.write(self.host).await?;
        for (name, value) in self.told.drain(..) {
            self.host.0.tell(Told::Yielded(json!({ "$tuple": [name, value] })));
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
        if let Some(outputs) = self.pinned(execution) {
            return self.at_once(execution, input, Ok(outputs));
        }
        let Some(builtin) = self.plan.builtin(execution.node) else {
            return self.call_block(execution, input);
        };
        match execute_builtin(builtin, input, &render) {
            Answer::Outputs(outputs) => self.at_once(execution, input, Ok(outputs)),
            Answer::Failed(message) => self.at_once(execution, input, Err(failure("ValueError", &message))),
            Answer::Effect(effect) => self.effect(execution, input, effect),
        }
    }

    /// What a node is to give without being executed.
    fn pinned(&self, execution: ExecutionId) -> Option<Vec<Output>> {
        self.host.0.run.how.graph.as_ref()?.outputs_of(&self.node(execution).id)
    }

    /// What people said: about breakpoints, or that a run that failed goes on.
    async fn hear_commands(&mut self) -> Result<(), Error> {
        let (ctx, run) = (self.ctx().clone(), self.host.0.run.run_id);
        let commands = patiently(&ctx, || async { Ok(ctx.store.graph_commands(run).await?) }).await?;
        for (number, happened) in commands {
            // What was let go on twice goes on once.
            if let Ok(actions) = self.state.apply(self.plan, happened.clone()) {
                if happened == Happened::Resumed {
                    self.outputs.ended = None;
                }
                self.journal.note(None, happened);
                self.actions.extend(actions);
            }
            self.journal.heard(number);
        }
        Ok(())
    }

    /// An execution that is over as soon as it is begun.
    fn at_once(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        outputs: Result<Vec<Output>, RunError>,
    ) -> Result<(), Error> {
        let position = self.journal.steps() + 1;
        let error = self.apply_end(execution, position, 0, outputs)?;
        let (node, now) = (self.node(execution).id.clone(), self.ctx().clock.now());
        self.journal.whole(execution, &node, input, error, now);
        Ok(())
    }

    /// Outputs from the one that was not applied yet, and the end. Says why it failed, if it did.
    fn apply_end(
        &mut self,
        execution: ExecutionId,
        position: u32,
        applied: u32,
        outputs: Result<Vec<Output>, RunError>,
    ) -> Result<Option<RunError>, Error> {
        let mut failed = None;
        match outputs {
            Ok(outputs) => {
                for (index, (pin, value)) in (0..).zip(outputs).skip(applied as usize) {
                    if failed.is_none() {
                        failed = self.emit(execution, position, index, pin, value)?;
                    }
                }
            }
            Err(error) => failed = Some(error),
        }
        let happened = match &failed {
            None => Happened::Finished { execution },
            Some(error) => Happened::Failed { execution, error: results::text(error) },
        };
        let rejected = self.happen(position, happened)?.into_iter().find_map(|action| match action {
            Action::Reject { pin, message, .. } => {
                Some(failure("TypeError", &format!("pin `{pin}`: {message}")))
            }
            _ => None,
        });
        Ok(failed.or(rejected))
    }

    /// Answers why the value cannot leave, if so.
    fn emit(
        &mut self,
        execution: ExecutionId,
        position: u32,
        index: u32,
        pin: String,
        value: std::sync::Arc<Value>,
    ) -> Result<Option<RunError>, Error> {
        let most = self.ctx().engine.config.bounds.link_bytes;
        let bytes = json_size(&*value);
        if bytes > most {
            let message = format!(
                "the value on pin `{pin}` has {bytes} bytes, and a link carries at most {most}; write it to a file and \
                 pass its name"
            );
            return Ok(Some(failure("ValueTooLarge", &message)));
        }
        let rejected = self.happen(position, Happened::Emitted { execution, index, pin, value })?;
        Ok(rejected.into_iter().find_map(|action| match action {
            Action::Reject { pin, message, .. } => {
                Some(failure("TypeError", &format!("pin `{pin}`: {message}")))
            }
            _ => None,
        }))
    }

    /// Applies it and notes it. What is to be done now is queued; that this very execution is rejected is answered.
    fn happen(&mut self, position: u32, happened: Happened) -> Result<Vec<Action>, Error> {
        let execution = match &happened {
            Happened::Emitted { execution, .. }
            | Happened::Finished { execution }
            | Happened::Failed { execution, .. } => Some(*execution),
            _ => None,
        };
        let actions = self.state.apply(self.plan, happened.clone()).map_err(|problem| Error::Input {
            problem: format!("the graph cannot go on: {problem}"),
            hint: "this is a bug of the server; run the graph again".to_owned(),
        })?;
        self.journal.note(Some(position), happened);
        let is_own = |action: &Action| matches!(action, Action::Reject { execution: rejected, .. } if Some(*rejected) == execution);
        let (own, others): (Vec<Action>, Vec<Action>) = actions.into_iter().partition(is_own);
        self.actions.extend(others);
        Ok(own)
    }

    /// An execution whose input does not fit: it was never started.
    fn rejected(&mut self, execution: ExecutionId, pin: &str, message: &str) {
        let (node, now) = (self.node(execution).id.clone(), self.ctx().clock.now());
        let error = failure("TypeError", &format!("pin `{pin}`: {message}"));
        self.journal.whole(execution, &node, &Values::new(), Some(error), now);
    }

    fn effect(&mut self, execution: ExecutionId, input: &Values, effect: Effect) -> Result<(), Error> {
        match &effect {
            Effect::Wait { time, .. } => {
                let time = time.clone();
                let step = self.begin(execution, input, None);
                let until = match time {
                    WaitTime::Until(until) => until,
                    WaitTime::Seconds(seconds) => {
                        step.started_at + Duration::from_secs_f64(seconds.min(LONGEST_WAIT))
                    }
                };
                self.waits.for_time(execution, until, step.position);
                self.effects.insert(execution, effect);
                if until <= self.ctx().clock.now() { self.hear_times() } else { Ok(()) }
            }
            Effect::Ask { question } => {
                if !self.host.0.may_suspend {
                    let message = "the input of this run holds a secret that is not recorded, so it cannot wait for a person";
                    return self.at_once(execution, input, Err(failure("Refused", message)));
                }
                let question = self.host.0.redaction.json(question.clone());
                let is_new = self.journal.begun(execution).is_none();
                let step = self.begin(execution, input, None);
                if is_new {
                    let now = self.ctx().clock.now();
                    let event = question::event(&self.host.0.run, step.position, &question, now);
                    self.journal.tell(event);
                }
                if step.finished_at.is_some() {
                    let answer = step.result.clone().unwrap_or_default();
                    return self.ended(execution, Ok(effect.outputs(answer)));
                }
                self.waits.for_person(execution, step.position, question);
                self.effects.insert(execution, effect);
                Ok(())
            }
            Effect::Call { name, version, input: given } => {
                let target = match EntryName::new(name) {
                    Ok(name) => NodeTarget {
                        name,
                        version: version.map(VersionNumber),
                        is_written: self.is_written(execution),
                    },
                    Err(error) => {
                        return self.at_once(
                            execution,
                            input,
                            Err(failure("ValueError", &error.to_string())),
                        );
                    }
                };
                self.begin_call(execution, input, target, Gives::Value, given.clone());
                Ok(())
            }
        }
    }

    /// Whether the name of what it calls is a constant of the Graph.
    fn is_written(&self, execution: ExecutionId) -> bool {
        let is_linked = |link: &model::graph::Link| {
            link.to == self.node(execution).id && matches!(link.to_pin.as_str(), "graph" | "version")
        };
        self.node(execution).calls().is_some() && !self.graph.content.links.iter().any(is_linked)
    }

    fn call_block(&mut self, execution: ExecutionId, input: &Values) -> Result<(), Error> {
        let node = self.node(execution);
        let (name, version) = (EntryName::new(&node.block), node.version);
        let (Ok(name), Some(called)) = (name, self.graph.called(execution.node)) else {
            let error = failure("NotFound", &format!("`{}` is not stored", node.block));
            return self.at_once(execution, input, Err(error));
        };
        let gives = called.gives;
        let given = input.iter().map(|(pin, value)| (pin.clone(), Value::clone(value))).collect();
        self.begin_call(execution, input, NodeTarget { name, version, is_written: true }, gives, given);
        Ok(())
    }

    fn begin_call(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        target: NodeTarget,
        gives: Gives,
        given: Map<String, Value>,
    ) {
        let new = self.ctx().ids.run();
        let step = self.begin(execution, input, Some(new));
        let node = self.node(execution);
        let seconds = node.timeout.as_ref().and_then(serde_json::Number::as_f64);
        self.ready.push_back(Call {
            execution,
            child: step.child.unwrap_or(new),
            target,
            gives,
            input: given,
            retries: node.retries,
            timeout_ms: seconds.map(|seconds| (seconds * 1_000.0) as u64),
        });
    }

    /// The Step of an execution: of this one, or of one that was interrupted.
    fn begin(&mut self, execution: ExecutionId, input: &Values, child: Option<RunId>) -> Step {
        if let Some(step) = self.journal.begun(execution) {
            return step.clone();
        }
        let (node, now) = (self.node(execution).id.clone(), self.ctx().clock.now());
        self.journal.begin(execution, &node, input, child, now)
    }

    /// Starts what is journaled, as far as there is room.
    fn launch(&mut self) {
        while self.under_way - self.waits.runs() < AT_ONCE {
            let Some(next) = self.ready.pop_front() else { return };
            self.under_way += 1;
            self.tasks.spawn(call(self.host.clone(), next, self.events_in.clone()));
        }
    }

    fn hear_all(&mut self, first: NodeEvent) -> Result<(), Error> {
        self.hear(first)?;
        while self.journal.pending() < TURN {
            let Ok(event) = self.events.try_recv() else { break };
            self.hear(event)?;
        }
        Ok(())
    }

    fn hear(&mut self, event: NodeEvent) -> Result<(), Error> {
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

    fn hear_times(&mut self) -> Result<(), Error> {
        for execution in self.waits.due(self.ctx().clock.now()) {
            self.waits.no_longer(execution);
            if let Some(effect) = self.effects.remove(&execution) {
                self.ended(execution, Ok(effect.outputs(Value::Null)))?;
            }
        }
        Ok(())
    }

    /// Of an execution that was journaled as begun. It may be over already, because what it gave did not fit.
    fn ended(&mut self, execution: ExecutionId, outputs: Result<Vec<Output>, RunError>) -> Result<(), Error> {
        let Some(step) = self.journal.begun(execution) else { return Ok(()) };
        let (position, applied) = (step.position, self.state.emitted(execution));
        let error = self.apply_end(execution, position, applied, outputs)?;
        let now = self.ctx().clock.now();
        self.journal.end(execution, error, now);
        Ok(())
    }

    /// Ends the Run of a node that gave what does not fit.
    fn stop(&mut self, execution: ExecutionId) {
        let Some(child) = self.journal.begun(execution).and_then(|step| step.child) else { return };
        let host = self.host.clone();
        self.tasks.spawn(async move {
            crate::engine::execution::end_run(&host.0.ctx, child, host.0.run.run_id).await;
        });
    }

    fn waiting(&self, now: Timestamp) -> Option<model::run::Waiting> {
        let run = &self.host.0.run;
        let is_idle = self.ready.is_empty() && self.under_way == self.waits.runs() && self.events.is_empty();
        if !is_idle || !self.host.0.may_suspend {
            return None;
        }
        let since = run.started_at.unwrap_or(run.created_at);
        self.waits.waiting(since, now, self.ctx().engine.config.hold, self.held())
    }

    fn held(&self) -> Option<Held> {
        if !self.state.is_held() {
            return None;
        }
        let nodes = self.state.held(self.plan).into_iter().take(SHOWN_HELD);
        let nodes = nodes.map(|(execution, _)| self.node(execution).id.clone()).collect();
        Some(Held { nodes, values: self.state.held_values().count() })
    }

    fn end(mut self) -> End {
        let Some(outcome) = self.outputs.ended.take() else { return End::cancelled(None) };
        for (name, count) in self.outputs.counts.iter().filter(|(_, count)| **count > 1) {
            let text = format!(
                "output `{name}` was given {count} values; the result has the last one. Put `@collect` before it to get all.\n"
            );
            sandbox::Host::output(self.host, sandbox::Stream::Stderr, text.as_bytes());
        }
        let output = Value::Object(std::mem::take(&mut self.outputs.last));
        match outcome.state {
            // It had no cell, so there is nothing that it used of one.
            EndState::Succeeded => End {
                state: RunState::Succeeded,
                ending: Some(Ending::Returned),
                output: Some(output),
                error: None,
                usage: None,
            },
            EndState::Cancelled => End::cancelled(None),
            EndState::Failed => End {
                state: RunState::Failed,
                ending: Some(Ending::Raised),
                output: None,
                error: Some(failure("GraphFailed", &outcome.to_string())),
                usage: None,
            },
        }
    }
}

fn timed_out() -> End {
    let message = "the graph used up its time; give its run more with `timeout`";
    End::failed("TimedOut", message, Some(Ending::TimedOut))
}
