//! Restores the state of a Run of a Graph from its journal.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::graph::builtin::Output;
use model::graph::scheduler::{
    Action, Happened, Impossible, NodeOutputs, Outcome, Plan, RecordedOutputs, Start, State,
};
use model::graph::values;
use model::ids::RunId;
use model::run::Run;
use model::run::step::Step;
use serde_json::{Map, Value};

use crate::ctx::Ctx;
use crate::engine::node::database_retry::retry_while_unavailable;
use crate::error::Error;
use crate::prepare::{Callable, PreparedGraph};

/// Entries are read so many at a time.
pub(super) const AT_ONCE: u32 = 2_000;

pub(super) struct Opened {
    pub(super) state: State,
    /// What is to be done now.
    pub(super) actions: Vec<Action>,
    pub(super) outputs: Outputs,
    /// Of the last entry.
    pub(super) seq: u64,
    /// Of the last Step.
    pub(super) position: u32,
    /// What counts of what is journaled.
    pub(super) bytes: u64,
    /// Steps that are not over, or that a person has answered: those are over only when the Graph has handled the answer.
    pub(super) open: Vec<Step>,
    /// Nothing has happened yet.
    pub(super) is_new: bool,
}

/// What the Graph gave: of each output the last value, and how many there were.
#[derive(Default)]
pub(super) struct Outputs {
    pub(super) last: Map<String, Value>,
    pub(super) counts: HashMap<String, u64>,
    pub(super) ended: Option<Outcome>,
}

impl Outputs {
    pub(super) fn give(&mut self, name: String, value: &Value) {
        *self.counts.entry(name.clone()).or_default() += 1;
        self.last.insert(name, value.clone());
    }

    pub(super) fn take(&mut self, action: Action) {
        match action {
            Action::Output { name, value } => self.give(name, &value),
            Action::Finish(outcome) => self.ended = Some(outcome),
            _ => {}
        }
    }
}

/// The plan is another one if only some nodes are executed.
pub(super) async fn open<'a>(
    ctx: &Ctx,
    run: &Run,
    graph: &PreparedGraph,
    plan: &'a Plan,
    input: Value,
    is_first: bool,
) -> Result<(Cow<'a, Plan>, Opened), Error> {
    let (plan, state, first) = begun(run, graph, plan, input)?;
    let mut opened = Opened {
        state,
        actions: Vec::new(),
        outputs: Outputs::default(),
        seq: 0,
        position: 0,
        bytes: 0,
        open: Vec::new(),
        is_new: false,
    };
    let is_resumed = run.how.graph.as_ref().is_some_and(|options| options.resumes.is_some());
    if is_first && !is_resumed {
        (opened.actions, opened.is_new) = (first, true);
        return Ok((plan, opened));
    }
    let id = run.run_id;
    (opened.position, opened.open) =
        retry_while_unavailable(ctx, || async { Ok(ctx.store.open_graph_steps(id).await?) }).await?;
    opened.bytes =
        retry_while_unavailable(ctx, || async { Ok(ctx.store.graph_journal_bytes(id).await?) }).await?;
    let outputs = &mut opened.outputs;
    opened.seq = apply(ctx, run.run_id, &plan, &mut opened.state, |action| outputs.take(action)).await?;
    if opened.seq == 0 {
        opened.actions = first;
        return Ok((plan, opened));
    }
    let under_way = opened.state.under_way(&plan).into_iter();
    opened.actions = under_way.map(|(execution, input)| Action::Execute { execution, input }).collect();
    Ok((plan, opened))
}

/// A run that has done nothing yet, with its plan, and what to do first.
pub(super) fn begun<'a>(
    run: &Run,
    graph: &PreparedGraph,
    plan: &'a Plan,
    input: Value,
) -> Result<(Cow<'a, Plan>, State, Vec<Action>), Error> {
    let (mut start, mut partial) = (Start::default(), None);
    if let Some(options) = &run.how.graph {
        (partial, start) = options.start(plan, values(input)).map_err(|refused| Error::Input {
            problem: format!("run {}: {refused}", run.run_id),
            hint: refused.hint().to_owned(),
        })?;
        start.breakpoints = options.breakpoints.of(&graph.content).map_err(|problem| Error::Input {
            problem: format!("run {}: {problem}", run.run_id),
            hint: "start it again, with breakpoints that are there".to_owned(),
        })?;
    } else {
        start.input = values(input);
    }
    let plan = partial.map_or(Cow::Borrowed(plan), Cow::Owned);
    // What is given was compared with the links, so nothing is refused.
    let (state, actions) = State::start_with(&plan, start).map_err(|refused| Error::Input {
        problem: refused.to_string(),
        hint: "run the graph again".to_owned(),
    })?;
    Ok((plan, state, actions))
}

/// Where a Run of a Graph stands, as far as that is journaled.
pub(crate) async fn state_of<'a>(
    ctx: &Ctx,
    run: &Run,
    graph: &PreparedGraph,
    plan: &'a Plan,
) -> Result<(Cow<'a, Plan>, State), Error> {
    let (plan, mut state, _) = begun(run, graph, plan, run.input.clone())?;
    let applied = apply(ctx, run.run_id, &plan, &mut state, |_| ()).await;
    applied.map_err(|error| match error {
        Error::Store(source) => Error::of_record(run.run_id, source),
        other => other,
    })?;
    Ok((plan, state))
}

/// What some nodes gave in a Run of a Graph. What it did not execute, it was given or had pinned.
pub(crate) async fn recorded_outputs(
    ctx: &Ctx,
    run: &Run,
    wanted: BTreeSet<String>,
) -> Result<BTreeMap<String, NodeOutputs>, Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    let mut recorded = RecordedOutputs::of(wanted.clone());
    if let Callable::Graph(graph, _) = &prepared.callable
        && let Ok(plan) = &graph.plan
    {
        let (plan, mut state, _) = begun(run, graph, plan, run.input.clone())?;
        let apply = |happened| recorded.apply(&plan, &mut state, happened).map(drop);
        each_entry(ctx, run.run_id, apply).await?;
    }
    let mut outputs = recorded.outputs;
    if let Some(options) = &run.how.graph {
        for node in wanted {
            let known = options.recorded.get(&node).or_else(|| options.pinned.get(&node));
            if let (Some(known), false) = (known, outputs.contains_key(&node)) {
                outputs.insert(node, known.clone());
            }
        }
    }
    Ok(outputs)
}

/// Everything that a Run of a Graph gave, in order. Its record has only the last value of each output.
pub(super) async fn all_outputs(ctx: &Ctx, run: &Run) -> Result<Vec<Output>, Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    let mut outputs = Vec::new();
    if let Callable::Graph(graph, _) = &prepared.callable
        && let Ok(plan) = &graph.plan
    {
        let (plan, mut state, _) = begun(run, graph, plan, run.input.clone())?;
        let take = |action| {
            if let Action::Output { name, value } = action {
                outputs.push((name, value));
            }
        };
        apply(ctx, run.run_id, &plan, &mut state, take).await?;
    }
    Ok(outputs)
}

/// Applies all that is journaled, and says which entry was the last. A Graph gives nothing before something has happened.
async fn apply(
    ctx: &Ctx,
    run: RunId,
    plan: &Plan,
    state: &mut State,
    mut take: impl FnMut(Action),
) -> Result<u64, Error> {
    each_entry(ctx, run, |happened| {
        state.apply(plan, happened)?.into_iter().for_each(&mut take);
        Ok(())
    })
    .await
}

async fn each_entry(
    ctx: &Ctx,
    run: RunId,
    mut apply: impl FnMut(Happened) -> Result<(), Impossible>,
) -> Result<u64, Error> {
    let mut seq = 0;
    loop {
        let entries =
            retry_while_unavailable(ctx, || async { Ok(ctx.store.graph_journal(run, seq, AT_ONCE).await?) })
                .await?;
        let Some(last) = entries.last() else { return Ok(seq) };
        seq = last.seq;
        for entry in entries {
            apply(entry.happened).map_err(|problem| Error::Input {
                problem: format!("the journal of run {run} does not belong to this version: {problem}"),
                hint: "run the graph again".to_owned(),
            })?;
        }
    }
}
