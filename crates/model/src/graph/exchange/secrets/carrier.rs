//! Nodes as carriers of secrets.

use serde_json::{Map, Value};

use super::fields::{blank, blank_schema};
use crate::graph::aliases::alias;

/// A node, as far as it can carry secrets.
pub(super) struct Carrier<'a> {
    pub(super) id: String,
    pub(super) kind: Kind,
    /// A field that is secret although its name does not say so.
    pub(super) hidden: Option<&'static str>,
    pub(super) input: &'a mut Map<String, Value>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Input,
    Output,
    /// Passes on what these pins hold.
    Passing(&'static [&'static str]),
    /// Calls a graph whose inputs are its pins.
    Graph,
    Other,
}

const GIVEN: &[&str] = &["value", "placeholder_values", "options"];
pub(super) const STORED: &[&str] = &["input", "data"];
const MEDIUM: &str = "3f7b2dcb-4a78-4e3f-b0f1-88132e1b89df";

impl<'a> Carrier<'a> {
    pub(super) fn theirs(node: &'a mut Map<String, Value>) -> Option<Carrier<'a>> {
        for key in ["webhook_id", "webhook"] {
            if let Some(webhook) = node.get_mut(key) {
                *webhook = Value::Null;
            }
        }
        node.shift_remove("input_links");
        node.shift_remove("output_links");
        let text = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, block_id) = (text("id"), text("block_id"));
        let kind = match alias(&block_id) {
            Some(alias) if alias.block == "@input" => Kind::Input,
            Some(alias) if alias.block == "@output" => Kind::Output,
            Some(alias) if alias.block == "@store" => Kind::Passing(STORED),
            Some(alias) if alias.class == "UniversalTypeConverterBlock" => Kind::Passing(&["value"]),
            Some(alias) if alias.class == "AgentExecutorBlock" => Kind::Graph,
            _ => Kind::Other,
        };
        let input = node.get_mut("input_default").and_then(Value::as_object_mut)?;
        if let Some(user) = input.get_mut("user_id").filter(|user| user.is_string() && kind == Kind::Graph) {
            *user = Value::from("");
        }
        Some(Carrier { id, kind, hidden: (block_id == MEDIUM).then_some("author_id"), input })
    }

    /// Blanks what the node passes on.
    pub(super) fn blank_passing(&mut self) -> Vec<String> {
        let pins = match self.kind {
            Kind::Input => GIVEN,
            Kind::Passing(pins) => pins,
            Kind::Output => &GIVEN[..1],
            Kind::Graph | Kind::Other => &[],
        };
        // An input without a value has to be given one; a stored value is still passed on.
        let is_input = self.kind == Kind::Input;
        let mut blank = |pin: &&str| self.input.get_mut(*pin).is_some_and(|value| blank(value, !is_input));
        pins.iter().filter(|pin| blank(pin)).map(|pin| (*pin).to_owned()).collect()
    }

    /// Blanks what is handed to a secret input of the graph that it calls.
    pub(super) fn blank_given(&mut self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for place in ["inputs", "data"] {
            let given = self.input.get_mut(place).and_then(|given| given.get_mut(name));
            if given.is_some_and(|value| blank(value, true)) {
                found.push(name.to_owned());
            }
        }
        for schema in ["input_schema", "output_schema"] {
            let pointer =
                self.input.get_mut(schema).and_then(|schema| schema.get_mut("properties")?.get_mut(name));
            if let Some(Value::Object(property)) = pointer {
                blank_schema(property);
            }
        }
        if self.input.get_mut(name).is_some_and(|value| blank(value, true)) {
            found.push(name.to_owned());
        }
        found
    }

    pub(super) fn name(&self) -> &str {
        self.input.get("name").and_then(Value::as_str).unwrap_or_default()
    }
}
