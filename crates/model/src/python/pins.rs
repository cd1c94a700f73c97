//! What a generator yields: its named pins, when it yields `("pin", value)` pairs.

use ruff_python_ast::{Expr, ExprYield, Number};
use serde_json::{Value, json};

use super::schema::{Schemas, joined};
use super::scope::{Scopes, Yield};
use crate::signature::{Parameter, ParameterKind, Pin, any};

/// The pins of a generator, by first appearance. A generator that yields anything but pairs has none.
pub(super) fn of(scopes: &Scopes<'_>, schemas: &Schemas<'_>, parameters: &[Parameter]) -> Vec<Pin> {
    let pairs: Option<Vec<(&Expr, &Expr)>> = scopes.yields().into_iter().map(pair).collect();
    let mut found: Vec<(String, Vec<Value>)> = Vec::new();
    for (name, value) in pairs.unwrap_or_default() {
        // A name that is computed may be any pin; only those that are written out are known.
        let Expr::StringLiteral(name) = name else { continue };
        let schema = value_schema(value, scopes, schemas, parameters);
        let known = found.iter().position(|(known, _)| known == name.value.to_str());
        match known {
            Some(at) => found[at].1.push(schema),
            None if found.len() < MAX_PINS => found.push((name.value.to_str().to_owned(), vec![schema])),
            None => {}
        }
    }
    found.into_iter().map(|(name, values)| Pin { name, schema: joined(values) }).collect()
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

/// The type of a value where it is obvious: literals, and names with an annotation.
fn value_schema(value: &Expr, scopes: &Scopes<'_>, schemas: &Schemas<'_>, parameters: &[Parameter]) -> Value {
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
        Expr::Name(name) => named_schema(name.id.as_str(), scopes, schemas, parameters),
        _ => any(),
    }
}

/// An annotated local variable or parameter. Python does not check annotations, but an author who wrote one means it.
fn named_schema(name: &str, scopes: &Scopes<'_>, schemas: &Schemas<'_>, parameters: &[Parameter]) -> Value {
    if let Some(annotation) = scopes.annotation_of(name) {
        return schemas.of(annotation);
    }
    let plain = |parameter: &&Parameter| {
        parameter.name == name
            && !matches!(parameter.kind, ParameterKind::VarPositional | ParameterKind::VarKeyword)
    };
    parameters.iter().find(plain).map_or_else(any, |parameter| parameter.schema.clone())
}
