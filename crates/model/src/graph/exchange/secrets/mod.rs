//! What never leaves and never enters by a file: secrets, credentials, ids of webhooks and of users.
//!
//! A secret is known by the name of its field at any depth, by its shape, and by where it goes: the value of an input or of
//! a stored value that is linked to a secret pin is one, also where that pin belongs to a graph that is called.

mod carrier;
mod fields;
mod sweep;

use serde_json::Value;

use self::carrier::{Carrier, Kind, STORED};
pub(super) use self::sweep::Passages;
use self::sweep::{Ends, sweep};
use crate::graph::GraphContent;
use crate::graph::builtin::Builtin;

/// A secret that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) node: String,
    pub(super) pin: String,
}

/// Removes what is secret from a file of AutoGPT. Each finding comes with the place of its graph, the main one first.
pub(super) fn remove(file: &mut Value) -> Vec<(usize, Found)> {
    let mut subs = file.get_mut("sub_graphs").map(Value::take);
    let inner = subs.as_mut().and_then(Value::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default();
    let mut graphs: Vec<&mut Value> = std::iter::once(&mut *file).chain(inner).collect();
    let mut found = Vec::new();
    let mut passages = Passages::default();
    // A secret pin of one graph makes secrets of the graph that calls it.
    loop {
        let before = passages.count();
        for (at, graph) in graphs.iter_mut().enumerate() {
            found.extend(remove_from(graph, &mut passages).into_iter().map(|one| (at, one)));
        }
        if passages.count() == before {
            break;
        }
    }
    if let (Some(subs), Some(place)) = (subs, file.get_mut("sub_graphs")) {
        *place = subs;
    }
    found
}

fn remove_from(graph: &mut Value, passages: &mut Passages) -> Vec<Found> {
    let links = graph.get("links").and_then(Value::as_array).into_iter().flatten();
    let links: Vec<Ends> = links.map(Ends::theirs).collect();
    if let Some(user) = graph.get_mut("user_id").filter(|user| user.is_string()) {
        *user = Value::from("");
    }
    let nodes = graph.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten();
    let carriers = nodes.filter_map(Value::as_object_mut).filter_map(Carrier::theirs);
    sweep(carriers.collect(), &links, passages)
}

/// Removes what is secret from a graph of ours.
pub(super) fn remove_from_content(content: &mut GraphContent, passages: &mut Passages) -> Vec<Found> {
    let links: Vec<Ends> = content.links.iter().map(Ends::ours).collect();
    let carriers = content.nodes.iter_mut().map(|node| Carrier {
        kind: match node.builtin() {
            Some(Builtin::Input) => Kind::Input,
            Some(Builtin::Output) => Kind::Output,
            Some(Builtin::Store) => Kind::Passing(STORED),
            Some(_) => Kind::Other,
            None => Kind::Graph,
        },
        id: node.id.clone(),
        hidden: None,
        input: &mut node.input,
    });
    sweep(carriers.collect(), &links, passages)
}
