//! Graphs: a few blocks, and an engine that executes what the scheduler says in any order it is told.

mod checks;
mod debugging;
mod draw;
mod edits;
mod engine;
mod exchange;
mod partial;
mod properties;
mod reference;
mod semantics;
mod upgrades;

use std::sync::Arc;

use selfmade_model::graph::block::BlockSignature;
use selfmade_model::graph::builtin::{Answer, Builtin, Effect, execute};
use selfmade_model::graph::scheduler::Plan;
use selfmade_model::graph::{Blocks, GraphContent, Link, Missing, Node, Values};
use selfmade_model::python::analyse;
use selfmade_model::version::VersionNumber;
use serde_json::{Value, json};

/// What leaves an execution in order, and what it raises at the end.
pub(crate) type Behaviour = (Vec<(String, Arc<Value>)>, Option<String>);

/// The functions that the graphs of these tests use.
const SOURCES: [&str; 10] = [
    "def echo(x): ...",
    "def add(a: int, b: int) -> int: ...",
    "def text(x: str) -> str: ...",
    "def pair(a, b): ...",
    "def split(items: list):\n    for item in items:\n        yield 'item', item\n",
    "def twice(x):\n    yield 'item', x\n    yield 'item', x\n",
    "def fails(x): ...",
    "def odd(x: int): ...",
    "def values(values: dict, format: str = '') -> dict: ...",
    "def lies(x) -> int: ...",
];

pub(crate) struct Library;

impl Blocks for Library {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        let analyses = SOURCES.iter().map(|source| analyse(source).unwrap());
        let found = analyses.into_iter().find(|analysis| analysis.name == name).ok_or(Missing::Name)?;
        match version {
            Some(version) if version != VersionNumber(1) => Err(Missing::Version),
            _ => Ok(Arc::new(BlockSignature::of_function(&found.signature))),
        }
    }

    fn similar(&self, name: &str) -> Option<String> {
        (name == "ecko").then(|| "echo".to_owned())
    }
}

fn one(value: Value) -> Behaviour {
    (vec![("output".to_owned(), Arc::new(value))], None)
}

fn behave(block: &str, builtin: Option<Builtin>, input: &Values) -> Behaviour {
    let get = |pin: &str| input.get(pin).map(|value| Value::clone(value)).unwrap_or_default();
    let items =
        |values: Vec<Value>| values.into_iter().map(|value| ("item".to_owned(), Arc::new(value))).collect();
    if let Some(builtin) = builtin {
        return match execute(builtin, input) {
            Answer::Outputs(outputs) => (outputs, None),
            Answer::Failed(error) => (Vec::new(), Some(error)),
            Answer::Effect(Effect::Render { template, values }) => {
                let effect = Effect::Render { template: template.clone(), values };
                (effect.outputs(json!(template)), None)
            }
            Answer::Effect(effect) => (effect.outputs(json!("answered")), None),
        };
    }
    match block {
        "add" => one(json!(get("a").as_i64().unwrap() + get("b").as_i64().unwrap())),
        "pair" => one(json!([get("a"), get("b")])),
        "split" => (items(get("items").as_array().unwrap().clone()), None),
        "twice" => (items(vec![get("x"), get("x")]), None),
        "fails" => (Vec::new(), Some(format!("ValueError: {}", get("x")))),
        "odd" if get("x").as_i64().unwrap() % 2 == 0 => (Vec::new(), Some("ValueError: even".to_owned())),
        "values" => one(get("values")),
        "lies" => one(json!("not a number")),
        _ => one(get("x")),
    }
}

pub(crate) fn graph(nodes: Vec<Node>, links: &[&str]) -> GraphContent {
    GraphContent { nodes, links: links.iter().map(|text| link(text)).collect(), ..GraphContent::default() }
}

/// `a.output -> b.x`, and `=>` for a static one. Nodes have no dot in their ids here.
pub(crate) fn link(text: &str) -> Link {
    let is_static = text.contains(" => ");
    let (from, to) = text.split_once(if is_static { " => " } else { " -> " }).unwrap();
    let ((from, from_pin), (to, to_pin)) = (from.split_once('.').unwrap(), to.split_once('.').unwrap());
    Link { is_static, ..Link::new(from, from_pin, to, to_pin) }
}

pub(crate) fn plan(content: &GraphContent) -> Plan {
    let told = |problems: Vec<selfmade_model::graph::check::Problem>| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    Plan::new(content, &Library).map_err(told).unwrap()
}

pub(crate) fn list(id: &str, items: Value) -> Node {
    Node::new(id, "split").with("items", items)
}

pub(crate) fn output(name: &str) -> Node {
    Node::new(name, "@output").with("name", name)
}
