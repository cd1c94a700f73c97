//! The block `@template`. What is harmless is filled in place, anything else by a process with limits: see `sandbox::expressions`.

use std::sync::Arc;

use model::graph::block::OUTPUT;
use model::graph::builtin::Output;
use model::run::RunError;
use sandbox::Expressions;
use sandbox::expressions::{Kind, Question};
use serde_json::{Map, Value};

use super::results::failure;

pub(super) fn question(template: String, values: Map<String, Value>) -> Question {
    Question { kind: Kind::StrictTemplate, text: template, scope: values }
}

pub(super) fn outputs(evaluated: Result<Option<Value>, String>) -> Result<Vec<Output>, RunError> {
    match evaluated {
        Ok(text) => Ok(vec![(OUTPUT.to_owned(), Arc::new(text.unwrap_or_default()))]),
        Err(problem) => Err(failure("ValueError", &problem)),
    }
}

/// The block by itself, outside of any Graph.
pub(crate) async fn render_template(
    expressions: &Expressions,
    template: String,
    values: Map<String, Value>,
) -> Result<Vec<Output>, RunError> {
    outputs(expressions.evaluate(&question(template, values)).await)
}
