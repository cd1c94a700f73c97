//! Makes the state of a Run of a Graph again from its journal.

use std::collections::HashMap;

use model::graph::builtin::Output;
use model::graph::scheduler::{Action, Outcome, Plan, Start, State};
use model::graph::values;
use model::ids::RunId;
use model::run::Run;
use model::run::step::Step;
use serde_json::{Map, Value};

use crate::ctx::Ctx;
use crate::engine::node::database_retry::patiently;
use crate::error::Error;
use crate::prepare::{Callable, PreparedGraph};

/// Entries are read so many at a time.
const AT_ONCE: u32 = 2_000;

pub(super) struct Opened {
    pub(super) state: State,
    /// What is to be done now.
    pub(super) actions: Vec<Action>,
    pub(super) outputs: Outputs,
    /// Of the last entry.
    pub(super) seq: u64,
    /// Of the last Step.
    pub(super) position: u32,
    /// Steps that are not over, or that a person has answered: those are over only when the Graph has heard the answer.
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

    fn take(&mut self, action: Action) {
        match action {
            Action::Output { name, value } => self.give(name, &value),
            Action::Finish(outcome) => self.ended = Some(outcome),
            _ => {}
        }
    }
}

pub(super) async fn open(
    ctx: &Ctx,
    run: &Run,
    graph: &PreparedGraph,
    plan: &Plan,
    input: Value,
    is_first: bool,
) -> Result<Opened, Error> {
    let (state, first) = begun(run, graph, plan, input)?;
    let mut opened = Opened {
        state,
        actions: Vec::new(),
        outputs: Outputs::default(),
        seq: 0,
        position: 0,
        open: Vec::new(),
        is_new: false,
    };
    let is_resumed = run.how.graph.as_ref().is_some_and(|options| options.resumes.is_some());
    if is_first && !is_resumed {
        (opened.actions, opened.is_new) = (first, true);
        return Ok(opened);
    }
    let id = run.run_id;
    (opened.position, opened.open) =
        patiently(ctx, || async { Ok(ctx.store.open_graph_steps(id).await?) }).await?;
    let outputs = &mut opened.outputs;
    opened.seq = apply(ctx, run.run_id, plan, &mut opened.state, |action| outputs.take(action)).await?;
    if opened.seq == 0 {
        opened.actions = first;
        return Ok(opened);
    }
    let under_way = opened.state.under_way(plan).into_iter();
    opened.actions = under_way.map(|(execution, input)| Action::Execute { execution, input }).collect();
    Ok(opened)
}

/// A run that has done nothing yet, and what to do first.
fn begun(run: &Run, graph: &PreparedGraph, plan: &Plan, input: Value) -> Result<(State, Vec<Action>), Error> {
    let mut start = Start { input: values(input), ..Start::default() };
    if let Some(options) = &run.how.graph {
        start.breakpoints = options.breakpoints.of(&graph.content).map_err(|problem| Error::Input {
            problem: format!("run {}: {problem}", run.run_id),
            hint: "start it again, with breakpoints that are there".to_owned(),
        })?;
    }
    // Nothing is given here, so nothing can be refused.
    State::start_with(plan, start).map_err(|refused| Error::Input {
        problem: refused.to_string(),
        hint: "run the graph again".to_owned(),
    })
}

/// Where a Run of a Graph stands, as far as that is journaled.
pub(crate) async fn state_of(
    ctx: &Ctx,
    run: &Run,
    graph: &PreparedGraph,
    plan: &Plan,
) -> Result<State, Error> {
    let (mut state, _) = begun(run, graph, plan, run.input.clone())?;
    apply(ctx, run.run_id, plan, &mut state, |_| ()).await?;
    Ok(state)
}

/// Everything that a Run of a Graph gave, in order. Its record has only the last value of each output.
pub(super) async fn all_outputs(ctx: &Ctx, run: &Run) -> Result<Vec<Output>, Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    let mut outputs = Vec::new();
    if let Callable::Graph(graph, _) = &prepared.callable
        && let Ok(plan) = &graph.plan
    {
        let (mut state, _) = begun(run, graph, plan, run.input.clone())?;
        let take = |action| {
            if let Action::Output { name, value } = action {
                outputs.push((name, value));
            }
        };
        apply(ctx, run.run_id, plan, &mut state, take).await?;
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
    let mut seq = 0;
    loop {
        let entries =
            patiently(ctx, || async { Ok(ctx.store.graph_journal(run, seq, AT_ONCE).await?) }).await?;
        let Some(last) = entries.last() else { return Ok(seq) };
        seq = last.seq;
        for entry in entries {
            let actions = state.apply(plan, entry.happened).map_err(|problem| Error::Input {
                problem: format!("the journal of run {run} does not belong to this version: {problem}"),
                hint: "run the graph again".to_owned(),
            })?;
            actions.into_iter().for_each(&mut take);
        }
    }
}
