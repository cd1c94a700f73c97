//! One block of AutoGPT by itself: its pins, what it takes and what it gives.

use serde_json::{Map, Value, json};

use super::import::base;
use super::pins::Pins;
use super::shown::together;
use super::{Format, constants};
use crate::graph::aliases::{BlockAlias, alias};
use crate::graph::block::{BlockSignature, Pin};
use crate::graph::pin_path::{Gaps, PinPath, write_at};

/// A block by one of its ids; nothing of one that is not available.
#[derive(Clone, Copy, Debug)]
pub struct TheirBlock {
    pub alias: &'static BlockAlias,
}

impl TheirBlock {
    pub fn of(id: &str) -> Option<TheirBlock> {
        alias(id).filter(|alias| alias.is_available()).map(|alias| TheirBlock { alias })
    }

    /// Input for the block that stands for it. What is null counts as absent there.
    pub fn input(self, theirs: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut flat = constants::translate(Pins::Alias(self.alias), Format::Graph2024, theirs, &|_| false);
        // What counts as absent among the defaults of a file is a value where it is sent.
        for (pin, value) in theirs.iter().filter(|(_, value)| !value.is_null()) {
            if let Some(pin) = self.alias.input(pin) {
                flat.entry(pin).or_insert_with(|| value.clone());
            }
        }
        let (mut input, mut gaps) = (Map::new(), Gaps::default());
        for (pin, value) in flat {
            let path = PinPath::parse(&pin).map_err(|error| format!("`{pin}`: {error}"))?;
            let place = input.entry(path.pin()).or_insert(Value::Null);
            write_at(place, path.pin(), path.parts(), value, &mut gaps)
                .map_err(|error| format!("`{pin}`: {error}"))?;
        }
        Ok(input)
    }

    /// JSON Schema of what it takes.
    pub fn input_schema(self, ours: &BlockSignature) -> Value {
        let fixed = constants::added(Pins::Alias(self.alias));
        let pins = ours.inputs.iter().filter(|pin| !fixed.contains_key(&pin.name));
        let named = pins.map(|pin| (self.alias.their_input(&pin.name), pin));
        object(named, &ours.other_inputs)
    }

    /// JSON Schema of what it gives, whatever generation names the pins.
    pub fn output_schema(self, ours: &BlockSignature) -> Value {
        let mut named = Vec::new();
        for pin in &ours.outputs {
            let names = self.alias.outputs.iter().filter(|(_, known)| *known == pin.name);
            // What was a part of a pin is a pin today.
            let whole = names.map(|(theirs, _)| *theirs).filter(|theirs| base(theirs) == *theirs);
            let names: Vec<String> = whole.map(str::to_owned).collect();
            match names.is_empty() {
                true => named.push((pin.name.clone(), pin)),
                false => named.extend(names.into_iter().map(|name| (name, pin))),
            }
        }
        object(named.into_iter(), &ours.other_outputs)
    }

    /// What left it, a list for each pin, as in 2024.
    pub fn outputs(self, ours: Map<String, Value>) -> Map<String, Value> {
        let named = ours.into_iter().map(|(pin, values)| (self.alias.output_in_2024(&pin), values));
        together(named.collect())
    }
}

/// The schemas of a block of ours, which has no other names.
pub fn schemas(ours: &BlockSignature) -> (Value, Value) {
    let inputs = object(ours.inputs.iter().map(|pin| (pin.name.clone(), pin)), &ours.other_inputs);
    (inputs, object(ours.outputs.iter().map(|pin| (pin.name.clone(), pin)), &ours.other_outputs))
}

fn object<'a>(pins: impl Iterator<Item = (String, &'a Pin)>, others: &Option<Value>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, pin) in pins {
        let mut schema = pin.schema.as_object().cloned().unwrap_or_default();
        schema.insert("title".to_owned(), json!(pin.title.as_ref().unwrap_or(&name)));
        if let Some(description) = &pin.description {
            schema.insert("description".to_owned(), json!(description));
        }
        if pin.required {
            required.push(name.clone());
        }
        properties.insert(name, Value::Object(schema));
    }
    let others = others.clone().unwrap_or(Value::Bool(false));
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": others})
}
