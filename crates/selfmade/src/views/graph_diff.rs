//! What differs between two Graphs, a node, field or link a line.

use anstyle::Style;
use model::graph::diff::{FieldChange, GraphDiff};
use model::graph::{Link, Node};
use serde_json::Value;

use super::graph::{block, constants};
use super::trace::cut;
use crate::terminal::style::{BAD, GOOD, paint};

pub(crate) fn lines(diff: &GraphDiff) -> String {
    let fields = diff.fields.iter().map(|change| format!("~ {}\n", field(change)));
    let removed = diff.removed.iter().map(|node| paint(BAD, format!("- {}", self::node(node))) + "\n");
    let added = diff.added.iter().map(|node| paint(GOOD, format!("+ {}", self::node(node))) + "\n");
    let changed = diff.changed.iter().flat_map(|(id, changes)| {
        changes
            .iter()
            .map(move |change| paint(Style::new(), format!("~ node `{id}`: {}", field(change))) + "\n")
    });
    let cut = diff.disconnected.iter().map(|link| paint(BAD, format!("- {}", self::link(link))) + "\n");
    let joined = diff.connected.iter().map(|link| paint(GOOD, format!("+ {}", self::link(link))) + "\n");
    fields.chain(removed).chain(added).chain(changed).chain(cut).chain(joined).collect()
}

fn node(node: &Node) -> String {
    let constants = constants(&node.input);
    let constants = if constants.is_empty() { constants } else { format!(" with {constants}") };
    format!("node `{}`: {}{constants}", node.id, block(node))
}

fn link(link: &Link) -> String {
    format!("link {link}{}", if link.is_static { ", static" } else { "" })
}

fn field(change: &FieldChange) -> String {
    let shown =
        |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), |value| cut(&value.to_string()));
    format!("{}: {} → {}", change.field, shown(&change.before), shown(&change.after))
}
