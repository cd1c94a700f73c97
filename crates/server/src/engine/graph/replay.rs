//! Replays a Run of a Graph from its journal. Nothing is executed but built-in blocks without effects: what nodes gave is read from the
//! journal, and what the scheduler makes of it is compared with what it made of it then.

use std::collections::{BTreeSet, HashMap};

use model::graph::builtin::{Answer, Effect, Output, execute as execute_builtin};
use model::graph::scheduler::{Action, ExecutionId, Happened, Plan};
use model::graph::{GraphContent, Values};
use model::phrase::cut;
use model::run::step::Step;
use model::run::{End, Run};
use sandbox::Expressions;
use serde_json::{Value, json};

use super::execution::end_of;
use super::journal::execution_of;
use super::opening::{AT_ONCE, Outputs, begun};
use super::results;
use super::template;
use crate::ctx::Ctx;
use crate::engine::node::database_retry::retry_while_unavailable;
use crate::error::Error;
use crate::prepare::PreparedGraph;

/// So much of a value is shown where two differ.
const SHOWN: usize = 300;
/// What stops a Run from outside, which is in no journal.
const FROM_OUTSIDE: [&str; 3] = ["TimedOut", "TooManyNodes", "GraphInvalid"];

/// How it ended this time.
pub(crate) struct GraphReplay {
    pub(crate) end: End,
    pub(crate) diverged: Option<String>,
    /// How many recorded executions it did not reach.
    pub(crate) steps_left: usize,
}

pub(crate) async fn replay_graph(
    ctx: &Ctx,
    run: &Run,
    graph: &PreparedGraph,
    steps: Vec<Step>,
) -> Result<GraphReplay, Error> {
    let Ok(plan) = &graph.plan else {
        return Ok(GraphReplay { end: as_recorded(run), diverged: None, steps_left: steps.len() });
    };
    let (plan, mut state, first) = begun(run, graph, plan, run.input.clone())?;
    let mut replay = Replaying {
        expressions: &ctx.expressions,
        run,
        content: &graph.content,
        plan: &plan,
        steps: steps.iter().filter_map(|step| Some((execution_of(step)?, step))).collect(),
        reached: BTreeSet::new(),
        expected: HashMap::new(),
        outputs: Outputs::default(),
        diverged: None,
    };
    replay.act(first);
    let mut seq = 0;
    'journal: loop {
        let entries = retry_while_unavailable(ctx, || async {
            Ok(ctx.store.graph_journal(run.run_id, seq, AT_ONCE).await?)
        })
        .await?;
        let Some(last) = entries.last() else { break };
        seq = last.seq;
        for entry in entries {
            if state.outcome().is_none() {
                replay.compare(&entry.happened);
            }
            if entry.happened == Happened::Resumed {
                replay.outputs.ended = None;
            }
            match state.apply(&plan, entry.happened) {
                Ok(actions) => replay.act(actions),
                Err(impossible) => replay.diverge(impossible.to_string()),
            }
            if replay.diverged.is_some() {
                break 'journal;
            }
        }
    }
    Ok(replay.ended(state.under_way(&plan).len()))
}

/// What an execution of a built-in block has to give, because it gave it then.
enum Expected {
    Outputs(Vec<Output>),
    Error(String),
}

struct Replaying<'a> {
    expressions: &'a Expressions,
    run: &'a Run,
    content: &'a GraphContent,
    plan: &'a Plan,
    steps: HashMap<ExecutionId, &'a Step>,
    reached: BTreeSet<ExecutionId>,
    expected: HashMap<ExecutionId, Expected>,
    outputs: Outputs,
    diverged: Option<String>,
}

impl Replaying<'_> {
    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Execute { execution, input } => self.begin(execution, &input),
                Action::Reject { execution, .. } => {
                    self.reached.insert(execution);
                }
                action => self.outputs.take(action),
            }
        }
    }

    fn begin(&mut self, execution: ExecutionId, input: &Values) {
        self.reached.insert(execution);
        if let Some(step) = self.steps.get(&execution) {
            let recorded = &step.request["input"];
            let asked = json!(input.iter().map(|(pin, value)| (pin, &**value)).collect::<HashMap<_, _>>());
            if *recorded != asked {
                let what = self.named(execution);
                self.diverge(format!(
                    "{what} got the input {}, and now gets {}",
                    shown(recorded),
                    shown(&asked)
                ));
            }
        }
        if let Some(expected) = self.expected_of(execution, input) {
            self.expected.insert(execution, expected);
        }
    }

    fn expected_of(&self, execution: ExecutionId, input: &Values) -> Option<Expected> {
        let node = &self.content.nodes[execution.node.0 as usize].id;
        if let Some(outputs) = self.run.how.graph.as_ref().and_then(|options| options.outputs_of(node)) {
            return Some(Expected::Outputs(outputs));
        }
        let outputs = match execute_builtin(self.plan.builtin(execution.node)?, input) {
            Answer::Outputs(outputs) => Ok(outputs),
            Answer::Failed(message) => Err(results::failure("ValueError", &message)),
            // Others are taken from the journal, as all effects are.
            Answer::Effect(Effect::Render { template, values }) => {
                let question = template::question(template, values);
                template::outputs(self.expressions.evaluate_plain(&question)?)
            }
            Answer::Effect(_) => return None,
        };
        Some(match outputs {
            Ok(outputs) => Expected::Outputs(outputs),
            Err(error) => Expected::Error(results::text(&error)),
        })
    }

    fn compare(&mut self, happened: &Happened) {
        let (execution, now) = match happened {
            Happened::Emitted { execution, index, pin, value } => {
                let now = match self.expected.get(execution) {
                    Some(Expected::Outputs(outputs)) => outputs.get(*index as usize),
                    Some(Expected::Error(_)) => None,
                    None => return,
                };
                if now.is_some_and(|(now_pin, now)| now_pin == pin && now == value) {
                    return;
                }
                let now =
                    now.map_or("nothing".to_owned(), |(pin, value)| format!("{} on `{pin}`", shown(value)));
                (*execution, format!("gave {} on `{pin}`, and now gives {now}", shown(value)))
            }
            Happened::Failed { execution, error } => match self.expected.get(execution) {
                Some(Expected::Error(now)) if now != error => {
                    (*execution, format!("failed with `{error}`, and now with `{now}`"))
                }
                _ => return,
            },
            Happened::Finished { execution } => match self.expected.get(execution) {
                Some(Expected::Error(now)) => (*execution, format!("succeeded, and now fails with `{now}`")),
                _ => return,
            },
            _ => return,
        };
        let what = self.named(execution);
        self.diverge(format!("{what} {now}"));
    }

    fn named(&self, execution: ExecutionId) -> String {
        format!("execution {} of node `{}`", execution.number, self.plan.node_id(execution.node))
    }

    fn diverge(&mut self, message: String) {
        self.diverged.get_or_insert(message);
    }

    fn ended(mut self, under_way: usize) -> GraphReplay {
        let steps_left = self.steps.keys().filter(|execution| !self.reached.contains(execution)).count();
        let output = Value::Object(std::mem::take(&mut self.outputs.last));
        let end = match (self.outputs.ended.take(), &self.diverged) {
            (Some(outcome), None) => end_of(&outcome, output),
            (None, None) if self.was_stopped() => as_recorded(self.run),
            (None, None) => {
                let message = format!("the journal ends while {under_way} executions are under way");
                self.diverge(message);
                diverged(self.diverged.as_deref())
            }
            (_, message) => diverged(message.as_deref()),
        };
        GraphReplay { end, diverged: self.diverged, steps_left }
    }

    /// Whether it ended, or has not ended, for reasons that are not in the journal.
    fn was_stopped(&self) -> bool {
        let is_from_outside = |error: &model::run::RunError| FROM_OUTSIDE.contains(&error.type_name.as_str());
        !self.run.state.is_final()
            || self.run.cancelled.is_some()
            || self.run.error.as_ref().is_some_and(is_from_outside)
    }
}

fn diverged(message: Option<&str>) -> End {
    End::failed("replay_diverged", message.unwrap_or_default().to_owned(), None)
}

fn as_recorded(run: &Run) -> End {
    End {
        state: run.state,
        ending: run.ending,
        output: run.output.clone(),
        error: run.error.clone(),
        usage: None,
    }
}

fn shown(value: &Value) -> String {
    format!("`{}`", cut(&value.to_string(), SHOWN))
}
