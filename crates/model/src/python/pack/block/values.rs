//! Values that are known without running the file: literals, its constants, members of its enums, and its models when they
//! are made of such values.

use std::cell::Cell;

use ruff_python_ast::{Expr, ExprCall, Stmt, StmtClassDef};
use serde_json::{Map, Value};

use super::{class, class_named};
use crate::python::literal::{self, Reading};
use crate::python::pack::collect::Module;
use crate::python::types::last_segment;

/// So many constants are looked up for one value: those that name each other twice would otherwise grow without end.
const MAX_CONSTANTS: usize = 1_000;
/// A constant may be made of others, as deep as this.
const MAX_DEPTH: usize = 32;

pub(super) struct Values<'m, 'a> {
    module: &'m Module<'a>,
    left: Cell<usize>,
    depth: Cell<usize>,
}

impl<'m, 'a> Values<'m, 'a> {
    pub(super) fn new(module: &'m Module<'a>) -> Values<'m, 'a> {
        Values { module, left: Cell::new(MAX_CONSTANTS), depth: Cell::new(0) }
    }

    /// The value, or the part of the expression that is not known.
    pub(super) fn of<'e>(&self, expr: &'e Expr) -> Result<Value, &'e Expr> {
        if let Ok(value) = literal::value(expr, self.module.text.as_str(), Reading::Generous) {
            return Ok(value);
        }
        match expr {
            Expr::List(list) => list.elts.iter().map(|element| self.of(element)).collect(),
            Expr::Tuple(tuple) => tuple.elts.iter().map(|element| self.of(element)).collect(),
            Expr::Dict(dict) => {
                let mut object = Map::new();
                for item in &dict.items {
                    let key = item.key.as_ref().ok_or(expr)?;
                    let Value::String(name) = self.of(key)? else { return Err(key) };
                    object.insert(name, self.of(&item.value)?);
                }
                Ok(Value::Object(object))
            }
            Expr::Name(name) => self.constant(name.id.as_str()).ok_or(expr),
            Expr::Attribute(_) => self.member(expr).ok_or(expr),
            Expr::Call(call) => self.model(call, expr),
            _ => Err(expr),
        }
    }

    pub(super) fn is_true(&self, expr: Option<&Expr>) -> bool {
        expr.is_some_and(|expr| self.of(expr) == Ok(Value::Bool(true)))
    }

    /// The value of something that was looked up.
    fn looked_up(&self, expr: &Expr) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(1)?);
        let depth = self.depth.get();
        if depth == MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        let value = self.of(expr).ok();
        self.depth.set(depth);
        value
    }

    fn constant(&self, name: &str) -> Option<Value> {
        let grows = |statement: &Stmt| matches!(statement, Stmt::AugAssign(more) if matches!(&*more.target, Expr::Name(one) if one.id.as_str() == name));
        if self.module.parsed.syntax().body.iter().any(grows) {
            return None;
        }
        self.module.parsed.syntax().body.iter().rev().find_map(|statement| match statement {
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Name(target)] if target.id.as_str() == name => self.looked_up(&assign.value),
                _ => None,
            },
            Stmt::AnnAssign(assign) => match (&*assign.target, &assign.value) {
                (Expr::Name(target), Some(value)) if target.id.as_str() == name => self.looked_up(value),
                _ => None,
            },
            _ => None,
        })
    }

    /// `Colour.RED` and `Colour.RED.value`.
    fn member(&self, expr: &Expr) -> Option<Value> {
        let path = self.module.types.path(expr)?;
        let path = path.strip_suffix(".value").unwrap_or(&path);
        let (class, name) = path.rsplit_once('.')?;
        let class = class_named(self.module, class).filter(|class| is_enum(self.module, class))?;
        let (_, value) = members(class).into_iter().find(|(member, _)| *member == name)?;
        self.looked_up(value)
    }

    /// `Credentials(user="a")`, where `Credentials` is a class of the file.
    fn model<'e>(&self, call: &'e ExprCall, expr: &'e Expr) -> Result<Value, &'e Expr> {
        if class::schema_class(self.module, &call.func).is_none() || !call.arguments.args.is_empty() {
            return Err(expr);
        }
        let mut object = Map::new();
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().ok_or(expr)?;
            object.insert(name.as_str().to_owned(), self.of(&keyword.value)?);
        }
        Ok(Value::Object(object))
    }
}

pub(super) fn is_enum(module: &Module<'_>, class: &StmtClassDef) -> bool {
    let path = |base| module.types.path(base);
    class.bases().iter().filter_map(path).any(|path| last_segment(&path).ends_with("Enum"))
}

/// The names of an enum and what they stand for.
pub(super) fn members(class: &StmtClassDef) -> Vec<(&str, &Expr)> {
    let assigned = class.body.iter().filter_map(|statement| match statement {
        Stmt::Assign(assign) => match assign.targets.as_slice() {
            [Expr::Name(name)] => Some((name.id.as_str(), &*assign.value)),
            _ => None,
        },
        _ => None,
    });
    assigned.collect()
}

/// A value as Python writes it.
pub(super) fn python(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(python).collect())),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), python(value))
            };
            format!("{{{}}}", joined(fields.iter().map(field).collect()))
        }
        // The escapes of JSON are Python's as well.
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
