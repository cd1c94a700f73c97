//! Annotations as JSON Schema. What cannot be said in JSON Schema, or is not known, is `{}`: anything.
//!
//! `Decimal`, `timedelta` and `complex` are `{}` as well, because JSON has no form of them that every caller would
//! agree on; a function that takes one says in its body what it accepts.

mod known;
mod typed_dict;

use std::cell::{Cell, RefCell};

use ruff_python_ast::{Expr, ExprSubscript, Operator};
use serde_json::{Map, Value, json};

pub(super) use self::known::is_known_type;
use self::known::{Known, known};
use super::literal::{self, Reading};
use super::parse;
use super::types::{Named, Types};
use crate::function::signature::{any, is_any};

/// A signature is described with at most this many schemas, and `{}` beyond: aliases that name each other twice
/// would otherwise grow without end.
const MAX_SCHEMAS: usize = 2_000;
/// Annotations are followed to this depth, and are `{}` below.
const MAX_DEPTH: usize = 32;

/// A union of more types than this is `{}`: it tells a reader no more than that.
const MAX_ALTERNATIVES: usize = 64;

/// Makes schemas in the light of the types that the source defines.
pub(super) struct Schemas<'a> {
    types: &'a Types<'a>,
    left: Cell<usize>,
    depth: Cell<usize>,
    /// Named types that are being written out, to stop at one that contains itself.
    expanding: RefCell<Vec<String>>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(types: &'a Types<'a>) -> Schemas<'a> {
        Schemas {
            types,
            left: Cell::new(MAX_SCHEMAS),
            depth: Cell::new(0),
            expanding: RefCell::new(Vec::new()),
        }
    }

    /// The schema of an annotation.
    pub(super) fn of(&self, annotation: &Expr) -> Value {
        if self.left.get() == 0 || self.depth.get() == MAX_DEPTH {
            return any();
        }
        self.left.set(self.left.get() - 1);
        self.depth.set(self.depth.get() + 1);
        let schema = self.written(annotation);
        self.depth.set(self.depth.get() - 1);
        schema
    }

    /// The schema of one value of a stream: `T` of `Iterator[T]`.
    pub(super) fn of_yielded(&self, annotation: &Expr) -> Value {
        match annotation {
            Expr::Subscript(subscript) => match self.known(&subscript.value) {
                Some(Known::Stream) => arguments(subscript).first().map_or_else(any, |item| self.of(item)),
                _ => any(),
            },
            Expr::StringLiteral(text) => {
                parse::annotation(text.value.to_str()).map_or_else(any, |parsed| self.of_yielded(&parsed))
            }
            _ => any(),
        }
    }

    fn written(&self, annotation: &Expr) -> Value {
        match annotation {
            Expr::NoneLiteral(_) => json!({"type": "null"}),
            Expr::Name(_) | Expr::Attribute(_) => self.plain(annotation),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::BinOp(union) if union.op == Operator::BitOr => self.any_of(&alternatives(annotation)),
            Expr::StringLiteral(text) => {
                parse::annotation(text.value.to_str()).map_or_else(any, |parsed| self.of(&parsed))
            }
            _ => any(),
        }
    }

    fn plain(&self, annotation: &Expr) -> Value {
        let Some(path) = self.types.path(annotation) else { return any() };
        match self.types.named(&path) {
            Some(named) => self.named(&path, named),
            None => known(&path).map_or_else(any, Known::bare),
        }
    }

    fn named(&self, name: &str, named: Named<'a>) -> Value {
        let expanding = self.expanding.borrow().len();
        if expanding == MAX_DEPTH
            || self.left.get() == 0
            || self.expanding.borrow().iter().any(|outer| outer == name)
        {
            return any();
        }
        self.left.set(self.left.get() - 1);
        self.expanding.borrow_mut().push(name.to_owned());
        let schema = match named {
            Named::Alias(value) => self.of(value),
            Named::TypedDictClass(class) => self.typed_dict_class(class),
            Named::TypedDictCall(call) => self.typed_dict_call(call),
            Named::Variable => any(),
        };
        self.expanding.borrow_mut().pop();
        schema
    }

    fn known(&self, expr: &Expr) -> Option<Known> {
        let path = self.types.path(expr)?;
        if self.types.named(&path).is_some() { None } else { known(&path) }
    }

    fn subscript(&self, subscript: &ExprSubscript) -> Value {
        let arguments = arguments(subscript);
        let Some(known) = self.known(&subscript.value) else {
            // `Alias[int]`: the alias without its arguments is the nearest there is.
            return self.plain(&subscript.value);
        };
        let first = || arguments.first().map_or_else(any, |argument| self.of(argument));
        match known {
            Known::Array | Known::Stream => with(json!({"type": "array"}), "items", first()),
            Known::Set => with(json!({"type": "array", "uniqueItems": true}), "items", first()),
            Known::Tuple => self.tuple(arguments),
            Known::Mapping => {
                let value = arguments.get(1).map_or_else(any, |value| self.of(value));
                with(json!({"type": "object"}), "additionalProperties", value)
            }
            Known::Optional => {
                let null = json!({"type": "null"});
                any_of(vec![first(), null])
            }
            Known::Union => self.any_of(&arguments.iter().collect::<Vec<_>>()),
            Known::Literal => literals(arguments),
            Known::Annotated => self.annotated(arguments),
            Known::Wrapper => first(),
            Known::Coroutine => arguments.last().map_or_else(any, |result| self.of(result)),
            known => known.bare(),
        }
    }

    fn tuple(&self, arguments: &[Expr]) -> Value {
        match arguments {
            [item, Expr::EllipsisLiteral(_)] => with(json!({"type": "array"}), "items", self.of(item)),
            // `tuple[()]` is the empty one.
            [Expr::Tuple(empty)] if empty.is_empty() => json!({"type": "array", "maxItems": 0}),
            items => {
                let schemas: Vec<Value> = items.iter().map(|item| self.of(item)).collect();
                json!({
                    "type": "array", "prefixItems": schemas,
                    "minItems": items.len(), "maxItems": items.len(),
                })
            }
        }
    }

    fn any_of(&self, alternatives: &[&Expr]) -> Value {
        any_of(alternatives.iter().map(|alternative| self.of(alternative)).collect())
    }

    fn annotated(&self, arguments: &[Expr]) -> Value {
        let Some((first, extras)) = arguments.split_first() else { return any() };
        let schema = self.of(first);
        match extras.iter().find_map(description) {
            Some(text) => with(schema, "description", Value::String(text)),
            None => schema,
        }
    }
}

/// A text that `Annotated` carries: `"text"`, `Doc("text")` or `Field(description="text")`.
fn description(extra: &Expr) -> Option<String> {
    match extra {
        Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
        Expr::Call(call) => match call.arguments.find_argument_value("description", 0)? {
            Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
            _ => None,
        },
        _ => None,
    }
}

fn arguments(subscript: &ExprSubscript) -> &[Expr] {
    match &*subscript.slice {
        // The parenthesised `()` of `tuple[()]` is an argument, not the list of them.
        Expr::Tuple(tuple) if !tuple.is_empty() => &tuple.elts,
        argument => std::slice::from_ref(argument),
    }
}

/// The operands of `A | B | C`, however many.
fn alternatives(union: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut expr = union;
    while let Expr::BinOp(union) = expr
        && union.op == Operator::BitOr
    {
        found.push(&*union.right);
        expr = &union.left;
    }
    found.push(expr);
    found.reverse();
    found
}

fn any_of(schemas: Vec<Value>) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for schema in schemas.into_iter().flat_map(flattened) {
        if is_any(&schema) || distinct.len() > MAX_ALTERNATIVES {
            return any();
        }
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    match distinct.len() {
        0 => any(),
        1 => distinct.remove(0),
        _ => json!({"anyOf": distinct}),
    }
}

fn flattened(schema: Value) -> Vec<Value> {
    match schema {
        Value::Object(mut object) if object.len() == 1 && object.contains_key("anyOf") => {
            match object.shift_remove("anyOf") {
                Some(Value::Array(alternatives)) => alternatives,
                _ => Vec::new(),
            }
        }
        schema => vec![schema],
    }
}

/// Several values of one type, joined: what a pin that is yielded in several places carries.
pub(super) fn joined(schemas: Vec<Value>) -> Value {
    any_of(schemas)
}

fn literals(arguments: &[Expr]) -> Value {
    let values: Option<Vec<Value>> =
        arguments.iter().map(|argument| literal::value(argument, "", Reading::Exact).ok()).collect();
    match values {
        Some(values) => json!({"enum": values}),
        None => any(),
    }
}

/// Adds a keyword to a schema, unless it would say nothing.
fn with(schema: Value, key: &str, value: Value) -> Value {
    if is_any(&value) {
        return schema;
    }
    let mut object = match schema {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.insert(key.to_owned(), value);
    Value::Object(object)
}
