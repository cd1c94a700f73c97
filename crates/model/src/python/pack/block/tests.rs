//! The test vectors of a block as tests of its function: each input in turn, with the class's own stand-ins for its methods,
//! and what leaves for all of them, in order.

use ruff_python_ast::Expr;
use serde_json::{Map, Value, json};

use super::class::{Definition, Stated};
use super::fields::Field;
use super::values::Values;
use super::{not_literal, refused};
use crate::python::error::SourceError;
use crate::python::pack::collect::Module;

pub(super) struct Cases {
    pub(super) tests: Vec<Value>,
    /// Whether the function has the parameter by which its tests are told from a run.
    pub(super) has_trial: bool,
}

/// The parameter that takes all inputs of a test.
pub(super) const TRIAL: &str = "_trial";

pub(super) fn of(
    module: &Module<'_>,
    stated: &Stated<'_>,
    definition: &Definition,
) -> Result<Cases, SourceError> {
    let argument = |name: &str| stated.arguments.get(name).filter(|expr| !expr.is_none_literal_expr());
    let (Some(input), Some(output)) = (argument("test_input"), argument("test_output")) else {
        return Ok(Cases { tests: Vec::new(), has_trial: false });
    };
    let inputs = elements(input)
        .iter()
        .map(|one| read_input(module, one, definition))
        .collect::<Result<Vec<_>, _>>()?;
    let has_trial = inputs.len() > 1 || argument("test_mock").is_some();
    let Some(mut first) = inputs.first().cloned() else {
        return Ok(Cases { tests: Vec::new(), has_trial: false });
    };
    if has_trial {
        first.insert(TRIAL.to_owned(), json!(inputs));
    }
    let test = json!({"input": first, "expect": expected(module, output)?});
    Ok(Cases { tests: vec![test], has_trial })
}

/// A list of inputs, or one.
fn elements(expr: &Expr) -> &[Expr] {
    match expr {
        Expr::List(list) => &list.elts,
        single => std::slice::from_ref(single),
    }
}

fn read_input(
    module: &Module<'_>,
    expr: &Expr,
    definition: &Definition,
) -> Result<Map<String, Value>, SourceError> {
    let Expr::Dict(dict) = expr else {
        return match Values::new(module).of(expr) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(not_literal(module, expr, "`test_input`")),
        };
    };
    let values = Values::new(module);
    let unknown = |at| not_literal(module, at, "`test_input`");
    let mut input = Map::new();
    for item in &dict.items {
        let key = item.key.as_ref().ok_or_else(|| not_literal(module, &item.value, "`test_input`"))?;
        let Value::String(name) = values.of(key).map_err(unknown)? else { return Err(unknown(key)) };
        let is_hidden = |field: &Field| field.name == name && field.hidden.is_some();
        if !definition.inputs.iter().any(is_hidden) {
            input.insert(name, values.of(&item.value).map_err(unknown)?);
        }
    }
    Ok(input)
}

fn expected(module: &Module<'_>, output: &Expr) -> Result<Value, SourceError> {
    let is_exact = std::cell::Cell::new(true);
    let mut pairs = Vec::new();
    for pair in elements(output) {
        let Expr::Tuple(tuple) = pair else { return Err(not_literal(module, pair, "`test_output`")) };
        let [Expr::StringLiteral(pin), value] = tuple.elts.as_slice() else {
            return Err(not_literal(module, pair, "`test_output`"));
        };
        let named = match value {
            Expr::Name(name) => Field::type_schema(name.id.as_str()),
            _ => None,
        };
        if value.is_lambda_expr() {
            let message = "an expected value is a function, which could say anything".to_owned();
            return Err(refused(module, value, message, "write the value, or its type"));
        }
        let schema = match named {
            Some(schema) => {
                is_exact.set(false);
                schema
            }
            None => {
                let known = Values::new(module).of(value);
                json!({"const": known.map_err(|at| not_literal(module, at, "`test_output`"))?})
            }
        };
        pairs.push((pin.value.to_str().to_owned(), schema));
    }
    if is_exact.get() {
        let pins: Vec<_> = pairs.iter().map(|(pin, schema)| json!([pin, schema["const"]])).collect();
        return Ok(json!({"pins": pins}));
    }
    let count = pairs.len();
    let pair = |(pin, schema): (String, Value)| json!({"type": "array", "prefixItems": [{"const": pin}, schema], "minItems": 2, "maxItems": 2});
    let pairs: Vec<Value> = pairs.into_iter().map(pair).collect();
    Ok(json!({"schema": {"type": "array", "prefixItems": pairs, "minItems": count, "maxItems": count}}))
}
