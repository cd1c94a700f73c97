//! The reference interpreter: every pin is the list of all that ever came to it, and nodes are executed until nothing is
//! new. It knows neither order nor streaming, and only graphs in which each pin has one link.

use std::collections::{BTreeMap, HashMap};

use selfmade_model::graph::builtin::Builtin;
use selfmade_model::graph::{GraphContent, Node, Values};
use serde_json::Value;

use super::behave;
use super::engine::{Log, plain};

#[derive(Default)]
struct Pin {
    values: Vec<Value>,
    is_static: bool,
}

pub(crate) fn interpret(content: &GraphContent) -> Log {
    let mut log = Log::default();
    let mut pins: HashMap<(&str, &str), Pin> = HashMap::new();
    for link in &content.links {
        pins.insert((&link.to, &link.to_pin), Pin { values: Vec::new(), is_static: link.is_static });
    }
    let mut executed: BTreeMap<&str, usize> = BTreeMap::new();
    loop {
        let ready = content.nodes.iter().find_map(|node| {
            let number = executed.get(node.id.as_str()).copied().unwrap_or(0);
            Some((node, number, input(node, number, &pins)?))
        });
        let Some((node, number, input)) = ready else { break };
        executed.insert(&node.id, number + 1);
        log.executions.insert((node.id.clone(), number as u32 + 1), plain(&input));
        let (outputs, error) = behave(&node.block, node.builtin(), &input);
        let error = error.map(|error| ("error".to_owned(), std::sync::Arc::new(Value::String(error))));
        for (pin, value) in outputs.into_iter().chain(error) {
            if node.builtin() == Some(Builtin::Output) {
                let name = node.input["name"].as_str().unwrap().to_owned();
                log.outputs.entry(name).or_default().push(Value::clone(&value));
            }
            for link in content.links.iter().filter(|link| link.from == node.id && link.from_pin == pin) {
                pins.get_mut(&(link.to.as_str(), link.to_pin.as_str()))
                    .unwrap()
                    .values
                    .push(Value::clone(&value));
            }
        }
    }
    log
}

/// The n-th value of each pin; a static pin has one value, which is all of them.
fn input(node: &Node, number: usize, pins: &HashMap<(&str, &str), Pin>) -> Option<Values> {
    let mut input: Values =
        node.input.iter().map(|(pin, value)| (pin.clone(), value.clone().into())).collect();
    let linked: Vec<_> = pins.iter().filter(|((to, _), _)| *to == node.id).collect();
    if linked.is_empty() && number > 0 {
        return None;
    }
    let is_new = linked.is_empty() || linked.iter().any(|(_, pin)| pin.values.len() > number);
    for ((_, name), pin) in linked {
        let at = if pin.is_static { number.min(pin.values.len().saturating_sub(1)) } else { number };
        input.insert((*name).to_owned(), pin.values.get(at)?.clone().into());
    }
    is_new.then_some(input)
}
