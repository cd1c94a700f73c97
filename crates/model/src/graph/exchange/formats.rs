//! Outputs with a format. An output here gives its value as it is, so a template is put before it.

use std::collections::HashSet;

use serde_json::Value;

use super::import::Incoming;
use super::origin::{LinkOrigin, NodeOrigin, Role};
use super::pins::{TEMPLATE, by_class};
use super::{Format, braces};
use crate::graph::aliases::BlockAlias;
use crate::graph::{Blocks, Link, Node};
use crate::python::words::is_identifier;

/// Puts a template on the way to each output whose format says more than its value.
pub(super) fn insert(incoming: &mut Incoming, blocks: &dyn Blocks) {
    let Some(template) = by_class(TEMPLATE).filter(|alias| is_there(alias, blocks)) else { return };
    for at in 0..incoming.file.nodes.len() {
        let node = &incoming.content.nodes[at];
        let Some((name, format)) = (node.block == "@output").then(|| format(incoming, at)).flatten() else {
            continue;
        };
        let id = node.id.clone();
        let leads = |link: &&mut Link| link.to == id && link.to_pin == "value";
        let mut ids: HashSet<&str> = HashSet::new();
        ids.extend(incoming.content.nodes.iter().map(|node| node.id.as_str()));
        let new = super::fit::unique(&format!("{id} (format)"), &|id| ids.contains(id));
        let links: Vec<&mut Link> = incoming.content.links.iter_mut().filter(leads).collect();
        if links.is_empty() {
            continue;
        }
        for link in links {
            link.to.clone_from(&new);
            link.to_pin = template.input(&format!("values_#_{name}")).unwrap_or_default();
        }
        let pin = template.input("format").unwrap_or_default();
        let mut node = Node::new(&new, template.block).with(&pin, format);
        NodeOrigin::role(Role::OnTheWay).set(&mut node);
        incoming.content.nodes.push(node);
        let mut link = Link::new(&new, &template.output("output"), &id, "value");
        LinkOrigin::added().set(&mut link);
        incoming.content.links.push(link);
    }
}

fn is_there(alias: &BlockAlias, blocks: &dyn Blocks) -> bool {
    alias.block.starts_with('@') || blocks.signature(alias.block, None).is_ok()
}

/// The name of an output, and its format, if that is a template over the name. Names that Jinja cannot read give an error text
/// in AutoGPT; they give the value here.
fn format(incoming: &Incoming, at: usize) -> Option<(String, Value)> {
    let input = &incoming.file.nodes[at].input;
    let (name, format) = (input.get("name")?.as_str()?, input.get("format")?.as_str()?);
    let format =
        if incoming.format == Format::Graph2024 { braces::double(format) } else { format.to_owned() };
    let says_more = format.contains("{{") || format.contains("{%");
    (says_more && is_identifier(name) && format.contains(name))
        .then(|| (name.to_owned(), Value::from(format)))
}
