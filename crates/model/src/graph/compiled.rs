//! The pins of a Block, made ready for checking values. Making one costs far more than checking with it, so nodes with
//! the same Block share one.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::block::{BlockSignature, Pin};
use crate::function::signature::DefaultValue;
use crate::input::depth::{MAX_DEPTH, fits_in};
use crate::input::shape::{Place, Problems, Shape, check_tags};
use crate::input::{InputError, Problem};

/// One problem of a value is enough to find it.
const MOST: usize = 3;

#[derive(Debug)]
pub(super) struct CompiledBlock {
    pub(super) signature: Arc<BlockSignature>,
    inputs: Side,
    outputs: Side,
}

#[derive(Debug)]
struct Side {
    pins: HashMap<String, CompiledPin>,
    others: Option<Shape>,
}

#[derive(Debug)]
struct CompiledPin {
    shape: Shape,
    position: usize,
    default: Option<Value>,
}

impl CompiledBlock {
    pub(super) fn new(signature: Arc<BlockSignature>) -> CompiledBlock {
        let inputs = Side::of(&signature.inputs, signature.other_inputs.as_ref());
        let outputs = Side::of(&signature.outputs, signature.other_outputs.as_ref());
        CompiledBlock { signature, inputs, outputs }
    }

    pub(super) fn has_input(&self, pin: &str) -> bool {
        self.inputs.has(pin)
    }

    pub(super) fn has_output(&self, pin: &str) -> bool {
        self.outputs.has(pin)
    }

    pub(super) fn input(&self, pin: &str) -> Option<&Pin> {
        self.inputs.pins.get(pin).map(|known| &self.signature.inputs[known.position])
    }

    pub(super) fn output(&self, pin: &str) -> Option<&Pin> {
        self.outputs.pins.get(pin).map(|known| &self.signature.outputs[known.position])
    }

    pub(super) fn check_input(&self, pin: &str, value: &Value) -> Result<(), InputError> {
        self.inputs.check(pin, value)
    }

    pub(super) fn check_output(&self, pin: &str, value: &Value) -> Result<(), InputError> {
        self.outputs.check(pin, value)
    }
}

impl Side {
    fn of(pins: &[Pin], others: Option<&Value>) -> Side {
        let compiled = |(position, pin): (usize, &Pin)| {
            let default = match &pin.default {
                Some(DefaultValue::Literal(value)) => Some(value.clone()),
                _ => None,
            };
            (pin.name.clone(), CompiledPin { shape: Shape::of(&pin.schema), position, default })
        };
        Side { pins: pins.iter().enumerate().map(compiled).collect(), others: others.map(Shape::of) }
    }

    fn has(&self, pin: &str) -> bool {
        self.pins.contains_key(pin)
    }

    /// A pin that there is not takes and gives whatever it is; that it is not there is told elsewhere.
    fn check(&self, pin: &str, value: &Value) -> Result<(), InputError> {
        if !fits_in(value, MAX_DEPTH) {
            return Err(InputError { problems: vec![Problem::too_deep(pin.to_owned(), value)], more: 0 });
        }
        let known = self.pins.get(pin);
        // A default may be of another type than its parameter says.
        if known.is_some_and(|known| known.default.as_ref() == Some(value)) {
            return Ok(());
        }
        let mut problems = Problems::up_to(MOST);
        let place = Place::Key(&Place::Root, pin);
        if let Some(shape) = known.map(|known| &known.shape).or(self.others.as_ref()) {
            shape.check(value, &place, &mut problems);
        }
        check_tags(value, &place, &mut problems);
        InputError::of(problems)
    }
}
