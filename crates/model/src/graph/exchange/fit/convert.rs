//! Conversions that AutoGPT makes silently, and we do not.

use serde_json::{Number, Value};

use super::unique;
use crate::graph::exchange::origin::{LinkOrigin, NodeOrigin, Role};
use crate::graph::exchange::pins::{CONVERTER, by_class};
use crate::graph::{Blocks, GraphContent, Link, Node};
use crate::phrase::cut;

/// The block that converts, if it is there.
#[derive(Clone, Debug)]
pub(super) struct Converter {
    block: &'static str,
    value: String,
    kind: String,
    output: String,
}

impl Converter {
    pub(super) fn find(blocks: &dyn Blocks) -> Option<Converter> {
        let alias = by_class(CONVERTER)?;
        blocks.signature(alias.block, None).ok()?;
        let (value, kind) = (alias.input("value")?, alias.input("type")?);
        Some(Converter { block: alias.block, value, kind, output: alias.output("value") })
    }

    /// Puts a node on the way of a link, which then leads to that.
    pub(super) fn insert(&self, content: &mut GraphContent, link: usize, kind: &str) {
        let old = content.links[link].clone();
        let wanted = format!("{} ({kind})", cut(&old.to, 40));
        let ids: std::collections::HashSet<&str> =
            content.nodes.iter().map(|node| node.id.as_str()).collect();
        let id = unique(&wanted, &|id| ids.contains(id));
        let mut node = Node::new(&id, self.block).with(&self.kind, kind);
        NodeOrigin::role(Role::OnTheWay).set(&mut node);
        content.nodes.push(node);
        let mut rest =
            Link { is_static: old.is_static, ..Link::new(&id, &self.output, &old.to, &old.to_pin) };
        LinkOrigin::added().set(&mut rest);
        content.links.push(rest);
        let first = &mut content.links[link];
        (first.to, first.to_pin) = (id, self.value.clone());
    }
}

/// What a value has to be made, in the words of that block.
pub(super) fn kind(schema: &Value) -> Option<&'static str> {
    let name = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null")?,
        _ => {
            let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
            return alternatives.iter().find_map(kind);
        }
    };
    match name {
        "string" => Some("string"),
        "integer" | "number" => Some("number"),
        "boolean" => Some("boolean"),
        "array" => Some("list"),
        "object" => Some("dictionary"),
        _ => None,
    }
}

/// A constant made what the schema asks for; nothing if it says nothing of the kind.
pub(super) fn converted(value: &Value, schema: &Value) -> Option<Value> {
    match (kind(schema)?, value) {
        ("string", Value::String(_)) => None,
        ("string", value) => Some(Value::from(value.to_string())),
        ("number", Value::String(text)) => number(text.trim()),
        ("boolean", Value::String(text)) => match text.to_lowercase().as_str() {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" | "" => Some(Value::Bool(false)),
            _ => None,
        },
        ("list", Value::String(text)) => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => Some(list),
            _ => Some(Value::Array(vec![value.clone()])),
        },
        ("dictionary", Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    let whole = text.parse::<i64>().ok().map(Value::from);
    whole.or_else(|| Number::from_f64(text.parse().ok()?).map(Value::Number))
}
