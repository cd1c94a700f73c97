//! Runs of Graphs that stand at breakpoints: what is held, and letting it go on.

use std::sync::Arc;

use model::access::Access;
use model::access::verb::Verb;
use model::graph::patch::LinkKey;
use model::graph::run_options::BreakAt;
use model::graph::scheduler::{ExecutionId, Happened, LinkIndex, Plan, State};
use model::graph::values;
use model::ids::RunId;
use model::input::depth::{MAX_DEPTH, fits_in};
use model::run::Run;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::seen_steps::SeenSteps;
use super::touched;
use crate::ctx::Ctx;
use crate::engine::state_of;
use crate::error::Error;
use crate::prepare::{Callable, PreparedGraph};

/// What stands at a breakpoint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeldView {
    /// An execution that has not begun.
    Node { node: String, number: u32, input: Value },
    /// A value on its way.
    Link { link: LinkKey, value: Value },
}

/// What goes on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Release {
    /// Only this node.
    pub node: Option<String>,
    /// Only the oldest value on this link.
    pub link: Option<LinkKey>,
    /// What is passed on instead: an object by pin to a node, any value on a link.
    #[serde(deserialize_with = "present")]
    pub value: Option<Value>,
    /// Where it stops from now on; where it did before if absent, so that it goes on to the next breakpoint.
    pub breakpoints: Option<BreakAt>,
}

/// Null is a value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

pub async fn held(ctx: &Ctx, access: &Access, id: RunId) -> Result<Vec<HeldView>, Error> {
    let run = touched(ctx, access, id).await?;
    let seen = SeenSteps::of(ctx, access, &run).await?;
    with_state(ctx, &run, |graph, plan, state| {
        let node = |(execution, input): (ExecutionId, model::graph::Values)| {
            let node = graph.content.nodes[execution.node.0 as usize].id.clone();
            let input: Map<_, _> =
                input.into_iter().map(|(pin, value)| (pin, Value::clone(&value))).collect();
            HeldView::Node { number: execution.number, input: seen.input(&node, input.into()), node }
        };
        let nodes = state.held(plan).into_iter().map(node);
        let link = |(link, value): (LinkIndex, &Arc<Value>)| {
            let link = &graph.content.links[link.0 as usize];
            // It is what the next node gets.
            HeldView::Link { value: seen.input(&link.to, Value::clone(value)), link: LinkKey::of(link) }
        };
        Ok(nodes.chain(state.held_values().map(link)).collect())
    })
    .await
}

/// Lets what is held go on: all of it, or what is named. Whoever changes something of it acts by the authority of the Run, and needs as
/// much.
pub async fn release(ctx: &Ctx, access: &Access, id: RunId, release: Release) -> Result<(), Error> {
    access.may(Verb::AnswerRun)?;
    let run = touched(ctx, access, id).await?;
    if release.value.is_some() || release.breakpoints.is_some() {
        access.may_change(id, &run.authority)?;
    }
    if release.value.as_ref().is_some_and(|value| !fits_in(value, MAX_DEPTH)) {
        return Err(Error::Input {
            problem: format!("run {id}: the value is nested deeper than {MAX_DEPTH} levels"),
            hint: "hand in a flatter value".to_owned(),
        });
    }
    let details = json!({ "node": release.node, "link": release.link, "changed": release.value.is_some() });
    let value = match release.value {
        Some(value) => Some(ctx.redaction_for(&[&access.authority]).await?.json(value)),
        None => None,
    };
    let commands = with_state(ctx, &run, |graph, plan, state| {
        let mut commands = Vec::new();
        if let Some(breakpoints) = &release.breakpoints {
            let breakpoints = breakpoints.of(&graph.content).map_err(|problem| Error::Input {
                problem: format!("run {id}: {problem}"),
                hint: format!("`selfmade graph show {}` shows its nodes and links", run.key.name),
            })?;
            commands.push(Happened::Breakpoints(breakpoints));
        }
        commands.extend(released(graph, plan, state, &release.node, &release.link, value.as_ref(), &run)?);
        Ok(commands)
    })
    .await?;
    let audit = ctx.audit(&access.actor, "run.release", &id.to_string(), details);
    match ctx.store.command_graph_run(id, &commands, &audit).await? {
        true => Ok(()),
        false => Err(Error::RunEnded { run: id, state: touched(ctx, access, id).await?.state }),
    }
}

fn released(
    graph: &PreparedGraph,
    plan: &Plan,
    state: &State,
    node: &Option<String>,
    link: &Option<LinkKey>,
    value: Option<&Value>,
    run: &Run,
) -> Result<Vec<Happened>, Error> {
    let is_wanted = |execution: &ExecutionId| {
        let id = &graph.content.nodes[execution.node.0 as usize].id;
        node.as_ref().is_none_or(|node| node == id) && link.is_none()
    };
    let executions: Vec<ExecutionId> =
        state.held(plan).into_iter().map(|(execution, _)| execution).filter(is_wanted).collect();
    let mut links: Vec<_> = state.held_values().map(|(link, _)| link).collect();
    links.retain(|held| match link {
        Some(key) => key.is_of(&graph.content.links[held.0 as usize]),
        None => node.is_none(),
    });
    if link.is_some() {
        links.truncate(1);
    }
    if executions.is_empty() && links.is_empty() {
        return Err(Error::Input {
            problem: match (node, link) {
                (Some(node), _) => format!("run {} does not stand at node `{node}`", run.run_id),
                (_, Some(link)) => format!("run {} holds no value on link {link}", run.run_id),
                (None, None) => format!("run {} does not stand at a breakpoint", run.run_id),
            },
            hint: format!("`GET /api/v1/runs/{}/held` shows where it stands", run.run_id),
        });
    }
    if value.is_some() && executions.len() + links.len() != 1 {
        return Err(Error::Input {
            problem: "a value is for one node or link, but several are held".to_owned(),
            hint: "name one of them with `node` or `link`".to_owned(),
        });
    }
    if value.is_some_and(|value| !executions.is_empty() && !value.is_object()) {
        return Err(Error::Input {
            problem: "the input of a node is an object with a value for each pin".to_owned(),
            hint: "take the input that is held, and change what should differ".to_owned(),
        });
    }
    let execution = |execution| Happened::Released { execution, input: value.cloned().map(values) };
    let on_link = |link| Happened::LinkReleased { link, value: value.cloned().map(Into::into) };
    Ok(executions.into_iter().map(execution).chain(links.into_iter().map(on_link)).collect())
}

async fn with_state<T>(
    ctx: &Ctx,
    run: &Run,
    look: impl FnOnce(&PreparedGraph, &Plan, &State) -> Result<T, Error>,
) -> Result<T, Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    let not_a_graph = || Error::Input {
        problem: format!("run {} is not of a graph, so it has no breakpoints", run.run_id),
        hint: "`selfmade runs show` shows what it waits for".to_owned(),
    };
    let Callable::Graph(graph, _) = &prepared.callable else { return Err(not_a_graph()) };
    let Ok(plan) = &graph.plan else { return Err(not_a_graph()) };
    if run.state.is_final() {
        return Err(Error::RunEnded { run: run.run_id, state: run.state });
    }
    let (plan, state) = state_of(ctx, run, graph, plan).await?;
    look(graph, &plan, &state)
}
