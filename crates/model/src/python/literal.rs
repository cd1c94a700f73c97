//! Values that are written out in the source, as JSON.

use ruff_python_ast::{Expr, ExprDict, Int, Number, Operator, UnaryOp};
use ruff_text_size::Ranged;
use serde_json::{Map, Value};

/// What counts as a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Exactly what JSON can say: a default that is a tuple is not the list that JSON would make of it.
    Exact,
    /// What an author may write in a decorator: tuples and sets are lists, and strings may be added up.
    Generous,
}

/// The value of a literal, or the part of the expression that is not one.
pub(super) fn value<'a>(expr: &'a Expr, source: &str, reading: Reading) -> Result<Value, &'a Expr> {
    let list =
        |elements: &'a [Expr]| elements.iter().map(|element| value(element, source, reading)).collect();
    match expr {
        Expr::NoneLiteral(_) => Ok(Value::Null),
        Expr::BooleanLiteral(literal) => Ok(Value::Bool(literal.value)),
        Expr::NumberLiteral(literal) => number(&literal.value, false).ok_or(expr),
        Expr::StringLiteral(literal) => string(literal.value.to_str(), expr, source),
        Expr::UnaryOp(unary) => signed(unary.op, &unary.operand).ok_or(expr),
        Expr::List(list_expr) => list(&list_expr.elts),
        Expr::Dict(dict) => object(dict, expr, source, reading),
        Expr::Tuple(tuple) if reading == Reading::Generous => list(&tuple.elts),
        Expr::Set(set) if reading == Reading::Generous => list(&set.elts),
        Expr::BinOp(sum) if reading == Reading::Generous && sum.op == Operator::Add => {
            let parts = (value(&sum.left, source, reading)?, value(&sum.right, source, reading)?);
            match parts {
                (Value::String(left), Value::String(right)) => Ok(Value::String(left + &right)),
                _ => Err(expr),
            }
        }
        _ => Err(expr),
    }
}

/// Half a surrogate pair is a Python string but not a JSON one; the parser shows it as U+FFFD.
fn string<'a>(text: &str, expr: &'a Expr, source: &str) -> Result<Value, &'a Expr> {
    let written = source.get(expr.range().to_std_range()).unwrap_or_default();
    if text.contains('\u{fffd}') && !written.contains('\u{fffd}') {
        return Err(expr);
    }
    Ok(Value::String(text.to_owned()))
}

fn signed(op: UnaryOp, operand: &Expr) -> Option<Value> {
    match (op, operand) {
        (UnaryOp::USub, Expr::NumberLiteral(literal)) => number(&literal.value, true),
        (UnaryOp::UAdd, Expr::NumberLiteral(literal)) => number(&literal.value, false),
        _ => None,
    }
}

/// Integers beyond 64 bits, infinities and complex numbers have no JSON.
fn number(number: &Number, negative: bool) -> Option<Value> {
    match number {
        Number::Int(int) => integer(int, negative),
        Number::Float(float) => {
            serde_json::Number::from_f64(if negative { -float } else { *float }).map(Value::Number)
        }
        Number::Complex { .. } => None,
    }
}

fn integer(int: &Int, negative: bool) -> Option<Value> {
    let magnitude = int.as_u64()?;
    if negative {
        0_i64.checked_sub_unsigned(magnitude).map(Value::from)
    } else {
        Some(Value::from(magnitude))
    }
}

fn object<'a>(dict: &'a ExprDict, expr: &'a Expr, source: &str, reading: Reading) -> Result<Value, &'a Expr> {
    let mut object = Map::new();
    for item in &dict.items {
        let key = item.key.as_ref().ok_or(expr)?;
        let Value::String(name) = value(key, source, reading)? else { return Err(key) };
        object.insert(name, value(&item.value, source, reading)?);
    }
    Ok(Value::Object(object))
}
