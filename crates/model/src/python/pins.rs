//! What a generator yields: its named pins, when it yields `("pin", value)` pairs.

use std::collections::HashMap;

use ruff_python_ast::{Expr, ExprYield, Number};
use serde_json::{Value, json};

use super::schema::{Schemas, joined};
use super::scope::{Scopes, Yield};
use crate::function::signature::{Parameter, ParameterKind, Pin, any};

/// The pins of a generator, by first appearance. A generator that yields anything but pairs has none.
pub(super) fn of(scopes: &Scopes<'_>, schemas: &Schemas<'_>, parameters: &[Parameter]) -> Vec<Pin> {
    let pairs: Option<Vec<(&Expr, &Expr)>> = scopes.yields().into_iter().map(pair).collect();
    let names = Names::of(scopes, schemas, parameters);
    let mut found: Vec<(&str, Vec<Value>)> = Vec::new();
    for (name, value) in pairs.unwrap_or_default() {
        // A name that is computed may be any pin; only those that are written out are known.
        let Expr::StringLiteral(name) = name else { continue };
        let name = name.value.to_str();
        let schema = names.schema_of(value);
        match found.iter().position(|(known, _)| *known == name) {
            Some(at) => found[at].1.push(schema),
            None if found.len() < MAX_PINS => found.push((name, vec![schema])),
            None => {}
        }
    }
    found.into_iter().map(|(name, values)| Pin { name: name.to_owned(), schema: joined(values) }).collect()
}

/// A block has a handful of pins; a source with more than this many is not one for people.
const MAX_PINS: usize = 256;

fn pair<'a>(found: Yield<'a>) -> Option<(&'a Expr, &'a Expr)> {
    let Yield::Value(ExprYield { value: Some(value), .. }) = found else { return None };
    match &**value {
        Expr::Tuple(tuple) => match tuple.elts.as_slice() {
            [name, value] => Some((name, value)),
            _ => None,
        },
        _ => None,
    }
}

/// What annotations say about the names that a value may be.
struct Names<'a> {
    schemas: HashMap<&'a str, Value>,
}

impl<'a> Names<'a> {
    /// Python does not check annotations, but an author who wrote one means it.
    fn of(scopes: &Scopes<'a>, schemas: &Schemas<'_>, parameters: &'a [Parameter]) -> Names<'a> {
        let is_plain = |kind| !matches!(kind, ParameterKind::VarPositional | ParameterKind::VarKeyword);
        let plain = parameters.iter().filter(|parameter| is_plain(parameter.kind));
        let mut names: HashMap<&str, Value> =
            plain.map(|parameter| (parameter.name.as_str(), parameter.schema.clone())).collect();
        for (name, annotation) in scopes.local_annotations() {
            names.insert(name, schemas.of(annotation));
        }
        Names { schemas: names }
    }

    /// The type of a value where it is obvious: literals, and names with an annotation.
    fn schema_of(&self, value: &Expr) -> Value {
        match value {
            Expr::StringLiteral(_) | Expr::FString(_) => json!({"type": "string"}),
            Expr::BooleanLiteral(_) => json!({"type": "boolean"}),
            Expr::NumberLiteral(literal) => match literal.value {
                Number::Int(_) => json!({"type": "integer"}),
                Number::Float(_) => json!({"type": "number"}),
                Number::Complex { .. } => any(),
            },
            Expr::NoneLiteral(_) => json!({"type": "null"}),
            Expr::List(_) | Expr::ListComp(_) | Expr::Tuple(_) => json!({"type": "array"}),
            Expr::Dict(_) | Expr::DictComp(_) => json!({"type": "object"}),
            Expr::Name(name) => self.schemas.get(name.id.as_str()).cloned().unwrap_or_else(any),
            _ => any(),
        }
    }
}
