//! What a Run of a Graph is to execute: a draft or what is stored, all of it or some nodes, and where the values of the others come from.

use std::collections::BTreeSet;

use model::access::Access;
use model::access::verb::Verb;
use model::graph::run_options::GraphOptions;
use model::graph::scheduler::PartialError;
use model::graph::{Node, values};
use model::ids::RunId;
use model::input::json_size::json_size;
use model::name::EntryName;
use serde_json::{Map, Value};

use super::code;
use super::read::touched;
use super::rerun::recorded_input;
use super::{StartRun, Target};
use crate::app::graphs;
use crate::ctx::Ctx;
use crate::engine::recorded_outputs;
use crate::error::Error;
use crate::prepare::{Callable, Prepared, PreparedGraph};

/// Recorded outputs are copied to the record of the Run that uses them.
const MOST_RECORDED: u64 = 8 << 20;

/// Completes what a Run of a Graph is started with, and judges a draft or a script like a change by whoever runs it.
pub(super) async fn complete(
    ctx: &Ctx,
    access: &Access,
    request: &mut StartRun,
    prepared: &Prepared,
) -> Result<(), Error> {
    let name = &prepared.key.name;
    let graph = match &prepared.callable {
        Callable::Graph(graph, _) => graph,
        Callable::Function(function) if prepared.draft.is_some() => {
            return code::judge(access, name, &function.content);
        }
        Callable::Function(_) => return Ok(()),
    };
    if prepared.draft.is_some() {
        judge_draft(access, name, graph)?;
    }
    if matches!(request.target, Target::Draft(_)) {
        add_pins(ctx, name, graph, &mut request.graph).await?;
        check_draft(ctx, access, name, graph, request.graph.is_partial()).await?;
    }
    if let (Some(run), true) = (request.graph.values_of, request.graph.recorded.is_empty()) {
        add_recorded(ctx, access, run, request, prepared, graph).await?;
    }
    Ok(())
}

/// Nobody applied it, so it calls what whoever runs it may call, and nothing else.
fn judge_draft(access: &Access, name: &EntryName, graph: &PreparedGraph) -> Result<(), Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let calls = graph.content.nodes.iter().filter_map(Node::calls).map(|(called, _)| called);
    let outside: BTreeSet<&str> = calls.filter(|called| !access.authority.may_call(called)).collect();
    match outside.first() {
        None => Ok(()),
        Some(called) => Err(Error::Input {
            problem: format!("the draft of `{name}` calls `{called}`, which you may not use"),
            hint: "someone who may use that can run it, or apply it".to_owned(),
        }),
    }
}

/// Nodes that the draft no longer has are passed over.
async fn add_pins(
    ctx: &Ctx,
    name: &EntryName,
    graph: &PreparedGraph,
    options: &mut GraphOptions,
) -> Result<(), Error> {
    for pin in ctx.store.graph_pins(name).await? {
        let is_executed = options.only.contains(&pin.node) || options.from.contains(&pin.node);
        if graph.content.node(&pin.node).is_some() && !is_executed {
            options.pinned.entry(pin.node).or_insert(pin.outputs);
        }
    }
    Ok(())
}

/// A run of some nodes need only find these in order.
async fn check_draft(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    graph: &PreparedGraph,
    is_partial: bool,
) -> Result<(), Error> {
    let problems: Vec<String> = if is_partial {
        graph.plan.as_ref().err().into_iter().cloned().collect()
    } else {
        let problems = graphs::check(ctx, access, Some(name), &graph.content).await?;
        let errors = problems.iter().filter(|problem| problem.is_error());
        errors.take(5).map(ToString::to_string).collect()
    };
    if problems.is_empty() {
        return Ok(());
    }
    Err(Error::Input {
        problem: format!("the draft of `{name}` cannot be run: {}", problems.join("; ")),
        hint: format!(
            "`selfmade graph check {name} --draft` shows all problems; what it calls has to be applied first"
        ),
    })
}

/// Reads what the nodes that are not executed gave in an earlier run. What the graph itself was given is used again, too.
async fn add_recorded(
    ctx: &Ctx,
    access: &Access,
    id: RunId,
    request: &mut StartRun,
    prepared: &Prepared,
    graph: &PreparedGraph,
) -> Result<(), Error> {
    let name = &prepared.key.name;
    let earlier = recorded_input(touched(ctx, access, id).await?)?;
    // The new Run has what that one read, as if it had read it itself.
    access.may_continue(id, &earlier.authority)?;
    if earlier.key != prepared.key {
        return Err(Error::Input {
            problem: format!("run {id} is of `{}`, and not of the graph `{name}`", earlier.key.name),
            hint: format!("`selfmade runs list {name}` lists its runs"),
        });
    }
    if let (Value::Object(before), true) = (&earlier.input, request.input.positional.is_empty()) {
        for (input, value) in before {
            let is_taken = prepared.signature().parameters.iter().any(|parameter| parameter.name == *input);
            if is_taken && !request.input.named.contains_key(input) {
                request.input.named.insert(input.clone(), value.clone());
            }
        }
    }
    let Ok(plan) = &graph.plan else { return Ok(()) };
    let input = values(Value::Object(request.input.named.clone()));
    let sources = request.graph.sources(plan, &input).map_err(|error| refused(name, &error))?;
    let recorded = recorded_outputs(ctx, &earlier, sources).await?;
    let bytes = json_size(&recorded);
    if bytes > MOST_RECORDED {
        return Err(Error::Input {
            problem: format!(
                "what the nodes before gave in run {id} has {bytes} bytes, and {MOST_RECORDED} can be used again"
            ),
            hint: "run the graph from an earlier node, or give smaller values as `input`".to_owned(),
        });
    }
    request.graph.recorded = recorded;
    Ok(())
}

/// Whether a Run could begin like this.
pub(super) fn check(
    prepared: &Prepared,
    options: &GraphOptions,
    input: &Map<String, Value>,
) -> Result<(), Error> {
    let name = &prepared.key.name;
    if options.is_usual() {
        return Ok(());
    }
    let Callable::Graph(graph, _) = &prepared.callable else {
        return Err(Error::Input {
            problem: format!(
                "`{name}` is a function, and only graphs have nodes, breakpoints and pinned outputs"
            ),
            hint: "omit `graph`, or name a graph".to_owned(),
        });
    };
    options.check(&graph.content).map_err(|problem| Error::Input {
        problem: format!("`{name}`: {problem}"),
        hint: format!("`selfmade graph show {name}` shows its nodes and links"),
    })?;
    // A graph that cannot be run fails as a Run, which is recorded.
    let Ok(plan) = &graph.plan else { return Ok(()) };
    options.start(plan, values(Value::Object(input.clone()))).map_err(|error| refused(name, &error)).map(drop)
}

fn refused(name: &EntryName, error: &PartialError) -> Error {
    Error::Input { problem: format!("`{name}`: {error}"), hint: error.hint().to_owned() }
}
