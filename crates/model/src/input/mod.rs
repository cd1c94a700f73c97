//! Input: whether what a caller passes in fits the signature of a Version, before anything is started.

pub(crate) mod bind;
pub mod depth;
pub mod json_size;
pub mod output;
pub mod path;
pub(crate) mod shape;
pub mod tagged;
pub(crate) mod text_schema;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::bind::bind;
use self::depth::{MAX_DEPTH, fits_in};
pub use self::shape::Problem;
use self::shape::{Place, Problems, Shape, check_tags};
use crate::function::signature::{DefaultValue, Signature};

/// More problems than a reader would go through are only counted.
pub(crate) const MOST_PROBLEMS: usize = 20;

/// The signature of a Version, made ready for checking. Making one costs far more than checking with it.
#[derive(Debug)]
pub struct InputSchema {
    shape: Shape,
}

/// Everything that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputError {
    pub problems: Vec<Problem>,
    /// How many more there are.
    pub more: usize,
}

impl InputSchema {
    pub fn compile(signature: &Signature) -> InputSchema {
        let mut shape = Shape::of(&signature.input);
        if let Shape::Object(object) = &mut shape {
            for parameter in &signature.parameters {
                let property = object.properties.get_mut(&parameter.name);
                if let (Some(property), Some(DefaultValue::Literal(value))) = (property, &parameter.default) {
                    property.default = Some(value.clone());
                }
            }
        }
        InputSchema { shape }
    }

    /// An input names every parameter that it gives, also positional-only ones, and `*args` with a list.
    pub fn check(&self, input: &Map<String, Value>) -> Result<(), InputError> {
        let mut problems = Problems::up_to(MOST_PROBLEMS);
        if let Some((name, value)) = input.iter().find(|(_, value)| !fits_in(value, MAX_DEPTH)) {
            return Err(InputError { problems: vec![Problem::too_deep(name.clone(), value)], more: 0 });
        }
        match &self.shape {
            Shape::Object(object) => object.check(input, &Place::Root, &mut problems),
            Shape::Any => {}
            shape => shape.check(&Value::Object(input.clone()), &Place::Root, &mut problems),
        }
        for (name, value) in input {
            check_tags(value, &Place::Key(&Place::Root, name), &mut problems);
        }
        InputError::of(problems)
    }
}

impl InputError {
    pub(crate) fn of(problems: Problems) -> Result<(), InputError> {
        if problems.count == 0 {
            return Ok(());
        }
        Err(InputError { more: problems.count - problems.found.len(), problems: problems.found })
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        f.write_str(&told.join("; "))?;
        match self.more {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for InputError {}
