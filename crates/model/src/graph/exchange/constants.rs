//! The constants of a node: from the file's defaults, and back.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::origin::NodeOrigin;
use super::pins::{INPUTS, Pins};
use super::{Format, braces};
use crate::graph::Node;
use crate::graph::aliases::BlockAlias;
use crate::graph::content::MAX_PIN_BYTES;
use crate::graph::pin_path::{Gaps, PinPath, write_at};

/// Texts that were templates with single braces in 2024.
const TEMPLATES: [&str; 3] = ["format", "prompt", "sys_prompt"];

/// Our constants of a node of the file. Null means absent there.
pub(super) fn translate(
    pins: Pins,
    format: Format,
    defaults: &Map<String, Value>,
    is_linked: &dyn Fn(&str) -> bool,
) -> Map<String, Value> {
    let mut input = added(pins);
    let fixed: HashSet<String> = input.keys().cloned().collect();
    for (theirs, value) in &flat(pins, defaults) {
        let Some(pin) = pins.input(theirs) else { continue };
        // An output that nothing leads to gives null.
        let gives_null = block(pins) == "@output" && pin == "value" && !is_linked("value");
        let is_absent =
            value.is_null() && !gives_null || block(pins) == "@store" && pin == "data" && is_falsy(value);
        if is_absent || pin.len() > MAX_PIN_BYTES || input.contains_key(&pin) && !fixed.contains(&pin) {
            continue;
        }
        let value = match value {
            Value::String(text) if doubles(pins, format, theirs, defaults, is_linked) => {
                Value::from(braces::double(text))
            }
            value => value.clone(),
        };
        match PinPath::parse(&pin) {
            // The type of an input is one constant, whatever of it the file says.
            Ok(path) if path.pin() == "schema" && !path.is_whole() => set_schema(&mut input, &path, value),
            _ => {
                input.insert(pin, value);
            }
        }
    }
    input
}

fn set_schema(input: &mut Map<String, Value>, path: &PinPath, value: Value) {
    if value.as_array().is_none_or(Vec::is_empty) {
        return;
    }
    let mut schema = input.get("schema").cloned().unwrap_or_default();
    if write_at(&mut schema, "schema", path.parts(), value, &mut Gaps::default()).is_ok() {
        input.insert("schema".to_owned(), schema);
    }
}

fn block(pins: Pins) -> &'static str {
    match pins {
        Pins::Alias(alias) => alias.block,
        Pins::Graph | Pins::Same => "",
    }
}

/// What a block of ours is given besides.
pub(super) fn added(pins: Pins) -> Map<String, Value> {
    let Pins::Alias(BlockAlias { constants, .. }) = pins else { return Map::new() };
    let parse = |(pin, json): &(&str, &str)| Some(((*pin).to_owned(), serde_json::from_str(json).ok()?));
    constants.iter().filter_map(parse).collect()
}

/// StoreValue gives `input` if `data` is any of these.
fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(yes) => !yes,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

/// Whether the text is a template of 2024. A prompt is one only if it is given values.
fn doubles(
    pins: Pins,
    format: Format,
    pin: &str,
    defaults: &Map<String, Value>,
    is_linked: &dyn Fn(&str) -> bool,
) -> bool {
    let is_template =
        format == Format::Graph2024 && TEMPLATES.contains(&pin) && matches!(pins, Pins::Alias(_));
    let has_values = || defaults.get("prompt_values").is_some_and(|values| !is_falsy(values));
    is_template && (pin == "format" || has_values() || is_linked("prompt_values"))
}

/// What a graph is called with, beside the rest and not inside.
pub(super) fn flat(pins: Pins, defaults: &Map<String, Value>) -> Map<String, Value> {
    let mut flat = Map::new();
    for (key, value) in defaults {
        let prefix = INPUTS
            .iter()
            .find(|prefix| matches!(pins, Pins::Graph) && prefix.strip_suffix("_#_") == Some(key));
        match (prefix, value) {
            (Some(prefix), Value::Object(inner)) if !inner.is_empty() => {
                flat.extend(inner.iter().map(|(pin, value)| (format!("{prefix}{pin}"), value.clone())));
            }
            _ => {
                flat.insert(key.clone(), value.clone());
            }
        }
    }
    flat
}

fn nested(pins: Pins, flat: Map<String, Value>) -> Map<String, Value> {
    let mut nested = Map::new();
    for (key, value) in flat {
        let split =
            INPUTS.iter().find_map(|prefix| Some((prefix.strip_suffix("_#_")?, key.strip_prefix(prefix)?)));
        match split.filter(|_| matches!(pins, Pins::Graph)) {
            Some((outer, inner)) => {
                let place = nested.entry(outer).or_insert_with(|| Value::Object(Map::new()));
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                place[inner] = value;
            }
            None => {
                nested.insert(key, value);
            }
        }
    }
    nested
}

/// The defaults that the file is given again: those it had, as far as they are unchanged here, and what is new. A file of another
/// generation calls its pins otherwise, and its templates are others.
pub(super) fn back(
    pins: Pins,
    node: &Node,
    origin: &NodeOrigin,
    is_same_generation: bool,
) -> Map<String, Value> {
    let mut defaults = Map::new();
    let mut covered: HashSet<&str> = HashSet::new();
    for (theirs, entry) in &origin.input {
        match &entry.pin {
            None => {
                defaults.insert(theirs.clone(), entry.was.clone());
            }
            Some(pin)
                if is_same_generation
                    && node.input.get(pin) == Some(entry.is.as_ref().unwrap_or(&entry.was)) =>
            {
                defaults.insert(theirs.clone(), entry.was.clone());
                covered.insert(pin);
            }
            Some(_) => {}
        }
    }
    let fixed = added(pins);
    for (pin, value) in &node.input {
        let is_ours = origin.added.get(pin) == Some(value) || fixed.get(pin) == Some(value);
        if !covered.contains(pin.as_str()) && !is_ours {
            defaults.insert(pins.their_input(pin), value.clone());
        }
    }
    nested(pins, defaults)
}
