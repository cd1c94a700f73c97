//! The input of an execution, from what came at the slots of its node and from constants.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::plan::PlanNode;
use super::state::{Execution, Item};
use crate::graph::Values;
use crate::graph::builtin::Builtin;
use crate::graph::pin_path::{Gaps, PinPath, write_at};

/// A pin, and what is wrong with its value.
pub(super) type Misfit = (String, String);

pub(super) fn assemble(node: &PlanNode, execution: &Execution, run_input: &Values) -> Result<Values, Misfit> {
    if let Some(changed) = &execution.changed {
        check(node, changed, &changed.keys().map(String::as_str).collect())?;
        return Ok(changed.clone());
    }
    let constants = node.constants.as_ref();
    let mut input = constants.map_err(Clone::clone)?.clone();
    if node.builtin == Some(Builtin::Collect) {
        return collected(input, &execution.parts);
    }
    let (mut arrived, mut gaps) = (BTreeSet::new(), Gaps::default());
    let mut parts = node.parts.iter().filter(|_| !execution.parts.is_empty()).peekable();
    for (slot, item) in node.slots.iter().zip(&execution.parts) {
        // Wholes come before their parts, whoever gives them.
        while let Some((path, value)) = parts.next_if(|(path, _)| path.parts().len() < slot.parts().len()) {
            write(&mut input, path, value.clone(), &mut gaps)?;
        }
        let value = item.value.as_ref().map_err(|why| (slot.to_string(), why.to_string()))?;
        if slot.is_whole() {
            input.insert(slot.pin().to_owned(), Arc::clone(value));
        } else {
            write(&mut input, slot, Value::clone(value), &mut gaps)?;
        }
        arrived.insert(slot.pin());
    }
    for (path, value) in parts {
        write(&mut input, path, value.clone(), &mut gaps)?;
    }
    if let (Some(Builtin::Input), Some(name)) = (node.builtin, &node.border) {
        if let (Some(value), true) = (run_input.get(name), execution.parts.is_empty()) {
            input.insert("value".to_owned(), Arc::clone(value));
            arrived.insert("value");
        }
        if !input.contains_key("value") {
            return Err(("value".to_owned(), format!("no value was given for the input `{name}`")));
        }
    }
    check(node, &input, &arrived)?;
    Ok(input)
}

fn write(input: &mut Values, path: &PinPath, value: Value, gaps: &mut Gaps) -> Result<(), Misfit> {
    let target = Arc::make_mut(input.entry(path.pin().to_owned()).or_default());
    write_at(target, path.pin(), path.parts(), value, gaps)
        .map_err(|error| (path.to_string(), error.to_string()))
}

fn check(node: &PlanNode, input: &Values, arrived: &BTreeSet<&str>) -> Result<(), Misfit> {
    for pin in arrived {
        let Some(value) = input.get(*pin) else { continue };
        let checked = node.block.check_input(pin, value);
        checked.map_err(|error| ((*pin).to_owned(), error.to_string()))?;
    }
    match node.missing(input) {
        Some(pin) => Err((pin.to_owned(), format!("`{pin}` is required; link it or give it a constant"))),
        None => Ok(()),
    }
}

/// All that came, as one list. A constant is a list of one.
fn collected(mut input: Values, parts: &[Item]) -> Result<Values, Misfit> {
    let constant = input.remove("item").map(Arc::unwrap_or_clone);
    let mut items: Vec<Value> = constant.into_iter().collect();
    for item in parts {
        let value = item.value.as_ref().map_err(|why| ("item".to_owned(), why.to_string()))?;
        items.push(Value::clone(value));
    }
    input.insert("items".to_owned(), Arc::new(Value::Array(items)));
    Ok(input)
}
