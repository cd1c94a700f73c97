//! `selfmade graph run`: a graph or its draft; all of it, or some nodes.

use std::collections::{BTreeMap, BTreeSet};

use model::graph::run_options::GraphOptions;
use serde_json::Value;

use crate::client::Brain;
use crate::commands::run::{self, value_of};
use crate::commands::runs::Reference;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Run a graph or its draft; all of it, or some nodes
///
/// Nodes that are not executed take part with their pinned outputs, or with what they gave in the run that --run names.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph run news --arg topic=rust
  selfmade graph run news --draft                            as it is edited
  selfmade graph run news --node summarize --give text=…     one node
  selfmade graph run news --from summarize --run 391ab633    a node and those after it
  selfmade graph run news --only fetch,summarize --arg topic=rust")]
#[group(id = "graph-run")]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: run::Arguments,
    /// The draft, as it is now
    #[arg(long, conflicts_with = "preset")]
    draft: bool,
    /// Execute only this node
    #[arg(long, value_name = "NODE", conflicts_with_all = ["only", "from"])]
    node: Option<String>,
    /// Execute only these nodes
    #[arg(long, value_name = "NODE,NODE", value_delimiter = ',', conflicts_with = "from")]
    only: Vec<String>,
    /// Execute this node and those downstream of it
    #[arg(long, value_name = "NODE")]
    from: Option<String>,
    /// The earlier run whose recorded outputs stand for nodes that are not executed
    #[arg(long = "run", value_name = "ID")]
    values_of: Option<Reference>,
    /// A value for an input pin, as JSON or text; with --node or --from the node need not be named
    #[arg(long, value_name = "NODE.PIN=VALUE")]
    give: Vec<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let values_of = match &arguments.values_of {
        Some(run) => Some(run.id(brain).await?),
        None => None,
    };
    let only = arguments.only.iter().cloned().chain(arguments.node.clone()).collect();
    let from: BTreeSet<String> = arguments.from.iter().cloned().collect();
    let input = given(&arguments.give, arguments.node.as_deref().or(arguments.from.as_deref()))?;
    let nodes = GraphOptions { only, from, input, values_of, ..GraphOptions::default() };
    run::run_graph(session, brain, arguments.run, arguments.draft, nodes).await
}

/// `NODE.PIN=VALUE`, or `PIN=VALUE` for the node that is named.
fn given(pairs: &[String], named: Option<&str>) -> Result<BTreeMap<String, BTreeMap<String, Value>>, Error> {
    let mut input: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for pair in pairs {
        let wrong = || Error::Input {
            problem: format!("`{pair}` does not give a value to a pin"),
            hint: "write `--give NODE.PIN=VALUE`".to_owned(),
        };
        let (place, value) = pair.split_once('=').ok_or_else(wrong)?;
        let of_named = |node| Some((node, place.strip_prefix(node)?.strip_prefix('.')?));
        let (node, pin) = match named {
            Some(node) => of_named(node).unwrap_or((node, place)),
            None => place.split_once('.').ok_or_else(wrong)?,
        };
        input.entry(node.to_owned()).or_default().insert(pin.to_owned(), value_of(value, None));
    }
    Ok(input)
}
