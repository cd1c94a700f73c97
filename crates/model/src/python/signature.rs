//! The signature of a parsed function.

use ruff_python_ast::{AnyParameterRef, Expr, StmtFunctionDef};
use ruff_text_size::Ranged;
use serde_json::{Map, Value, json};

use super::docstring;
use super::literal::{self, Reading};
use super::pins;
use super::schema::Schemas;
use super::scope::Scopes;
use super::types::Types;
use crate::function::signature::{
    DefaultValue, FunctionKind, Parameter, ParameterKind, Signature, any, is_any,
};

pub(super) fn of(
    function: &StmtFunctionDef,
    source: &str,
    types: &Types<'_>,
    scopes: &Scopes<'_>,
) -> Signature {
    let schemas = Schemas::new(types);
    let kind = kind(function, scopes);
    let parameters = parameters(function, source, &schemas);
    let returns = function.returns.as_deref();
    let output = match returns {
        Some(annotation) if kind.is_generator() => schemas.of_yielded(annotation),
        Some(annotation) => schemas.of(annotation),
        None => any(),
    };
    let pins = if kind.is_generator() { pins::of(scopes, &schemas, &parameters) } else { Vec::new() };
    Signature {
        kind,
        input: input(&parameters),
        parameters,
        returns: returns.map(|annotation| written(annotation, source)),
        output,
        pins,
    }
}

fn kind(function: &StmtFunctionDef, scopes: &Scopes<'_>) -> FunctionKind {
    match (function.is_async, scopes.yields().is_empty()) {
        (false, true) => FunctionKind::Sync,
        (true, true) => FunctionKind::Async,
        (false, false) => FunctionKind::Generator,
        (true, false) => FunctionKind::AsyncGenerator,
    }
}

/// An expression as it is written, on one line.
fn written(expr: &Expr, source: &str) -> String {
    let text = &source[expr.range().to_std_range()];
    if text.contains('\n') && !text.contains(['"', '\'', '#']) {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text.to_owned()
}

fn parameters(function: &StmtFunctionDef, source: &str, schemas: &Schemas<'_>) -> Vec<Parameter> {
    let descriptions = docstring::parameters(&docstring::of_body(&function.body));
    let all = &function.parameters;
    let mut found = Vec::new();
    let mut add = |kind, parameter: AnyParameterRef<'_>| {
        let name = parameter.name().as_str();
        let annotation = parameter.annotation();
        let default = parameter.default().map(|default| default_value(default, source));
        found.push(Parameter {
            name: name.to_owned(),
            kind,
            required: default.is_none() && !is_variadic(kind),
            annotation: annotation.map(|annotation| written(annotation, source)),
            default,
            schema: annotation.map_or_else(any, |annotation| schemas.of(annotation)),
            description: descriptions.get(name).cloned(),
        });
    };
    all.posonlyargs
        .iter()
        .for_each(|one| add(ParameterKind::PositionalOnly, AnyParameterRef::NonVariadic(one)));
    all.args.iter().for_each(|one| add(ParameterKind::Positional, AnyParameterRef::NonVariadic(one)));
    all.vararg.iter().for_each(|one| add(ParameterKind::VarPositional, AnyParameterRef::Variadic(one)));
    all.kwonlyargs.iter().for_each(|one| add(ParameterKind::KeywordOnly, AnyParameterRef::NonVariadic(one)));
    all.kwarg.iter().for_each(|one| add(ParameterKind::VarKeyword, AnyParameterRef::Variadic(one)));
    found
}

fn is_variadic(kind: ParameterKind) -> bool {
    matches!(kind, ParameterKind::VarPositional | ParameterKind::VarKeyword)
}

fn default_value(default: &Expr, source: &str) -> DefaultValue {
    match literal::value(default, source, Reading::Exact) {
        Ok(value) => DefaultValue::Literal(value),
        Err(_) => DefaultValue::Expression(written(default, source)),
    }
}

/// The schema of the object that a caller sends.
fn input(parameters: &[Parameter]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut additional = json!(false);
    for parameter in parameters {
        if parameter.kind == ParameterKind::VarKeyword {
            additional = if is_any(&parameter.schema) { json!(true) } else { parameter.schema.clone() };
            continue;
        }
        properties.insert(parameter.name.clone(), property(parameter));
        if parameter.required {
            required.push(parameter.name.as_str());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": additional});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn property(parameter: &Parameter) -> Value {
    let mut schema = parameter.schema.clone();
    if parameter.kind == ParameterKind::VarPositional {
        schema = if is_any(&schema) {
            json!({"type": "array"})
        } else {
            json!({"type": "array", "items": schema})
        };
    }
    if let Some(description) = &parameter.description
        && schema.get("description").is_none()
    {
        schema["description"] = json!(description);
    }
    if let Some(DefaultValue::Literal(value)) = &parameter.default {
        schema["default"] = value.clone();
    }
    schema
}
