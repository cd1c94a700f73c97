//! Makes the state of a Run of a Graph again from its journal.

use std::collections::HashMap;

use model::graph::builtin::Output;
use model::graph::scheduler::{Action, Outcome, Plan, State};
use model::graph::values;
use model::ids::RunId;
use model::run::Run;
use serde_json::{Map, Value};

use crate::ctx::Ctx;
use crate::engine::node::database_retry::patiently;
use crate::error::Error;
use crate::prepare::Callable;

/// Entries are read so many at a time.
const AT_ONCE: u32 = 2_000;

pub(super) struct Opened {
    pub(super) state: State,
    /// What is to be done now.
    pub(super) actions: Vec<Action>,
    pub(super) outputs: Outputs,
    /// Of the last entry.
    pub(super) seq: u64,
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
    run: RunId,
    plan: &Plan,
    input: Value,
    is_first: bool,
) -> Result<Opened, Error> {
    let (state, first) = State::start(plan, values(input));
    let mut opened = Opened { state, actions: Vec::new(), outputs: Outputs::default(), seq: 0 };
    if is_first {
        opened.actions = first;
        return Ok(opened);
    }
    let outputs = &mut opened.outputs;
    opened.seq = apply(ctx, run, plan, &mut opened.state, |action| outputs.take(action)).await?;
    if opened.seq == 0 {
        opened.actions = first;
        return Ok(opened);
    }
    let under_way = opened.state.under_way(plan).into_iter();
    opened.actions = under_way.map(|(execution, input)| Action::Execute { execution, input }).collect();
    Ok(opened)
}

/// Everything that a Run of a Graph gave, in order. Its record has only the last value of each output.
pub(super) async fn all_outputs(ctx: &Ctx, run: &Run) -> Result<Vec<Output>, Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    let mut outputs = Vec::new();
    if let Callable::Graph(graph, _) = &prepared.callable
        && let Ok(plan) = &graph.plan
    {
        let (mut state, _) = State::start(plan, values(run.input.clone()));
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
