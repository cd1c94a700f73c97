//! A Graph as a person reads it: its pins, its nodes with their constants, and its links.

use model::function::signature::DefaultValue;
use model::graph::block::{BlockSignature, ERROR, Pin};
use model::graph::{GraphContent, Link, Node};
use serde_json::{Map, Value};

use super::fields::Fields;
use super::trace::cut;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME, one_line};
use crate::terminal::table::{Cell, Table};

/// The fields that every Graph has.
pub(crate) fn describe(fields: &mut Fields, content: &GraphContent) {
    let pins = BlockSignature::of_graph(content);
    let outputs: Vec<Pin> = pins.outputs.into_iter().filter(|pin| pin.name != ERROR).collect();
    fields.add("inputs", listed(&pins.inputs));
    fields.add("outputs", listed(&outputs));
    fields.add("budget", content.budget.map(|budget| budget.to_string()).unwrap_or_default());
}

fn listed(pins: &[Pin]) -> String {
    pins.iter().map(pin).collect::<Vec<_>>().join(", ")
}

/// Its name, what it takes, and what it is if nothing is given.
fn pin(pin: &Pin) -> String {
    format!("{}: {}{}", pin.name, of_type(&pin.schema), default(pin))
}

pub(crate) fn default(pin: &Pin) -> String {
    match &pin.default {
        Some(DefaultValue::Literal(value)) => format!(" = {}", cut(&value.to_string())),
        Some(DefaultValue::Expression(text)) => format!(" = {}", cut(text)),
        None => String::new(),
    }
}

/// A schema in a word or two.
pub(crate) fn of_type(schema: &Value) -> String {
    let either = |schemas: &[Value]| schemas.iter().map(of_type).collect::<Vec<_>>().join(" or ");
    match (schema.get("type"), schema.get("enum"), schema.get("anyOf")) {
        (Some(Value::String(name)), _, _) => name.clone(),
        (Some(Value::Array(names)), _, _) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        (_, Some(Value::Array(values)), _) => {
            cut(&values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "))
        }
        (_, _, Some(Value::Array(schemas))) => either(schemas),
        _ => "any".to_owned(),
    }
}

pub(crate) fn nodes(nodes: &[Node], screen: &Screen) -> String {
    let mut table = Table::new(&["node", "block", "constants"], 2);
    for node in nodes {
        table.row(vec![
            Cell::painted(NAME, &node.id),
            block(node).into(),
            Cell::painted(DIM, constants(&node.input)),
        ]);
    }
    table.render(screen)
}

/// The block, with its Version if that is pinned.
pub(crate) fn block(node: &Node) -> String {
    let version = node.version.map(|version| format!("@{version}")).unwrap_or_default();
    format!("{}{version}", node.block)
}

pub(crate) fn constants(input: &Map<String, Value>) -> String {
    let constants = input.iter().map(|(pin, value)| format!("{}={}", one_line(pin), cut(&value.to_string())));
    constants.collect::<Vec<_>>().join(", ")
}

pub(crate) fn links(links: &[Link], screen: &Screen) -> String {
    let mut table = Table::new(&["from", "to", ""], 1);
    for Link { from, from_pin, to, to_pin, is_static, .. } in links {
        table.row(vec![
            format!("{from}.{from_pin}").into(),
            format!("{to}.{to_pin}").into(),
            Cell::painted(DIM, if *is_static { "static" } else { "" }),
        ]);
    }
    table.render(screen)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_reported_in_a_word_or_two() {
        let told = |schema: Value| of_type(&schema);
        assert_eq!(told(json!({"type": "integer"})), "integer");
        assert_eq!(
            told(json!({"anyOf": [{"type": "array"}, {"type": ["string", "null"]}]})),
            "array or string or null"
        );
        assert_eq!(told(json!({"enum": ["a", 1]})), "\"a\" or 1");
        assert_eq!((told(json!({})), told(json!(true))), ("any".to_owned(), "any".to_owned()));
    }
}
