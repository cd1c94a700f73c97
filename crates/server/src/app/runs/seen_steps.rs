//! Steps as their readers may see them: of the brain, and of functions outside a reader's names, that they were asked, and no more.

use std::collections::HashSet;

use model::access::Access;
use model::graph::builtin::Builtin;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use model::run::{Run, RunError};
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::engine::NODE;
use crate::error::Error;
use crate::prepare::Callable;

/// What somebody sees of the Steps of one Run.
#[derive(Clone, Debug)]
pub(super) struct SeenSteps {
    access: Access,
    /// Whether the Run could read no more of the brain than its reader.
    is_bounded: bool,
    nodes: SeenNodes,
}

/// The nodes of a Graph, by what they call.
#[derive(Clone, Debug)]
enum SeenNodes {
    /// Nothing is known of them.
    None,
    Known {
        /// Those that call what is inside, or nothing.
        inside: HashSet<String>,
        /// Those that call what they are told.
        by_value: HashSet<String>,
    },
}

impl SeenSteps {
    pub(super) async fn of(ctx: &Ctx, access: &Access, run: &Run) -> Result<SeenSteps, Error> {
        let is_bounded = access.only().includes(&run.authority.only);
        let nodes = if access.only().is_all() { SeenNodes::None } else { nodes(ctx, access, run).await? };
        Ok(SeenSteps { access: access.clone(), is_bounded, nodes })
    }

    /// What a Run with another reach than the reader's read of the brain, or had others answer, may be from outside.
    pub(super) fn step(&self, step: Step) -> Step {
        if self.access.only().is_all() {
            return step;
        }
        if step.verb == NODE && self.is_bounded {
            return self.node(step);
        }
        let verb = HostVerb::named(&step.verb);
        // One that is not known any more may have shown anything.
        let looks = verb.is_none_or(HostVerb::shows_the_brain);
        // A dependency may be outside the scope of whoever started the Run.
        if looks && self.is_bounded || !(looks || verb == Some(HostVerb::Call)) {
            return step;
        }
        Step { request: Value::Null, result: None, error: None, child: None, ..step }
    }

    /// An execution of a node. What a function outside takes, returns and raises is not shown where it is called; a value that the
    /// Graph passes on from there to a node inside is the Graph's own.
    fn node(&self, step: Step) -> Step {
        if self.sees(step.request["node"].as_str(), &step.request["input"]) {
            let error = step.error.map(|error| error.seen(|name| self.access.covers(name)));
            return Step { error, ..step };
        }
        let error = step.error.map(|_| RunError::of("Outside", "what it calls may not be seen"));
        Step { request: json!({ "node": step.request["node"] }), result: None, error, child: None, ..step }
    }

    /// What is held at a node.
    pub(super) fn input(&self, node: &str, input: Value) -> Value {
        let is_seen = self.access.only().is_all() || self.is_bounded && self.sees(Some(node), &input);
        if is_seen { input } else { Value::Null }
    }

    fn sees(&self, node: Option<&str>, input: &Value) -> bool {
        let (SeenNodes::Known { inside, by_value }, Some(node)) = (&self.nodes, node) else { return false };
        // What is no name calls nothing.
        let is_called_inside = || input["graph"].as_str().is_none_or(|name| self.access.covers(name));
        inside.contains(node) || by_value.contains(node) && is_called_inside()
    }
}

async fn nodes(ctx: &Ctx, access: &Access, run: &Run) -> Result<SeenNodes, Error> {
    if run.key.kind != model::entry::EntryKind::Graph {
        return Ok(SeenNodes::None);
    }
    let prepared = match ctx.engine.closures.for_run(ctx, run).await {
        Err(error) if error.is_passing() => return Err(error),
        prepared => prepared.ok(),
    };
    let Some(Callable::Graph(graph, _)) = prepared.as_ref().map(|prepared| &prepared.callable) else {
        return Ok(SeenNodes::None);
    };
    let (mut inside, mut by_value) = (HashSet::new(), HashSet::new());
    for node in &graph.content.nodes {
        if node.builtin() == Some(Builtin::Call) {
            by_value.insert(node.id.clone());
        } else if node.calls().is_none_or(|(name, _)| access.covers(name)) {
            inside.insert(node.id.clone());
        }
    }
    Ok(SeenNodes::Known { inside, by_value })
}
