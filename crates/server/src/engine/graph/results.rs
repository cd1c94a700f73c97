//! Converts how a nested Run ended to values on the pins of its node.

use std::sync::Arc;

use model::graph::block::OUTPUT;
use model::graph::builtin::Output;
use model::input::tagged::elements;
use model::run::{Run, RunError, RunState};
use serde_json::Value;

use crate::prepare::Gives;

/// One value that was yielded.
pub(super) fn yielded(gives: Gives, value: Value) -> Result<Output, RunError> {
    match gives {
        Gives::Value | Gives::Stream => Ok((OUTPUT.to_owned(), Arc::new(value))),
        Gives::NamedStream | Gives::Outputs => match elements(&value) {
            Some([Value::String(pin), value]) => Ok((pin.clone(), Arc::new(value.clone()))),
            _ => Err(failure(
                "TypeError",
                "it yielded something else than a pin and a value, although it names pins elsewhere; yield \
                 `(\"pin\", value)` everywhere",
            )),
        },
    }
}

/// All values, or why it failed.
pub(super) fn outputs(gives: Gives, run: Run) -> Result<Vec<Output>, RunError> {
    if let Some(error) = run.error {
        return Err(error);
    }
    match (run.state, run.output) {
        (RunState::Succeeded, Some(output)) => match gives {
            Gives::Value => Ok(vec![(OUTPUT.to_owned(), Arc::new(output))]),
            Gives::Outputs => match output {
                Value::Object(outputs) => {
                    Ok(outputs.into_iter().map(|(pin, value)| (pin, Arc::new(value))).collect())
                }
                _ => Err(failure("NotRecorded", "its outputs are longer than what is recorded of a run")),
            },
            Gives::Stream | Gives::NamedStream => match elements(&output) {
                Some(values) => values.iter().map(|value| yielded(gives, value.clone())).collect(),
                None => {
                    Err(failure("NotRecorded", "what it yielded is longer than what is recorded of a run"))
                }
            },
        },
        (RunState::Succeeded, None) => Err(failure(
            "NotRecorded",
            "its result was not kept, because it ran elsewhere and does not declare `record=\"all\"`",
        )),
        (state, _) => {
            Err(failure("Cancelled", &format!("its run {} ended as {}", run.run_id, state.as_str())))
        }
    }
}

pub(super) fn failure(type_name: &str, message: &str) -> RunError {
    RunError::of(type_name, message)
}

/// As it is sent on the pin `error`.
pub(super) fn text(error: &RunError) -> String {
    format!("{}: {}", error.type_name, error.message)
}
